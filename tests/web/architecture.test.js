import assert from "node:assert/strict";
import test from "node:test";

import {
  halves,
  layStack,
  nextBox,
  roundedPath,
  shortened,
  sizesFor,
} from "../../web/app/architecture/figure_layout.js";

const BOXES = [
  { kind: "tokens", in_block: false },
  { kind: "self", in_block: true },
  { kind: "self_add", in_block: true },
  { kind: "memory", in_block: false },
];
const SIZES = sizesFor(1000);
const ENCODER = layStack("encoder", BOXES, SIZES);
const DECODER = layStack("decoder", BOXES, SIZES);

test("boxes lie above each other without touching, those of a block in its frame", () => {
  const { boxes, low, high, top } = ENCODER;
  boxes.slice(1).forEach((box, n) => assert.ok(box.low > boxes[n].top));
  assert.ok(boxes[0].top < low && low < boxes[1].low);
  assert.ok(boxes[2].top < high && high < boxes[3].low);
  assert.ok(top > boxes[3].top);
});

test("arrows go along a stack and over to the nearest box of the other one", () => {
  const all = [...ENCODER.boxes, ...DECODER.boxes];
  const [, self, sum] = ENCODER.boxes;
  assert.equal(nextBox(self, all, [-1, 0]), sum);
  assert.equal(nextBox(sum, all, [1, 0]), self);
  assert.equal(nextBox(self, all, [0, 1]), DECODER.boxes[1]);
  assert.equal(nextBox(self, all, [0, -1]), undefined);
});

test("long labels get two lines or an ellipsis", () => {
  assert.deepEqual(halves("cross attention", 20), ["cross attention"]);
  assert.deepEqual(halves("cross attention", 8), ["cross", "attention"]);
  assert.equal(shortened("embedding", 3), "embe…");
});

test("the corners of a wire are round", () => {
  const path = roundedPath([
    [0, 0],
    [20, 0],
    [20, 20],
  ]);
  assert.equal(path, "M0 0L13 0Q20 0 20 7L20 20");
});
