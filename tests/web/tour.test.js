// Where the bubble and the spotlight of the tour are, in a window of 1000 by 600 pixels.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { boxOf, intersection, placeBubble } from "../../web/app/tour/spotlight.js";

const SCREEN = { width: 1000, height: 600 };
const BUBBLE = { width: 300, height: 100 };

function placeBeside(left, top, right, bottom) {
  return placeBubble({ left, top, right, bottom }, BUBBLE, SCREEN, 10);
}

test("the bubble is below the highlighted element if there is room", () => {
  assert.deepEqual(placeBeside(50, 20, 90, 80), { left: 50, top: 90, covers: false });
});

test("the bubble fits if not one pixel is left, on each side", () => {
  assert.deepEqual(placeBeside(50, 200, 90, 480), { left: 50, top: 490, covers: false });
  assert.deepEqual(placeBeside(50, 120, 90, 490), { left: 50, top: 10, covers: false });
  assert.deepEqual(placeBeside(50, 10, 680, 590), { left: 690, top: 10, covers: false });
  assert.deepEqual(placeBeside(320, 10, 990, 590), { left: 10, top: 10, covers: false });
  assert.deepEqual(placeBeside(50, 10, 681, 590), { left: 50, top: 490, covers: true });
  assert.deepEqual(placeBeside(319, 10, 990, 590), { left: 319, top: 490, covers: true });
});

test("the bubble stays within the window at both sides", () => {
  assert.equal(placeBeside(2, 20, 90, 80).left, 10);
  assert.equal(placeBeside(900, 20, 990, 80).left, 690);
  assert.equal(placeBeside(50, 550, 90, 1000).top, 440);
  assert.deepEqual(placeBeside(500, 0, 990, 600), { left: 190, top: 10, covers: false });
});

test("if there is no room below, the bubble is above the element", () => {
  assert.deepEqual(placeBeside(50, 300, 90, 590), { left: 50, top: 190, covers: false });
});

test("if there is no room above either, the bubble is to the right or left", () => {
  assert.deepEqual(placeBeside(50, 10, 90, 590), { left: 100, top: 10, covers: false });
  assert.deepEqual(placeBeside(500, 10, 990, 590), { left: 190, top: 10, covers: false });
});

test("if there is no room at all, the bubble covers the lower part of the element", () => {
  assert.deepEqual(placeBeside(0, 0, 1000, 600), { left: 10, top: 490, covers: true });
});

test("without a highlighted element, the bubble is at the bottom in the middle", () => {
  const place = placeBubble(null, BUBBLE, SCREEN, 10);
  assert.deepEqual(place, { left: 350, top: 490, covers: false });
});

test("separate boxes have no intersection", () => {
  const box = { left: 0, top: 0, right: 10, bottom: 10 };
  assert.equal(intersection(box, { left: 20, top: 0, right: 30, bottom: 10 }), null);
  assert.deepEqual(intersection(box, { left: 5, top: 5, right: 30, bottom: 30 }), {
    left: 5,
    top: 5,
    right: 10,
    bottom: 10,
  });
});

test("boxes that only touch have no intersection", () => {
  const box = { left: 0, top: 0, right: 10, bottom: 10 };
  assert.equal(intersection(box, { left: 10, top: 0, right: 30, bottom: 10 }), null);
  assert.equal(intersection(box, { left: 0, top: 10, right: 10, bottom: 30 }), null);
});

function shown(box, { isVisible = true } = {}) {
  const node = document.createElement("div");
  node.box = box;
  node.checkVisibility = () => isVisible;
  return node;
}

test("the spotlight is 6 pixels larger than all visible parts of its target", () => {
  new FakePage();
  const parts = [
    shown({ left: 100, top: 60, width: 10, height: 200 }),
    shown({ left: 50, top: 80, width: 10, height: 10 }),
    shown({ left: 0, top: 0, width: 999, height: 999 }, { isVisible: false }),
  ];
  document.querySelectorAll = () => parts;
  const box = { left: 44, top: 54, right: 116, bottom: 266 };
  assert.deepEqual(boxOf({ target: "div", row: null }), box);
  assert.deepEqual(boxOf({ target: "div", row: 1 }), box); // this target has no map
  document.querySelectorAll = () => parts.slice(2);
  assert.equal(boxOf({ target: "div", row: null }), null);
});

test("the spotlight of a row has the height of the row and the width of its map", () => {
  new FakePage();
  const node = shown({ left: 10, top: 20, width: 300, height: 400 });
  const host = document.createElement("div");
  const canvas = { rowAt: (n) => ({ top: 100 + 30 * n, bottom: 130 + 30 * n }) };
  host.shadowRoot = { querySelector: () => canvas };
  node.append(host);
  node.querySelectorAll = () => [host];
  document.querySelectorAll = () => [node];
  const box = boxOf({ target: "div", row: 2 });
  assert.deepEqual(box, { left: 4, top: 154, right: 316, bottom: 196 });
  assert.equal(boxOf({ target: "div", row: 20 }).bottom, 426); // this row is scrolled out of view
});
