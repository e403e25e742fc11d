// Canvas functions that all pictures use.

import { clamp } from "./arithmetic.js";
import { canvasScale } from "./paper.js";

/**
 * Paints a map with one pixel for each cell, row by row.
 *
 * @param {HTMLCanvasElement} canvas gets the size of the map
 * @param {number[]} shape rows and columns
 * @param {boolean} fromRight whether the first column is on the right
 * @param {(index: number) => number} colourOf little-endian RGBA of a cell; 0 leaves it empty
 * @returns {HTMLCanvasElement} the same canvas
 */
export function paintMap(canvas, [rows, columns], fromRight, colourOf) {
  canvas.width = columns;
  canvas.height = rows;
  const brush = canvas.getContext("2d");
  const image = brush.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let n = 0; n < pixels.length; n++) {
    const mirrored = n + columns - 1 - 2 * (n % columns);
    pixels[fromRight ? mirrored : n] = colourOf(n);
  }
  brush.putImageData(image, 0, 0);
  canvas.cells = { columns, colours: pixels }; // web/app/tools/svg_brush.js writes SVG from these
  return canvas;
}

/**
 * Returns row and column of the cell under the pointer.
 *
 * @param {PointerEvent} event
 * @param {Element} map on which the cells are drawn, all of one size
 * @param {number[]} shape rows and columns
 * @param {boolean} fromRight whether the first column is on the right
 * @returns {number[]}
 */
export function cellUnder({ clientX, clientY }, map, [rows, columns], fromRight) {
  const { left, right, top, width, height } = map.getBoundingClientRect();
  const across = fromRight ? right - clientX : clientX - left;
  const row = Math.floor(((clientY - top) / height) * rows);
  const column = Math.floor((across / width) * columns);
  return [clamp(row, rows), clamp(column, columns)];
}

/**
 * Clears a canvas, and returns its brush in units of page pixels. The canvas gets the resolution of
 * the screen or the paper.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} width in pixels of the page
 * @param {number} height in pixels of the page
 * @returns {CanvasRenderingContext2D}
 */
export function brushOf(canvas, width, height) {
  const scale = canvasScale(canvas);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const brush = canvas.getContext("2d");
  brush.scale(scale, scale);
  return brush;
}
