// Maps painted on a canvas.

import { clamp } from "./arithmetic.js";

// A map, one pixel for each cell, row by row; a cell without colour stays empty. Columns that are read
// from the right begin there.
export function paintMap(canvas, [rows, columns], fromRight, colourOf) {
  [canvas.width, canvas.height] = [columns, rows];
  const brush = canvas.getContext("2d");
  const image = brush.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let n = 0; n < pixels.length; n++)
    pixels[fromRight ? n + columns - 1 - 2 * (n % columns) : n] = colourOf(n);
  brush.putImageData(image, 0, 0);
  return canvas;
}

// Row and column of the cell of a map under the pointer.
export function cellUnder({ clientX, clientY }, map, [rows, columns], fromRight) {
  const { left, right, top, width, height } = map.getBoundingClientRect();
  const across = fromRight ? right - clientX : clientX - left;
  const [row, column] = [((clientY - top) / height) * rows, (across / width) * columns].map(
    Math.floor,
  );
  return [clamp(row, rows), clamp(column, columns)];
}

// The brush of a canvas that is so many pixels of the page wide and high, however many the screen has.
export function brushOf(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
  const brush = canvas.getContext("2d");
  brush.scale(scale, scale);
  return brush;
}
