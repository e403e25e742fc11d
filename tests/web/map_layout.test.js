// Where the cells and labels of a matrix are. The matrix has 2 rows, and 2 heads of 2 columns.

import assert from "node:assert/strict";
import test from "node:test";

import { cellWidths, MapLayout } from "../../web/pictures/map_layout.js";

const MATRIX = {
  rows: 2,
  columns: 4,
  groups: 2,
  large: false,
  spread: true,
  directions: ["ltr", "ltr"],
};

function layoutOf(changes = {}, widths = { rowLabel: 40, columnLabel: 10, note: null }) {
  const layout = new MapLayout({ ...MATRIX, ...changes });
  const beside = layout.measure(widths);
  layout.fit(30, 44);
  return { layout, beside };
}

test("cells are to the right of the row labels and below the column labels", () => {
  const { layout } = layoutOf();
  assert.equal(layout.left, 48);
  assert.equal(layout.top, 22 + 20); // column labels and numbers of heads
  assert.deepEqual(layout.boxOf({ row: 1, column: 2 }), { x: 108, y: 72, width: 30, height: 30 });
});

test("separated heads have a gap between them", () => {
  const { layout } = layoutOf();
  layout.spread(1);
  assert.deepEqual(
    [0, 1, 2, 3].map((column) => layout.x(column)),
    [48, 78, 120, 150],
  );
  assert.equal(layout.boxOf({ row: 0 }).width, 4 * 30 + 12);
});

test("every point within a cell finds the cell, and other points find none", () => {
  const { layout } = layoutOf();
  layout.spread(1);
  for (const row of [0, 1]) {
    for (const column of [0, 1, 2, 3]) {
      const { x, y, width, height } = layout.boxOf({ row, column });
      assert.deepEqual(layout.cellAt(x + 1, y + 1), [row, column]);
      assert.deepEqual(layout.cellAt(x + width - 1, y + height - 1), [row, column]);
    }
  }
  assert.equal(layout.cellAt(layout.left - 1, layout.top + 1), null);
  assert.equal(layout.cellAt(layout.left + 1, layout.top + 61), null);
});

test("tokens that are read from the right begin at the right", () => {
  const { layout } = layoutOf({ directions: ["ltr", "rtl"] });
  assert.equal(layout.x(0), layout.leftOf(3));
  assert.deepEqual(layout.cellAt(layout.leftOf(3) + 1, layout.top + 1), [0, 0]);
});

test("labels wider than their column are slanted, and vertical above narrow cells", () => {
  const wide = { rowLabel: 40, columnLabel: 80, note: null };
  const { layout } = layoutOf({}, wide);
  layout.fit(36, 44);
  near(layout.labelAngle, (40 * Math.PI) / 180);
  layout.fit(20, 44);
  assert.equal(layout.labelAngle, Math.PI / 2);
  layout.fit(11, 44);
  assert.equal(layout.hasColumnLabels, false);
});

test("of columns that count on, as many have a horizontal label as fit", () => {
  const { layout, beside } = layoutOf(
    { columns: 64, groups: 1, spread: false, numbered: true },
    { rowLabel: 40, columnLabel: 40, note: null },
  );
  assert.equal(beside, 48 + 4); // no room beside the cells: no label is slanted
  const every = (cellWidth) => {
    layout.fit(cellWidth, 44);
    assert.deepEqual([layout.hasColumnLabels, layout.labelAngle], [true, 0]);
    return layout.labelEvery;
  };
  // a label of 40 pixels and a gap of 12
  assert.deepEqual([52, 51, 18, 5].map(every), [1, 2, 4, 16]);
});

test("matrices share a wide page, and are one below the other on a narrow page", () => {
  const layouts = [layoutOf().layout, layoutOf().layout];
  assert.deepEqual(cellWidths(layouts, [100, 100], 1000, 40, [80, 80]), [95, 95]);
  assert.deepEqual(cellWidths(layouts, [100, 100], 300, 40, [80, 80]), [50, 50]);
});

test("a matrix that is narrower than its caption leaves less space for the others", () => {
  const layouts = [layoutOf().layout, layoutOf({ columns: 1, groups: 1 }).layout];
  // Of 1000 - 40 pixels, the second matrix takes 400 for its caption; the first has 100 and four
  // columns.
  const widths = cellWidths(layouts, [100, 100], 1000, 40, [80, 400]);
  assert.deepEqual(widths, [115, 115]);
  assert.ok(100 + 4 * widths[0] + 400 + 40 <= 1000);
  // a caption that would take almost all space is broken into lines instead
  assert.deepEqual(cellWidths(layouts, [100, 100], 1000, 40, [80, 900]), [152, 152]);
});

const COS = Math.cos((40 * Math.PI) / 180);
const SIN = Math.sin((40 * Math.PI) / 180);

function fitted(changes, widths, cell, largest = 44, highest = 40) {
  const layout = new MapLayout({ ...MATRIX, groups: 1, spread: false, ...changes });
  const beside = layout.measure({ rowLabel: null, columnLabel: null, note: null, ...widths });
  layout.fit(cell, largest, highest);
  return { layout, beside };
}

function near(found, expected) {
  assert.ok(Math.abs(found - expected) < 1e-9, `${found}, not ${expected}`);
}

test("beside the cells is space for row labels, and for notes or slanted column labels", () => {
  const { beside, layout } = fitted({}, {}, 30);
  assert.deepEqual([layout.left, beside], [0, 4]);
  assert.equal(fitted({}, { rowLabel: 40, note: 50 }, 30).beside, 48 + 58 + 4);
  near(fitted({}, { columnLabel: 100, note: 50 }, 30).beside, 100 * COS + 4);
  const gaps = { groups: 4, spread: true };
  assert.equal(fitted(gaps, { rowLabel: 40 }, 30).beside, 48 + 3 * 12 + 4);
});

test("a canvas is as wide as labels, cells and notes plus 2 pixels", () => {
  assert.equal(fitted({}, {}, 30).layout.width, 120 + 2);
  assert.equal(fitted({}, { rowLabel: 40, note: 50 }, 30).layout.width, 48 + 120 + 58 + 2);
  near(fitted({}, { columnLabel: 100, note: 50 }, 35).layout.width, 140 + 100 * COS + 2);
  assert.equal(fitted({ groups: 4, spread: true }, {}, 30).layout.width, 120 + 36 + 2);
  // a large map has space for its scale: its name and a bar of 160 pixels
  assert.equal(fitted({ large: true, scaled: true }, {}, 30).layout.width, 250);
  assert.equal(fitted({ large: true, scaled: true, columns: 20 }, {}, 30).layout.width, 602);
});

test("a canvas is as high as labels and cells, and a large map has its scale below", () => {
  assert.equal(fitted({}, {}, 30).layout.height, 60 + 2);
  assert.equal(fitted({}, { columnLabel: 10 }, 30).layout.height, 22 + 60 + 2);
  near(fitted({}, { columnLabel: 100 }, 35).layout.height, 100 * SIN + 16 + 70 + 2);
  assert.equal(fitted({ large: true, scaled: true }, {}, 20, 44, 40).layout.height, 2 * 36 + 44);
});

test("columns from 12 pixels have labels, which are vertical below 32 pixels", () => {
  const hasLabels = (cell) => fitted({}, { columnLabel: 30 }, cell).layout.hasColumnLabels;
  assert.deepEqual([hasLabels(11.9), hasLabels(12)], [false, true]);
  const angle = (cell, label = 30) => fitted({}, { columnLabel: label }, cell).layout.labelAngle;
  assert.equal(angle(31.9), Math.PI / 2);
  near(angle(32), (40 * Math.PI) / 180);
  const isNarrow = (cell) => fitted({}, {}, cell).layout.isNarrow;
  assert.deepEqual([isNarrow(31.9), isNarrow(32)], [true, false]);
  // a label that is 4 pixels narrower than its column is horizontal
  assert.deepEqual([angle(34) === 0, angle(33.9) === 0], [true, false]);
});

test("rows of a small matrix are at least 15 pixels high, and at most as high as wide", () => {
  const height = (cell, largest = 44) => fitted({}, {}, cell, largest).layout.cellHeight;
  assert.deepEqual([height(3), height(20), height(60), height(60, 50)], [15, 20, 44, 50]);
});

test("a matrix of more than 48 rows is at most 640 pixels high", () => {
  const height = (rows, cell) => fitted({ rows }, {}, cell).layout.cellHeight;
  assert.equal(height(48, 3), 15);
  assert.equal(height(49, 3), 3);
  assert.equal(height(64, 30), 10); // 640 / 64
  assert.equal(height(1000, 30), 1);
});

test("a large map has cells of at least 13 pixels and rows of at least 17 pixels", () => {
  const size = (rows, cell) => {
    const { cellWidth, cellHeight } = fitted({ rows, large: true, scaled: true }, {}, cell).layout;
    return [cellWidth, Math.round(10 * cellHeight) / 10];
  };
  assert.deepEqual(size(2, 5), [13, 23.4]); // 1.8 times as high as wide
  assert.deepEqual(size(2, 50), [50, 40]);
  assert.deepEqual(size(22, 50), [50, 20]); // 22 rows share the height of 11 rows of 40
  assert.deepEqual(size(44, 50), [50, 17]);
});

test("the scale is up to 160 pixels wide, and at least 80", () => {
  const { layout } = fitted({ large: true, scaled: true }, {}, 30); // the map is 250 pixels wide
  assert.deepEqual(
    [20, 90, 168, 200].map((x) => layout.scaleWidth(x)),
    [160, 158, 80, 80],
  );
});

test("the left edge of a cell belongs to it, and the right edge of the last cell does not", () => {
  const { layout } = fitted({}, {}, 30);
  assert.deepEqual(layout.cellAt(0, 0), [0, 0]);
  assert.deepEqual(layout.cellAt(119, 59), [1, 3]);
  assert.equal(layout.cellAt(120, 0), null);
  assert.equal(layout.cellAt(0, 60), null);
  assert.equal(layout.cellAt(0, -1), null);
});

test("heads that are half apart have half of the gap", () => {
  const { layout } = fitted({ groups: 2, spread: true }, {}, 30);
  layout.spread(0.5);
  assert.equal(layout.x(2), 66);
});

test("matrices share even a narrow page if their cells are 22 pixels wide", () => {
  const layouts = [fitted({}, {}, 30).layout, fitted({}, {}, 30).layout];
  const widths = (width) => cellWidths(layouts, [0, 0], width, 0, [0, 0]);
  assert.deepEqual(widths(8 * 22), [22, 22]);
  assert.deepEqual(widths(8 * 21), [42, 42]);
  assert.deepEqual(widths(599), [599 / 8, 599 / 8]);
});

test("on a page of 600 pixels, matrices are side by side if a column has at least a pixel", () => {
  const columns = 300;
  const layouts = [fitted({ columns }, {}, 1).layout, fitted({ columns }, {}, 1).layout];
  const widths = (width) => cellWidths(layouts, [0, 0], width, 0, [0, 0]);
  assert.deepEqual(widths(600), [1, 1]);
  assert.deepEqual(widths(599), [599 / 300, 599 / 300]);
  layouts[0].columns = 301;
  assert.deepEqual(widths(600), [600 / 301, 2]);
});

test("columns with vertical labels share the room that slanted labels would need", () => {
  const labelled = () => fitted({}, { columnLabel: 100 }, 20);
  const { layout, beside } = labelled();
  const width = (pixels) => cellWidths([layout], [beside], pixels, 0, [0])[0];
  assert.equal(width(4 * 20 + 4), 20); // all but 4 pixels are for the four columns
  near(width(4 * 35 + beside), 35); // slanted labels keep their room
  assert.ok(width(4 * 31.9 + beside) < 32); // wider columns would have slanted labels
});

test("a caption can reduce cells to half of their width", () => {
  const layouts = [fitted({}, {}, 30).layout, fitted({ columns: 1 }, {}, 30).layout];
  const widths = (caption) => cellWidths(layouts, [0, 0], 1000, 0, [0, caption])[0];
  assert.equal(widths(200), 200); // the caption is as wide as its column and takes no space
  assert.equal(widths(600), 100);
  assert.equal(widths(601), 200);
});

test("a caption takes room only if it is wider than the labels and cells of its matrix", () => {
  const layouts = [fitted({}, {}, 30).layout, fitted({ columns: 2 }, {}, 30).layout];
  // six columns share 630 - 30 pixels; the second matrix has 30 + 2 · 100
  const widths = (caption) => cellWidths(layouts, [0, 30], 630, 0, [0, caption])[0];
  assert.equal(widths(230), 100);
  assert.equal(widths(234), 99); // (630 - 234) / 4
});
