// The cell to which an arrow key leads.

import assert from "node:assert/strict";
import test from "node:test";

import { nextCell } from "../../web/pictures/next_cell.js";

const CAUSAL = (row, column) => column <= row;

test("arrow keys go from cell to cell", () => {
  assert.deepEqual(nextCell([1, 1], [1, 0], [3, 3], CAUSAL), [2, 1]);
  assert.deepEqual(nextCell([1, 1], [0, -1], [3, 3], CAUSAL), [1, 0]);
});

test("arrow keys skip unreadable cells", () => {
  const isEven = (row, column) => (row + column) % 2 === 0;
  assert.deepEqual(nextCell([0, 0], [0, 1], [1, 4], isEven), [0, 2]);
});

test("arrow keys stop if there is no further readable cell", () => {
  assert.equal(nextCell([1, 1], [0, 1], [3, 3], CAUSAL), null);
  assert.equal(nextCell([2, 0], [1, 0], [3, 3], CAUSAL), null);
});
