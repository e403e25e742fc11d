// Where ribbons begin and end. Two queries look at two keys.

import assert from "node:assert/strict";
import test from "node:test";

import { beginningOf, layRibbons, ribbonPoint } from "../../web/pictures/ribbon_layout.js";

const WEIGHTS = [
  [0.25, 0.75],
  [1, 0],
];

test("the ribbons of a query together fill its part of the row", () => {
  const share = (_, query, key) => WEIGHTS[query][key];
  const ribbons = layRibbons([0, 1], [2, 2], share, 44, 4); // 20 pixels for each of two heads
  assert.equal(ribbons.length, 8);
  const [first, second] = ribbons;
  assert.deepEqual([first.left, first.width, second.left, second.width], [2, 5, 7, 15]);
  assert.equal(first.right, 2 + (20 - 5) / 2); // in the middle of the part of its head
  assert.equal(second.right, 44 + 2 + (20 - 15) / 2);
  const ofSecondHead = ribbons.find(({ head }) => head === 1);
  assert.equal(ofSecondHead.left, 22);
});

test("a ribbon begins at its query and ends at its key", () => {
  const ribbon = { left: 10, right: 50, width: 4 };
  assert.deepEqual(ribbonPoint(ribbon, 200, 0), [0, 12]);
  assert.deepEqual(ribbonPoint(ribbon, 200, 1), [200, 52]);
});

test("a section of a curve grows from its start to the whole curve", () => {
  const curve = [
    [0, 0],
    [0, 10],
    [20, 10],
    [20, 20],
  ];
  assert.deepEqual(beginningOf(curve, 1), curve);
  assert.deepEqual(beginningOf(curve, 0), Array(4).fill([0, 0]));
  assert.deepEqual(beginningOf(curve, 0.5).at(-1), [10, 10]);
});

test("rows below the first one begin at their own height", () => {
  const ribbons = layRibbons([0], [3, 1], () => 1, 44, 4);
  assert.deepEqual(
    ribbons.map(({ left }) => left),
    [2, 46, 90],
  );
});

test("a quarter of the way a ribbon has gone five thirty-seconds of its height", () => {
  const [, y] = ribbonPoint({ left: 0, right: 64, width: 0 }, 100, 0.25);
  assert.equal(y, 10); // 3 t² - 2 t³ = 10 / 64
});
