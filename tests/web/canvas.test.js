// What all canvases share: an image of cells, the cell under the pointer, the brush.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeElement, FakePage } from "./page.js";
import { brushOf, cellUnder, paintMap } from "../../web/pictures/canvas.js";

// Paints the numbers from 1 as colours. Returns the pixels in the order of the image.
function pixels(shape, fromRight) {
  const canvas = new FakeElement("canvas");
  const brush = canvas.getContext("2d");
  const put = [];
  brush.createImageData = (width, height) => {
    return { width, height, data: { buffer: new ArrayBuffer(4 * width * height) } };
  };
  brush.putImageData = (image, ...at) => put.push([image.width, image.height, ...at]);
  const same = paintMap(canvas, shape, fromRight, (n) => n + 1);
  assert.equal(same, canvas);
  assert.deepEqual([canvas.width, canvas.height], [shape[1], shape[0]]);
  assert.deepEqual(put, [[shape[1], shape[0], 0, 0]]);
  assert.equal(canvas.cells.columns, shape[1]);
  return [...canvas.cells.colours];
}

test("a map has a pixel for each cell, row by row", () => {
  assert.deepEqual(pixels([2, 3], false), [1, 2, 3, 4, 5, 6]);
});

test("from right to left each row is mirrored", () => {
  assert.deepEqual(pixels([2, 3], true), [3, 2, 1, 6, 5, 4]);
  assert.deepEqual(pixels([3, 4], true), [4, 3, 2, 1, 8, 7, 6, 5, 12, 11, 10, 9]);
});

test("the pointer is above a cell of a map of 2 rows and 4 columns, 80 by 20 pixels", () => {
  const map = new FakeElement("div");
  map.box = { left: 100, top: 50, width: 80, height: 20 };
  const at = (x, y, fromRight = false) =>
    cellUnder({ clientX: 100 + x, clientY: 50 + y }, map, [2, 4], fromRight);
  assert.deepEqual(
    [at(0, 0), at(19, 9), at(20, 10), at(79, 19)],
    [
      [0, 0],
      [0, 0],
      [1, 1],
      [1, 3],
    ],
  );
  assert.deepEqual(
    [at(1, 5, true), at(79, 5, true)],
    [
      [0, 3],
      [0, 0],
    ],
  );
  assert.deepEqual(
    [at(-5, -5), at(85, 25)],
    [
      [0, 0],
      [1, 3],
    ],
  ); // points outside belong to the nearest cell
});

test("a canvas has the pixels of the screen, its brush those of the page", () => {
  new FakePage();
  globalThis.devicePixelRatio = 1.5;
  const canvas = new FakeElement("canvas");
  const brush = brushOf(canvas, 101, 30);
  assert.deepEqual([canvas.width, canvas.height], [152, 45]);
  assert.deepEqual(
    brush.all("scale").map(({ x }) => x),
    [1.5],
  );
});
