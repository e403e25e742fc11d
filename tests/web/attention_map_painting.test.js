// The positions at which a matrix is painted, recorded by a fake brush.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeBrush, FakePage } from "./page.js";
import {
  longestLabel,
  NUMBERS_FROM,
  paintMatrix,
  roomIn,
} from "../../web/pictures/attention_map_painting.js";
import { MapLayout } from "../../web/pictures/map_layout.js";

const { root } = new FakePage();
const STYLE = {
  font: "serif",
  ink: "black",
  paper: "white",
  accent: "red",
  groups: ["blue", "green"],
};
const BLACK = 0xff000000;
const WHITE = 0xffffffff;
const COLOURS = {
  of: (value) => (value > 0.5 ? BLACK : WHITE),
  colours: Array.from({ length: 256 }, (_, n) => n), // only the red channel
};
const MATRIX = {
  rows: 2,
  columns: 4,
  groups: 1,
  group: null,
  large: false,
  spread: false,
  directions: ["ltr", "ltr"],
  rowLabels: ["a", "b"],
  columnLabels: ["c", "d", "e", "f"],
  notes: [],
  covered: [],
  frames: [],
  asks: false,
  values: [0, 0.25, 0.5, 1, 1, 0, 0, 0],
  scale: "weights",
  limit: 1,
  title: "weights",
};

// Cells are 40 pixels wide and high. The first cell begins at (18, 22).
function painted(changes = {}, { cell = 40, leftOut = [], hasNotes = true, outlined } = {}) {
  const matrix = { ...MATRIX, ...changes };
  const layout = new MapLayout(matrix);
  const isNamed = matrix.notes.length > 0;
  layout.measure({ rowLabel: 10, columnLabel: 10, note: isNamed ? 30 : null });
  layout.fit(cell, 44);
  if (matrix.spread) layout.spread(1);
  const brush = new FakeBrush();
  const map = { matrix, layout, style: STYLE, colours: COLOURS, image: {}, hasNotes, leftOut };
  paintMatrix(brush, map, outlined);
  return brush;
}

// The same with cells of any size, however narrow: the layout is not fitted to a screen.
function paintedWithCells(cellWidth, cellHeight, { changes = {}, outlined } = {}) {
  const matrix = { ...MATRIX, ...changes };
  const layout = Object.assign(new MapLayout(matrix), { cellWidth, cellHeight });
  const brush = new FakeBrush();
  const map = {
    matrix,
    layout,
    style: STYLE,
    colours: COLOURS,
    image: {},
    hasNotes: true,
    leftOut: [],
  };
  paintMatrix(brush, map, outlined);
  return brush;
}

const textOf = (brush, text) => brush.all("fillText").find((each) => each.text === text);
const boxes = (brush, what, colour) =>
  brush
    .all(what)
    .filter(
      ({ fillStyle, strokeStyle }) => colour === (what === "fillRect" ? fillStyle : strokeStyle),
    )
    .map(({ box }) => box);

test("a label is at most 110 pixels long on a page, and complete in a file", () => {
  assert.equal(longestLabel(), 110);
  root.toggleAttribute("data-for-file", true);
  assert.equal(longestLabel(), Infinity);
  root.toggleAttribute("data-for-file", false);
});

test("cells from 14 pixels have lines around them, and cells from 30 pixels have a number", () => {
  assert.equal(NUMBERS_FROM, 30);
  const room = (cellWidth, cellHeight) => {
    const { lines, numbers } = roomIn({ cellWidth, cellHeight });
    return [lines, numbers];
  };
  assert.deepEqual(room(13, 40), [false, false]);
  assert.deepEqual(room(40, 13), [false, false]);
  assert.deepEqual(room(14, 14), [true, false]);
  assert.deepEqual(room(29, 14), [true, false]);
  assert.deepEqual(room(30, 14), [true, true]);
});

test("a narrow cell that is 40 pixels high has a turned number", () => {
  const room = (cellWidth, cellHeight) => {
    const { numbers, turned } = roomIn({ cellWidth, cellHeight });
    return [numbers, turned];
  };
  assert.deepEqual(room(14, 39), [false, false]);
  assert.deepEqual(room(13, 40), [false, false]);
  assert.deepEqual(room(14, 40), [true, true]);
  assert.deepEqual(room(29, 40), [true, true]);
  assert.deepEqual(room(30, 40), [true, false]);
});

test("cells that a page enlarges to 30 pixels of the screen have a number, but no smaller ones", () => {
  const hasNumbers = (cellWidth, zoom) => roomIn({ cellWidth, cellHeight: 20 }, zoom).numbers;
  assert.deepEqual([hasNumbers(20, 1.5), hasNumbers(19, 1.5)], [true, false]);
  assert.deepEqual([hasNumbers(30, 0.5), hasNumbers(29, 0.5)], [true, false]);
});

test("row labels end 6 pixels before the cells; column labels are centred above them", () => {
  const brush = painted();
  const [a, b] = [textOf(brush, "a"), textOf(brush, "b")];
  assert.deepEqual([a.x, a.y, a.textAlign, a.font], [12, 42, "right", "14px serif"]);
  assert.equal(b.y, 82);
  const places = brush.all("translate").map(({ x, y }) => [x, y]);
  assert.deepEqual(places, [
    [38, 14],
    [78, 14],
    [118, 14],
    [158, 14],
  ]);
  assert.equal(brush.all("rotate").length, 0);
  assert.equal(textOf(brush, "c").textAlign, "center");
});

test("labels of narrow columns are rotated and smaller, but a single character is upright", () => {
  const brush = painted({ columnLabels: ["long", "longer", "你", "."] }, { cell: 13 });
  assert.deepEqual(
    brush.all("rotate").map(({ angle }) => angle),
    [-Math.PI / 2, -Math.PI / 2],
  );
  assert.equal(textOf(brush, "你").textAlign, "center");
  const label = textOf(brush, "long");
  assert.equal(label.font, "10.4px serif"); // 80 % of 13 pixels
  assert.equal(label.textAlign, "left");
});

test("notes begin 8 pixels after the cells, beside their rows, and are faint", () => {
  const brush = painted({ notes: ["Σ 1", "Σ 2"] });
  const [first, second] = [textOf(brush, "Σ 1"), textOf(brush, "Σ 2")];
  assert.deepEqual([first.x, first.y, second.x, second.y], [18 + 4 * 40 + 8, 42, 186, 82]);
  assert.deepEqual([first.globalAlpha, first.textAlign, first.font], [0.65, "left", "12px serif"]);
  assert.equal(textOf(brush, "0.25").globalAlpha, 1);
});

test("notes without room are not painted", () => {
  const brush = painted({ notes: ["Σ 1", "Σ 2"] }, { hasNotes: false });
  assert.equal(textOf(brush, "Σ 1"), undefined);
});

test("a worksheet has no notes and no numbers; without cells, it has an empty grid", () => {
  const noNumbers = painted({ notes: ["Σ 1", "Σ 2"] }, { leftOut: ["numbers"] });
  assert.deepEqual(
    noNumbers.all("fillText").map(({ text }) => text),
    ["a", "b", "c", "d", "e", "f"],
  );
  const noCells = painted({ frames: [[0, 0]] }, { leftOut: ["cells"] });
  assert.equal(noCells.all("drawImage").length, 0);
  assert.deepEqual(boxes(noCells, "strokeRect", "black").slice(0, 2), [
    [18, 22, 40, 40],
    [58, 22, 40, 40],
  ]);
  assert.equal(noCells.all("strokeRect").length, 8);
  assert.equal(noCells.all("strokeRect")[0].lineWidth, 1);
});

test("the image of the cells fills their box; it is smoothed if a cell is below a pixel", () => {
  const brush = painted();
  assert.deepEqual(brush.all("drawImage")[0].numbers, [0, 0, 4, 2, 18, 22, 160, 80]);
  assert.equal(brush.imageSmoothingEnabled, false);
  assert.equal(painted({}, { cell: 1 }).imageSmoothingEnabled, false);
  assert.equal(painted({}, { cell: 0.9 }).imageSmoothingEnabled, true);
  assert.equal(brush.all("fillText")[0].globalAlpha, 1);
});

test("hidden cells are hatched with faint slanting lines, 6 pixels apart", () => {
  const [hatching] = painted({ values: [0, 0.25, 0.5, NaN, 1, 0, 0, 0] }).all("stroke");
  assert.equal(hatching.globalAlpha, 0.35);
  assert.equal(hatching.lineWidth, 1);
  const { path } = hatching;
  assert.deepEqual(path.slice(0, 4), [
    [18.5 - 79, 101.5], // half a pixel inside the cells
    [18.5, 22.5],
    [18.5 - 73, 101.5],
    [24.5, 22.5],
  ]);
  assert.equal(path.length, 2 * 40); // a line every 6 pixels, from -79 to 159
});

test("below cells that are all visible there is no hatching, which would show at their edges", () => {
  assert.equal(painted().all("stroke").length, 0);
});

test("cells that ask to be chosen are framed buttons, and the outlined one is filled", () => {
  const values = Array(8).fill(NaN);
  const brush = painted({ asks: true, values }, { outlined: { row: 0, column: 1 } });
  assert.equal(brush.all("drawImage").length, 0);
  assert.equal(brush.all("stroke").length, 0); // no hatching: nothing is hidden
  const frames = brush.all("strokeRect").filter(({ lineWidth }) => lineWidth === 1);
  assert.equal(frames.length, 8);
  assert.deepEqual(frames[0].box, [18 + 1.5, 22 + 1.5, 37, 37]); // a gap around each cell
  const filled = brush.all("fillRect").filter(({ fillStyle }) => fillStyle === "red");
  assert.deepEqual(
    filled.map(({ box }) => box),
    [[58 + 1.5, 22 + 1.5, 37, 37]],
  );
});

test("heads are painted one after another, and other heads are faint if one is highlighted", () => {
  const parts = (changes) => painted({ groups: 2, spread: true, ...changes }).all("drawImage");
  assert.deepEqual(
    parts().map(({ numbers }) => numbers),
    [
      [0, 0, 2, 2, 18, 42, 80, 80],
      [2, 0, 2, 2, 18 + 80 + 12, 42, 80, 80],
    ],
  );
  assert.deepEqual(
    parts().map(({ globalAlpha }) => globalAlpha),
    [1, 1],
  );
  assert.deepEqual(
    parts({ group: 1 }).map(({ globalAlpha }) => globalAlpha),
    [0.35, 1],
  );
});

test("above each head is a bar in its colour, with the number of the head if there is room", () => {
  const brush = painted({ groups: 2, spread: true });
  assert.deepEqual(boxes(brush, "fillRect", "blue"), [[18, 37, 79, 4]]);
  assert.deepEqual(boxes(brush, "fillRect", "green"), [[110, 37, 79, 4]]);
  const two = textOf(brush, "2");
  assert.deepEqual([two.x, two.y, two.textAlign], [150, 30, "center"]);
  assert.ok(textOf(painted({ groups: 2 }, { cell: 6 }), "2"));
  assert.equal(textOf(painted({ groups: 2 }, { cell: 5.9 }), "2"), undefined);
  assert.deepEqual(boxes(painted(), "fillRect", "blue"), []); // a single head needs no bar
});

test("colours repeat if there are more heads than colours", () => {
  assert.equal(boxes(painted({ groups: 4 }), "fillRect", "green").length, 2);
});

test("lines between cells have the background colour of the page", () => {
  assert.deepEqual(boxes(painted(), "fillRect", "white"), [
    [18, 61.5, 160, 1],
    [57.5, 22, 1, 80],
    [97.5, 22, 1, 80],
    [137.5, 22, 1, 80],
  ]);
  const [across] = boxes(painted({ groups: 2, spread: true }), "fillRect", "white");
  assert.equal(across[2], 160 + 12);
});

test("numbers are in the middle of their cells, in a readable colour", () => {
  const brush = painted({ values: [0, 0.25, 0.5, 1, 0.75, -Infinity, 0, 0] });
  const quarter = textOf(brush, "0.25");
  assert.deepEqual([quarter.x, quarter.y, quarter.textAlign], [78, 42, "center"]);
  assert.equal(quarter.fillStyle, "#14161c");
  assert.equal(quarter.font, "14px serif"); // 1.4 · 40 pixels for 4 letters
  const second = textOf(brush, "0.75");
  assert.deepEqual([second.x, second.y, second.fillStyle], [38, 82, "#ffffff"]);
  assert.equal(textOf(brush, "−∞").fillStyle, "black");
});

test("letters are lower than their cells; numbers are at least a third of a high cell", () => {
  const low = painted({ rows: 100 }, { cell: 30 }); // rows are 6.4 pixels high
  assert.equal(textOf(low, "a").font, "5.4px serif");
  const high = painted({}, { cell: 300 });
  assert.equal(textOf(high, "a").font, "14px serif");
  assert.equal(textOf(high, "0.25").font, `${44 / 3}px serif`); // the row is 44 pixels high
});

test("numbers of heads and labels of columns have a fixed distance to the cells", () => {
  const brush = painted({ groups: 2 });
  assert.equal(textOf(brush, "1").font, "12px serif");
  const { y } = brush.all("translate")[0];
  assert.equal(y, 42 - 20 - 8); // the numbers of heads take 20 pixels
  const { x, y: shift } = textOf(brush, "c");
  assert.deepEqual([x, shift], [0, 0]); // the brush was moved to this point
});

test("names of rows and columns are written in their own direction", () => {
  const directions = [];
  class Brush extends FakeBrush {
    fillText(text) {
      directions.push([text, this.direction]);
    }
  }
  const matrix = { ...MATRIX, directions: ["rtl", "ltr"], notes: [], values: [] };
  const layout = new MapLayout(matrix);
  layout.measure({ rowLabel: 10, columnLabel: 10, note: null });
  layout.fit(40, 44);
  const map = {
    matrix,
    layout,
    style: STYLE,
    colours: COLOURS,
    image: {},
    hasNotes: true,
    leftOut: [],
  };
  paintMatrix(new Brush(), map, undefined);
  assert.deepEqual(Object.fromEntries(directions).a, "rtl");
  assert.deepEqual(Object.fromEntries(directions).c, "ltr");
});

test("all numbers are as small as the longest number needs", () => {
  const brush = painted({ values: [12345678, 0, 0, 0, 0, 0, 0, 0] });
  assert.equal(textOf(brush, "12345678").font, "7px serif"); // 1.4 · 40 pixels for 8 letters
});

test("a large or sparse map leaves out numbers below a twentieth of its limit", () => {
  const values = [0.04, 0.05, 0.5, 1, 1, -0.06, 0, 0];
  for (const kind of ["large", "sparse"]) {
    const texts = painted({ values, [kind]: true })
      .all("fillText")
      .map(({ text }) => text);
    assert.ok(!texts.includes("0.04"));
    assert.ok(texts.includes("0.05"));
    assert.ok(texts.includes("−0.06"));
  }
});

test("a sparse map has all its numbers on paper, which has no tips", () => {
  const values = [0.04, 0.05, 0.5, 1, 1, -0.06, 0, 0];
  document.documentElement.toggleAttribute("data-paper", true);
  const texts = painted({ values, sparse: true })
    .all("fillText")
    .map(({ text }) => text);
  document.documentElement.removeAttribute("data-paper");
  assert.ok(texts.includes("0.04"));
});

test("where the pattern of the colours matters, cells have no numbers", () => {
  const values = [0.1, 0.2, 0.5, 1, 1, 0.6, 0.3, 0];
  const numbers = (pattern) => painted({ values, pattern }).all("fillText").length;
  assert.equal(numbers(false) - numbers(true), values.length);
});

test("below a large map are its name and a colour bar of 160 pixels with three numbers", () => {
  const brush = painted({ large: true, scaled: true, limit: 2, title: "norms" });
  const lower = 22 + 2 * 40; // lower edge of the cells
  const name = textOf(brush, "norms");
  assert.deepEqual([name.x, name.y, name.font], [18, lower + 18, "12px serif"]);
  const ends = brush.all("fillText").slice(-3);
  assert.deepEqual(
    ends.map(({ text, x, y, textAlign }) => [text, x, y, textAlign]),
    [
      ["0", 78, lower + 34, "left"], // 18, the name of 50 pixels, and 10
      ["1", 158, lower + 34, "center"],
      ["2", 238, lower + 34, "right"],
    ],
  );
  const bar = brush.all("fillRect").slice(-80);
  assert.deepEqual(bar[0].box, [78, lower + 14, 160, 8]); // the next ones cover most of it
  assert.deepEqual(bar.at(-1).box, [78 + 158, lower + 14, 2, 8]);
  assert.equal(bar[0].fillStyle, "rgb(0,0,0)");
  assert.equal(bar[40].fillStyle, "rgb(128,0,0)");
  // the bar is narrower than 160 pixels; the next rectangle is a line
  assert.equal(brush.all("fillRect").at(-81).box[3], 80);
});

test("of columns that count on, the first and every second one has its label", () => {
  const texts = painted({ numbered: true }, { cell: 12 }).all("fillText");
  assert.deepEqual(
    texts.map(({ text }) => text).filter((text) => "cdef".includes(text)),
    ["c", "e"],
  );
});

test("a small matrix has a colour bar if it is scaled", () => {
  const bar = (changes) => painted(changes).all("fillText").at(-1).text;
  assert.equal(bar({ scaled: true, scale: "signed" }), "1.0");
  assert.notEqual(bar({ scale: "signed" }), "1.0");
});

test("signed numbers begin at the negative limit, and a limit of 1 has one decimal", () => {
  const ends = (changes) =>
    painted({ large: true, scaled: true, ...changes })
      .all("fillText")
      .slice(-3)
      .map(({ text }) => text);
  assert.deepEqual(ends({ scale: "signed" }), ["−1.0", "0.0", "1.0"]);
  assert.deepEqual(ends({}), ["0.0", "0.5", "1.0"]);
  assert.deepEqual(ends({ scale: "signed", limit: 3 }), ["−3", "0", "3"]);
});

test("a covered row is completely grey and has a frame", () => {
  const brush = painted({ covered: [1] });
  assert.deepEqual(boxes(brush, "fillRect", "#8b8f98"), [[18, 62, 160, 40]]);
  assert.deepEqual(boxes(brush, "strokeRect", "red"), [[17.5, 61.5, 161, 41]]);
});

test("a frame is half a pixel outside its cell, row or column, also around narrow ones", () => {
  const [frame] = painted({ frames: [[1, 2]] }).all("strokeRect");
  assert.deepEqual(frame.box, [97.5, 61.5, 41, 41]);
  assert.equal(frame.lineWidth, 2.5);
  const outlined = (which, cell) => painted({}, { outlined: which, cell }).all("strokeRect")[0].box;
  assert.deepEqual(outlined({ column: 1 }), [57.5, 21.5, 41, 81]);
  assert.deepEqual(outlined({ row: 0 }), [17.5, 21.5, 161, 41]);
  const isSeen = outlined({ row: 0, column: 0 }, 1);
  // 3 pixels of the cell and 1 around it; rows are higher
  assert.deepEqual([isSeen[2], isSeen[3]], [4, 16]);
});

test("an image is smooth only where a cell is less than a pixel wide or high", () => {
  const isSmooth = (cellWidth, cellHeight) =>
    paintedWithCells(cellWidth, cellHeight).imageSmoothingEnabled;
  assert.deepEqual([isSmooth(1, 1), isSmooth(0.9, 1), isSmooth(1, 0.9)], [false, true, true]);
});

test("labels of columns have at most 14 pixels", () => {
  const fontAt = (cell) => textOf(painted({}, { cell }), "c").font;
  assert.deepEqual([fontAt(23), fontAt(40)], ["14px serif", "14px serif"]); // 80 % of 23 are 18
});

test("numbers leave a pixel above and below them, and fit into the width of their cell", () => {
  const changes = { values: [7, 1, 1, 1, 1, 1, 1, 1] };
  const sizeAt = (cellWidth, cellHeight) =>
    textOf(paintedWithCells(cellWidth, cellHeight, { changes }), "7").font;
  assert.equal(sizeAt(30, 15), "13px serif");
  assert.equal(sizeAt(30, 30), "14px serif");
});

test("a twentieth of the limit is written in a large map, less is not", () => {
  const values = [0.05, 0.049, 1, 1, 1, 1, 1, 1];
  const brush = painted({ large: true, scaled: true, values });
  assert.ok(textOf(brush, "0.05"));
  const texts = brush.all("fillText").filter(({ text }) => text === "0.05");
  assert.equal(texts.length, 1);
});

test("an outline is at least three pixels wide and high", () => {
  const outlined = { row: 0, column: 0 };
  const outlineOf = (cellWidth, cellHeight) => {
    const brush = paintedWithCells(cellWidth, cellHeight, { outlined });
    return boxes(brush, "strokeRect", "red")[0].slice(2);
  };
  assert.deepEqual(outlineOf(1, 2), [4, 4]);
  assert.deepEqual(outlineOf(5, 6), [6, 7]);
});
