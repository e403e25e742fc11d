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

test("cells lie right of the row labels and below the column labels", () => {
  const { layout } = layoutOf();
  assert.equal(layout.left, 48);
  assert.equal(layout.top, 22 + 20); // column labels, numbers of the heads
  assert.deepEqual(layout.boxOf({ row: 1, column: 2 }), { x: 108, y: 72, width: 30, height: 30 });
});

test("heads that are pulled apart have a gap between them", () => {
  const { layout } = layoutOf();
  layout.spread(1);
  assert.deepEqual(
    [0, 1, 2, 3].map((column) => layout.x(column)),
    [48, 78, 120, 150],
  );
  assert.equal(layout.boxOf({ row: 0 }).width, 4 * 30 + 12);
});

test("every point of a cell finds the cell, a point beside them none", () => {
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

test("labels that are wider than their column turn, and stand upright over narrow cells", () => {
  const wide = { rowLabel: 40, columnLabel: 80, note: null };
  assert.ok(Math.abs(layoutOf({}, wide).layout.labelAngle - (40 * Math.PI) / 180) < 1e-9);
  const { layout } = layoutOf({}, wide);
  layout.fit(20, 44);
  assert.equal(layout.labelAngle, Math.PI / 2);
  layout.fit(11, 44);
  assert.equal(layout.hasColumnLabels, false);
});

test("matrices share a wide page and lie below each other on a narrow one", () => {
  const layouts = [layoutOf().layout, layoutOf().layout];
  assert.deepEqual(cellWidths(layouts, [100, 100], 1000, 40, [80, 80]), [95, 95]);
  assert.deepEqual(cellWidths(layouts, [100, 100], 300, 40, [80, 80]), [50, 50]);
});

test("a matrix that is narrower than its caption leaves less space to the others", () => {
  const layouts = [layoutOf().layout, layoutOf({ columns: 1, groups: 1 }).layout];
  // 1000 - 40 pixels: the second takes 400 for its caption, the first 100 and four columns
  const widths = cellWidths(layouts, [100, 100], 1000, 40, [80, 400]);
  assert.deepEqual(widths, [115, 115]);
  assert.ok(100 + 4 * widths[0] + 400 + 40 <= 1000);
  // a caption that would take nearly everything is broken instead
  assert.deepEqual(cellWidths(layouts, [100, 100], 1000, 40, [80, 900]), [152, 152]);
});
