// Where the boxes, labels and wires of the figure of the architecture are.

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

test("boxes are one above the other without touching, and within the frame of their block", () => {
  const { boxes, low, high, top } = ENCODER;
  boxes.slice(1).forEach((box, n) => assert.ok(box.low > boxes[n].top));
  assert.ok(boxes[0].top < low && low < boxes[1].low);
  assert.ok(boxes[2].top < high && high < boxes[3].low);
  assert.ok(top > boxes[3].top);
});

test("arrow keys move along a stack and to the nearest box of the other stack", () => {
  const all = [...ENCODER.boxes, ...DECODER.boxes];
  const [, self, sum] = ENCODER.boxes;
  assert.equal(nextBox(self, all, [-1, 0]), sum);
  assert.equal(nextBox(sum, all, [1, 0]), self);
  assert.equal(nextBox(self, all, [0, 1]), DECODER.boxes[1]);
  assert.equal(nextBox(self, all, [0, -1]), undefined);
});

test("long labels are broken into two lines or shortened", () => {
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

const placesOf = ({ boxes }) => boxes.map(({ x, low, middle, top }) => [x, low, middle, top]);

test("the wide figure has boxes of 34, pills of 28 and sums of 18 units, 12 apart", () => {
  assert.deepEqual(placesOf(ENCODER), [
    [203, 3, 17, 31],
    [203, 61, 78, 95], // 18 more at the beginning of a block
    [203, 107, 116, 125],
    [203, 145, 159, 173], // 8 more at the end of a block
  ]);
  assert.deepEqual([ENCODER.low, ENCODER.high, ENCODER.top, ENCODER.out], [39, 135, 176, -1]);
  assert.deepEqual([DECODER.boxes[0].x, DECODER.out], [760 - 203, 1]);
  const [norm] = layStack("encoder", [{ kind: "self_norm", in_block: false }], SIZES).boxes;
  assert.equal(norm.top - norm.low, 22);
});

test("the narrow figure, below 540 pixels, has its own sizes", () => {
  assert.deepEqual([sizesFor(539).isWide, sizesFor(540).isWide], [false, true]);
  const sizes = sizesFor(539);
  const { boxes, low, high, top } = layStack("encoder", BOXES, sizes);
  assert.deepEqual(placesOf({ boxes }), [
    [99, 3, 15, 27],
    [99, 53, 70, 87],
    [99, 97, 106, 115],
    [99, 133, 145, 157],
  ]);
  assert.deepEqual([low, high, top], [34, 124, 160]);
  assert.equal(layStack("decoder", BOXES, sizes).boxes[0].x, 358 - 99);
  const [norm] = layStack("encoder", [{ kind: "self_norm", in_block: false }], sizes).boxes;
  assert.equal(norm.top - norm.low, 20);
});

test("a label without a space stays in one line; a label that fills its box is too long", () => {
  assert.deepEqual(halves("unembedding", 2), ["unembedding"]);
  assert.deepEqual(halves(" a b", 1), ["", "a b"]); // broken at the first space, wherever it is
  assert.deepEqual(halves(`${"a".repeat(49)} `, 28), ["a".repeat(49), ""]); // 50 letters take 28 em
});

test("a box of 5 ems has room for 8 letters", () => {
  assert.equal(shortened("12345678", 5), "12345678");
  assert.equal(shortened("123456789", 5), "1234567…");
});

test("the corners of a short wire are round only up to its middle", () => {
  const path = roundedPath([
    [1, 2],
    [7, 2],
    [7, 6],
    [30, 6],
  ]);
  assert.equal(path, "M1 2L5 2Q7 2 7 4L7 4Q7 6 9 6L30 6");
});

test("the corner of a wire without length has no length", () => {
  const path = roundedPath([
    [1, 2],
    [1, 2],
    [9, 2],
  ]);
  assert.equal(path, "M1 2L1 2Q1 2 1 2L9 2");
});
