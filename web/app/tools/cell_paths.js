// The cells of a map as paths: one path for each colour, so that a file stays small.

/**
 * Returns the cells of a part of an image as paths, in units of a cell.
 *
 * @param {object} cells as `paintMap` remembers them: `columns`, and `colours`, little-endian RGBA
 * @param {number[]} part of the image: left column, top row, number of columns, number of rows
 * @param {number[]} pixels how wide and how high the part is drawn: smaller cells are merged
 * @returns {{paths: Map<number, string>, columns: number, rows: number}} the path of each colour;
 *   empty cells have none
 */
export function cellPaths(cells, [left, top, nColumns, nRows], [width, height]) {
  const columns = Math.max(1, Math.min(nColumns, Math.round(width)));
  const rows = Math.max(1, Math.min(nRows, Math.round(height)));
  const at = (row, column) => cells.colours[(top + row) * cells.columns + left + column];
  const isWhole = columns === nColumns && rows === nRows;
  const meanAt = (row, column) =>
    meanColour(at, spanOf(row, rows, nRows), spanOf(column, columns, nColumns));
  const colourOf = isWhole ? at : meanAt;

  const paths = new Map();
  for (let row = 0; row < rows; row++) {
    let start = 0;
    for (let end = 1; end <= columns; end++) {
      const colour = colourOf(row, start);
      if (end < columns && colourOf(row, end) === colour) continue;
      const run = `M${start} ${row}H${end}v1H${start}Z`;
      if (colour) paths.set(colour, (paths.get(colour) ?? "") + run);
      start = end;
    }
  }
  return { paths, columns, rows };
}

// The n-th of some equal parts of a length: its first cell, and the first one after it.
function spanOf(n, parts, length) {
  const start = Math.floor((n * length) / parts);
  return [start, Math.max(start + 1, Math.floor(((n + 1) * length) / parts))];
}

function meanColour(at, [top, bottom], [left, right]) {
  const sums = [0, 0, 0];
  let count = 0;
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      const colour = at(row, column);
      if (!colour) continue;
      count += 1;
      sums.forEach((_, n) => (sums[n] += (colour >> (8 * n)) & 255));
    }
  }
  if (!count) return 0;
  const [red, green, blue] = sums.map((sum) => Math.round(sum / count));
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}
