// Cells smaller than a pixel, which a saved picture merges.

import assert from "node:assert/strict";
import test from "node:test";

import { cellPaths } from "../../web/app/tools/cell_paths.js";

const grey = (value) => (0xff000000 | (value << 16) | (value << 8) | value) >>> 0;

function merged(rows, pixels) {
  const colours = Uint32Array.from(rows.flat());
  const cells = { columns: rows[0].length, colours };
  return cellPaths(cells, [0, 0, rows[0].length, rows.length], pixels);
}

test("each pixel has the mean colour of its own cells", () => {
  const { paths, columns, rows } = merged([[0, 20, 100, 140].map(grey)], [2, 1]);
  assert.deepEqual([columns, rows], [2, 1]);
  assert.deepEqual(
    [...paths],
    [
      [grey(10), "M0 0H1v1H0Z"],
      [grey(120), "M1 0H2v1H1Z"],
    ],
  );
});

test("rows are merged like columns", () => {
  const { paths } = merged(
    [[10], [30], [50], [70]].map(([value]) => [grey(value)]),
    [1, 2],
  );
  assert.deepEqual([...paths.keys()], [grey(20), grey(60)]);
});

test("if the number of cells is not a multiple, each cell is still in exactly one pixel", () => {
  const { paths } = merged([[0, 60, 120, 180, 240].map(grey)], [2, 1]);
  // the first pixel has two cells, the second has three
  assert.deepEqual([...paths.keys()], [grey(30), grey(180)]);
});

test("an empty cell does not change the mean, and a pixel with only empty cells is empty", () => {
  const { paths } = merged([[grey(50), 0, 0, 0]], [2, 1]);
  assert.deepEqual([...paths], [[grey(50), "M0 0H1v1H0Z"]]);
});

test("red, green and blue are merged separately", () => {
  const { paths } = merged([[0xff0000fe, 0xff00fe00].map((colour) => colour >>> 0)], [1, 1]);
  assert.deepEqual([...paths.keys()], [0xff007f7f]);
});

test("cells of at least one pixel are not merged", () => {
  const { paths } = merged([[grey(1), grey(1), grey(2)]], [30, 10]);
  assert.deepEqual(
    [...paths],
    [
      [grey(1), "M0 0H2v1H0Z"],
      [grey(2), "M2 0H3v1H2Z"],
    ],
  );
});

test("cells overlap by some pixels, but at most by a quarter of a cell", () => {
  const cells = { columns: 2, colours: Uint32Array.of(grey(1), grey(2)) };
  const pathsOf = (pixels) => [...cellPaths(cells, [0, 0, 2, 1], pixels, 0.5).paths.values()];
  // a cell of 10 by 5 pixels
  assert.deepEqual(pathsOf([20, 5]), ["M0 0H1.05v1.1H0Z", "M1 0H2.05v1.1H1Z"]);
  // a cell of 1 by 50 pixels
  assert.deepEqual(pathsOf([2, 50]), ["M0 0H1.25v1.01H0Z", "M1 0H2.25v1.01H1Z"]);
});
