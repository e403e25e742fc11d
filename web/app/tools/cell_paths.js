// Converts the cells of a map to paths, one path for each colour, which keeps files small.

const LARGEST_OVERLAP = 0.25; // of a cell

/**
 * Returns the cells in a rectangle of an image as paths, in units of a cell.
 *
 * @param {object} cells as stored by `paintMap`: `columns`, and `colours` in little-endian RGBA
 * @param {number[]} rectangle: left column, top row, number of columns, number of rows
 * @param {number[]} pixels width and height of the drawn rectangle; smaller cells are merged
 * @param {number} [overlap] pixels by which a cell covers its neighbours at the right and below
 * @returns {{paths: Map<number, string>, columns: number, rows: number}} the path of each colour;
 *   empty cells have none
 */
export function cellPaths(cells, [left, top, nColumns, nRows], [width, height], overlap = 0) {
  const columns = Math.max(1, Math.min(nColumns, Math.round(width)));
  const rows = Math.max(1, Math.min(nRows, Math.round(height)));
  const at = (row, column) => cells.colours[(top + row) * cells.columns + left + column];
  const isWhole = columns === nColumns && rows === nRows;
  const meanAt = (row, column) =>
    meanColour(at, spanOf(row, rows, nRows), spanOf(column, columns, nColumns));
  const colourOf = isWhole ? at : meanAt;
  const [beyond, below] = [width / columns, height / rows].map((side) =>
    Math.min(overlap / side, LARGEST_OVERLAP),
  );

  const paths = new Map();
  for (let row = 0; row < rows; row++) {
    let start = 0;
    for (let end = 1; end <= columns; end++) {
      const colour = colourOf(row, start);
      if (end < columns && colourOf(row, end) === colour) continue;
      const right = format4(end + beyond);
      const run = `M${start} ${row}H${right}v${format4(1 + below)}H${start}Z`;
      if (colour) paths.set(colour, (paths.get(colour) ?? "") + run);
      start = end;
    }
  }
  return { paths, columns, rows };
}

function format4(number) {
  return String(Math.round(number * 10_000) / 10_000);
}

// Divides a length into equal parts.
// Returns the first cell of the n-th part, and the first cell after this part.
function spanOf(n, parts, length) {
  const start = Math.floor((n * length) / parts);
  return [start, Math.max(start + 1, Math.floor(((n + 1) * length) / parts))];
}

// Returns the mean colour of the cells in some rows and columns, without empty cells; 0 if all are
// empty.
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
