import assert from "node:assert/strict";
import test from "node:test";

import { intersection, placeBubble } from "../../web/app/tour/spotlight.js";

const SCREEN = { width: 1000, height: 600 };
const BUBBLE = { width: 300, height: 100 };

function placeBeside(left, top, right, bottom) {
  return placeBubble({ left, top, right, bottom }, BUBBLE, SCREEN, 10);
}

test("the bubble is below the lit part if there is room", () => {
  assert.deepEqual(placeBeside(50, 20, 90, 80), { left: 50, top: 90, covers: false });
});

test("or else above it", () => {
  assert.deepEqual(placeBeside(50, 300, 90, 590), { left: 50, top: 190, covers: false });
});

test("or right of it, or left of it", () => {
  assert.deepEqual(placeBeside(50, 10, 90, 590), { left: 100, top: 10, covers: false });
  assert.deepEqual(placeBeside(500, 10, 990, 590), { left: 190, top: 10, covers: false });
});

test("or over its lower part", () => {
  assert.deepEqual(placeBeside(0, 0, 1000, 600), { left: 10, top: 490, covers: true });
});

test("without a lit part the bubble is in the middle, at the bottom", () => {
  const place = placeBubble(null, BUBBLE, SCREEN, 10);
  assert.deepEqual(place, { left: 350, top: 490, covers: false });
});

test("boxes that do not touch have nothing in common", () => {
  const box = { left: 0, top: 0, right: 10, bottom: 10 };
  assert.equal(intersection(box, { left: 20, top: 0, right: 30, bottom: 10 }), null);
  assert.deepEqual(intersection(box, { left: 5, top: 5, right: 30, bottom: 30 }), {
    left: 5,
    top: 5,
    right: 10,
    bottom: 10,
  });
});
