// Matrices side by side; on paper they are one below the other if they gain numbers by this.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { Matrices } from "../../web/pictures/matrices.js";

const MATRIX = {
  groups: 1,
  group: null,
  large: false,
  spread: false,
  directions: ["ltr", "ltr"],
  rowLabels: [],
  columnLabels: [],
  notes: [],
  covered: [],
  frames: [],
  scale: "weights",
  limit: 1,
  title: "m",
  caption: "",
  languages: [null, null],
  inFull: {},
};

// Draws equal matrices, or those of a list with their differences.
function drawn({
  width = 640,
  isOnPaper = false,
  mark = null,
  operatorWidth = 0,
  height = 900,
  screen = 1280,
  matrices = [{}, {}],
  payload = {},
  ...others
}) {
  const page = new FakePage();
  globalThis.innerHeight = height;
  globalThis.innerWidth = screen;
  globalThis.getComputedStyle = () => ({
    fontSize: "14px",
    fontFamily: "serif",
    getPropertyValue: () => '["#000000", "#ffffff"]',
  });
  document.createElement = ((create) => (name) => {
    const made = create(name);
    const brush = made.getContext();
    brush.createImageData = (w, h) => ({ data: { buffer: new ArrayBuffer(4 * w * h) } });
    brush.putImageData = () => {};
    return Object.assign(made, { offsetWidth: 0 });
  })(document.createElement);
  page.root.toggleAttribute("data-paper", isOnPaper);
  if (mark) page.root.toggleAttribute(mark, true);
  const picture = new Matrices(page.body);
  picture.root.clientWidth = width;
  picture.root.getRootNode = () => ({});
  const sent = [];
  picture.send = (...message) => sent.push(message);
  const made = matrices.map((own) => {
    const matrix = { ...MATRIX, rows: 2, columns: 2, ...others, ...own };
    return { values: new Float32Array(matrix.rows * matrix.columns), ...matrix };
  });
  const show = (more = {}) =>
    picture.show({
      matrices: made,
      operators: Array(made.length - 1).fill("="),
      largest: 44,
      links: [],
      texts: {},
      clickable: true,
      ...payload,
      ...more,
    });
  show();
  for (const map of picture.maps) map.operator.offsetWidth = operatorWidth;
  picture.draw();
  return { page, picture, show, made, sent };
}

const layoutsOf = ({ picture }) => picture.maps.map(({ layout }) => layout);
const cellsOf = ({ count = 2, isOnPaper = true, ...options }) =>
  layoutsOf(drawn({ matrices: Array(count).fill({}), isOnPaper, ...options })).map(
    ({ cellWidth }) => Math.round(cellWidth),
  );

test("on paper matrices with numbers in their cells stay side by side", () => {
  // 4 pixels beside each matrix: 2 · 4 columns share 640 - 8 pixels, and a cell has 44 at most
  assert.deepEqual(cellsOf({ columns: 4, width: 640 }), [44, 44]);
});

test("if cells are too narrow for numbers, matrices go one below the other to gain them", () => {
  // 26 pixels if they were side by side
  assert.deepEqual(cellsOf({ columns: 12, width: 640 }), [44, 44]);
  assert.deepEqual(cellsOf({ columns: 12, width: 640, isOnPaper: false }), [26, 26]);
});

test("if no numbers would be gained, matrices stay side by side", () => {
  // 21 pixels if they were one below the other
  assert.deepEqual(cellsOf({ columns: 30, width: 640 }), [11, 11]);
});

test("a single matrix always has the whole width", () => {
  assert.deepEqual(cellsOf({ columns: 24, width: 640, count: 1 }), [27]);
});

test("small cells get the room of the notes on a narrow page, but not on paper or in a file", () => {
  // 4 pixels are beside the cells, and 10 + 8 for a note of one letter
  const options = { count: 1, notes: ["a", "a"], isOnPaper: false };
  assert.deepEqual(cellsOf({ ...options, columns: 27, width: 600 }), [21]); // 578 / 27
  assert.deepEqual(cellsOf({ ...options, columns: 20, width: 590 }), [28]); // 568 / 20
  assert.deepEqual(cellsOf({ ...options, columns: 27, width: 571 }), [21]); // 567 / 27
  assert.deepEqual(cellsOf({ ...options, columns: 27, width: 571, isOnPaper: true }), [20]);
  assert.deepEqual(cellsOf({ ...options, columns: 27, width: 571, mark: "data-for-file" }), [20]);
});

test("numbers need cells of 30 pixels, so matrices that have them stay side by side", () => {
  // two matrices of 10 columns share 628 - 8 pixels: 31 each; of 608 - 8, 30
  for (const [width, cell] of [
    [628, 31],
    [608, 30],
    [607, 44], // below 30 they go below each other
  ]) {
    assert.deepEqual(cellsOf({ columns: 10, width }), [cell, cell], String(width));
  }
  // 20 columns alone have (604 - 4) / 20 = 30 pixels, and (603 - 4) / 20 less
  assert.deepEqual(cellsOf({ columns: 20, width: 604 }), [30, 30]);
  assert.deepEqual(cellsOf({ columns: 20, width: 603 }), [15, 15]);
});

test("a single matrix keeps its cells, unless they are too narrow for column labels", () => {
  const labels = (n) => ({ count: 1, columns: n, columnLabels: Array(n).fill("a"), width: 640 });
  assert.deepEqual(cellsOf({ ...labels(40), isOnPaper: false }), [16]);
  const options = { ...labels(40), matrices: [{}], isOnPaper: true };
  const [{ hasColumnLabels }] = layoutsOf(drawn(options));
  assert.equal(hasColumnLabels, true);
});

test("matrices whose column labels have no room go below each other on paper", () => {
  const columnLabels = Array(30).fill("");
  // side by side 632 / 60 = 10.5 pixels have no label, below each other 21 have
  assert.deepEqual(cellsOf({ columns: 30, columnLabels }), [21, 21]);
  assert.deepEqual(cellsOf({ columns: 26, columnLabels: Array(26).fill("") }), [12, 12]);
});

test("below each other matrices are together as high as a page of 740 pixels", () => {
  const heightOf = (rows) => {
    const layouts = layoutsOf(drawn({ columns: 12, rows, isOnPaper: true }));
    return layouts.reduce((sum, { height }) => sum + height + 30, 0); // with their captions
  };
  assert.equal(Math.round(heightOf(12)), 740);
  assert.equal(Math.round(heightOf(20)), 740);
  assert.equal(Math.round(heightOf(2)), 2 * (2 * 44 + 2 + 30)); // they need not fill it
  assert.equal(Math.round(heightOf(30)), 2 * (30 * 15 + 2 + 30)); // rows are never lower than 15
});

test("matrices are marked that are below each other on paper, where operators are hidden", () => {
  const isBelow = (options) => {
    const { page, picture } = drawn({ columns: 12, isOnPaper: true, ...options });
    const marks = [picture.row.classList.contains("below")];
    page.root.toggleAttribute("data-paper", false);
    picture.draw();
    return [...marks, picture.row.classList.contains("below")];
  };
  assert.deepEqual(isBelow({}), [true, false]);
  assert.deepEqual(isBelow({ columns: 4 }), [false, false]);
  assert.deepEqual(isBelow({ matrices: [{}] }), [false, false]);
});

test("operators take their width", () => {
  const options = { columns: 20, payload: { largest: 99 } };
  // two matrices: 640 - 8 pixels, and 20 pixels for each of the operators
  const widths = (operatorWidth) => layoutsOf(drawn({ ...options, operatorWidth }))[0].cellWidth;
  assert.equal(widths(0), 632 / 40);
  assert.equal(widths(20), 592 / 40);
});

test("where rows have a lowest height, a vector has room for its numbers", () => {
  const matrices = [{ columns: 32 }, { columns: 1 }, { columns: 32 }];
  const sizes = (width, lowest) =>
    layoutsOf(drawn({ matrices, width, payload: { lowest, largest: 32 } })).map(
      ({ cellWidth, cellHeight }) => [cellWidth, cellHeight].map((n) => Math.round(10 * n) / 10),
    );
  // 4 pixels beside each matrix: 65 columns share 662 - 12 pixels, 10 each
  assert.deepEqual(sizes(662, undefined), [
    [10, 15],
    [10, 15],
    [10, 15],
  ]);
  // the vector takes 26 of the 64 others
  assert.deepEqual(sizes(662, 32), [
    [9.6, 32],
    [36, 32],
    [9.6, 32],
  ]);
  // below each other: 320 / 32
  assert.deepEqual(sizes(324, 32), [
    [10, 18],
    [36, 20],
    [10, 18],
  ]);
});

test("a row has a lowest height, but not where matrices are below each other", () => {
  const rowOf = (width, matrices) => {
    const payload = { lowest: 25 };
    const [layout] = layoutsOf(drawn({ columns: 40, width, payload, matrices }));
    return layout.cellHeight;
  };
  assert.equal(rowOf(600, [{}, {}]), 25);
  assert.equal(rowOf(599, [{}, {}]), 18); // names of rows on a telephone do not touch
  assert.equal(rowOf(599, [{}]), 25);
});

test("a projector doubles cells that may be wider than high", () => {
  const cellOf = (widest, mark) =>
    layoutsOf(drawn({ matrices: [{}], payload: { largest: 44, widest }, mark }))[0].cellWidth;
  assert.deepEqual([cellOf(60), cellOf(60, "data-present")], [60, 120]);
  assert.deepEqual([cellOf(44), cellOf(44, "data-present")], [44, 44]);
  assert.deepEqual([cellOf(), cellOf(undefined, "data-present")], [44, 44]);
});

test("on a projector the rows of a small matrix are 600 pixels high, but at least 15 each", () => {
  const cellOf = (rows, mark) => {
    const options = { matrices: [{}], rows, width: 2000, payload: { largest: 44 }, mark };
    const [{ cellWidth, cellHeight }] = layoutsOf(drawn(options));
    return [cellWidth, cellHeight];
  };
  assert.deepEqual(cellOf(20), [44, 44]);
  assert.deepEqual(cellOf(20, "data-present"), [30, 30]);
  assert.deepEqual(cellOf(40, "data-present"), [15, 15]);
  assert.deepEqual(cellOf(2, "data-present"), [44, 44]);
});

test("a row of a large map is a twenty-seventh of the window, from 24 to 40 pixels", () => {
  const rowOf = (height, mark) => {
    const options = { matrices: [{}], large: true, payload: { largest: 99 }, height, mark };
    return layoutsOf(drawn(options))[0].cellHeight;
  };
  assert.deepEqual([rowOf(810), rowOf(270), rowOf(2700)], [30, 24, 40]);
  for (const mark of ["data-for-file", "data-paper", "data-present"]) {
    assert.equal(rowOf(270, mark), 40, mark);
  }
});

test("low rows are a 33rd of the window, from 18 to 28 pixels, on a phone 18 pixels", () => {
  const rowOf = (height, screen, mark) => {
    const one = { large: true, low: true, payload: { largest: 99 } };
    return layoutsOf(drawn({ matrices: [{}], height, screen, mark, ...one }))[0].cellHeight;
  };
  assert.deepEqual([rowOf(825, 1280), rowOf(270, 1280), rowOf(2700, 1280)], [25, 18, 28]);
  assert.deepEqual([rowOf(844, 390), rowOf(844, 599), rowOf(825, 600)], [18, 18, 25]);
  assert.equal(rowOf(844, 390, "data-for-file"), 40);
});

test("on a phone, rows of matrices below each other fill at most 200 pixels, from 18 to 26 each", () => {
  const rowOf = (rows, screen) =>
    layoutsOf(drawn({ rows, screen, width: 360, payload: { largest: 99 } }))[0].cellHeight;
  assert.deepEqual([rowOf(3, 390), rowOf(10, 390), rowOf(20, 390)], [26, 20, 18]);
  assert.ok(rowOf(3, 1280) > 26);
});

test("before the page is drawn nothing is painted, afterwards every matrix is", () => {
  const { picture, show } = drawn({});
  const painted = () => picture.maps.map(({ canvas }) => canvas.style.width !== undefined);
  for (const { canvas } of picture.maps) canvas.style.width = undefined;
  show();
  picture.paint();
  assert.deepEqual(painted(), [false, false]);
  picture.draw();
  assert.deepEqual(painted(), [true, true]);
});

test("between two matrices is the operator of the second one", () => {
  const { picture, show, made } = drawn({
    matrices: [{}, {}, {}],
    payload: { operators: ["·", "="] },
  });
  assert.deepEqual(
    picture.row.children.map((part) => part.localName + part.textContent.replace(/m /g, "")),
    ["figure", "span·", "figure", "span=", "figure"],
  );
  const [first] = picture.row.children;
  show();
  assert.equal(picture.row.children[0], first);
  assert.equal(picture.row.children.length, 5);
  show({ matrices: made.slice(0, 1), operators: [] });
  assert.deepEqual([picture.maps.length, picture.row.children.length], [1, 1]);
});

test("as many matrices as the payload has are made", () => {
  const { picture } = drawn({ matrices: [{}, {}, {}] });
  assert.deepEqual(
    picture.maps.map(({ index }) => index),
    [0, 1, 2],
  );
});

test("a word lights the matrices of its role, and scrolls to the first after a click", () => {
  const { picture } = drawn({
    matrices: [{ role: "query" }, { role: "key" }, {}, { role: "key" }],
  });
  const scrolled = [];
  picture.maps.forEach(({ figure }, n) => {
    figure.scrollIntoView = ({ block }) => scrolled.push([n, block]);
  });
  const lit = () => picture.maps.map(({ figure }) => figure.classList.contains("lit"));
  const isLighting = () => picture.row.classList.contains("lighting");
  const say = (detail) => dispatchEvent(new CustomEvent("role", { detail }));
  assert.equal(picture.root.dataset.roles, "query key key");
  assert.equal(isLighting(), false);
  say({ role: "key", go: false });
  assert.deepEqual([lit(), isLighting(), scrolled], [[false, true, false, true], true, []]);
  say({ role: "key", go: true });
  assert.deepEqual(scrolled, [[1, "nearest"]]);
  say({ role: "query", go: false });
  assert.deepEqual([lit(), isLighting()], [[true, false, false, false], true]);
  say({ role: "value", go: true }); // of another picture
  assert.deepEqual([lit(), isLighting(), scrolled.length], [Array(4).fill(false), false, 1]);
  say({ role: "", go: false });
  assert.deepEqual([lit(), isLighting()], [Array(4).fill(false), false]);
});

test("the cell under the pointer is outlined, and where it comes from in earlier matrices", () => {
  const links = ["i:", "j:", ":i", ":j", "ij"];
  const { picture } = drawn({ matrices: Array(6).fill({}), payload: { links, clicked: null } });
  const outlined = () => picture.maps.map((map) => picture.outlinedIn(map));
  assert.deepEqual(outlined(), Array(6).fill(undefined));
  picture.hovered = [5, 0, 1];
  assert.deepEqual(outlined(), [
    { row: 0 },
    { row: 1 },
    { column: 0 },
    { column: 1 },
    { row: 0, column: 1 },
    { row: 0, column: 1 },
  ]);
  picture.hovered = [2, 1, 0]; // a cell of an operand: no other is outlined
  assert.deepEqual(outlined().map(Boolean), [false, false, true, false, false, false]);
});

test("without a pointer the clicked cell is outlined, and the arrow keys begin there", () => {
  const { picture } = drawn({ payload: { clicked: [1, 0, 1] } });
  const [first, second] = picture.maps;
  assert.deepEqual(picture.outlinedIn(second), { row: 0, column: 1 });
  assert.deepEqual([picture.currentCellOf(first), picture.currentCellOf(second)], [null, [0, 1]]);
  picture.hovered = [0, 1, 1];
  assert.deepEqual([picture.currentCellOf(first), picture.currentCellOf(second)], [[1, 1], null]);
});

test("a tip names the cell under the pointer, and is hidden beside the cells", () => {
  const { picture } = drawn({});
  picture.tip.hidden = true;
  const [, map] = picture.maps;
  const event = { clientX: 5, clientY: 5 };
  picture.hover(map, [1, 0], event);
  assert.deepEqual([picture.tip.hidden, picture.hovered], [false, [1, 1, 0]]);
  assert.equal(picture.tip.textContent, "m [1, 0] = 0");
  assert.ok(picture.tip.style.top);
  picture.tip.style.top = "";
  picture.hover(map, null, event);
  assert.deepEqual([picture.tip.hidden, picture.hovered], [true, null]);
  assert.equal(picture.tip.style.top, "");
});

test("a chosen cell is said, outlined and sent", () => {
  const { picture, sent } = drawn({});
  picture.choose(picture.maps[1], [1, 0]);
  assert.deepEqual(sent, [["click", [1, 1, 0]]]);
  assert.equal(picture.live.textContent, "m [1, 0] = 0");
  assert.deepEqual(picture.payload.clicked, [1, 1, 0]);
});

test("each matrix is a table, too", () => {
  const values = Float32Array.of(0.5, 1, 2, NaN);
  const { picture } = drawn({
    matrices: [{ values, rowLabels: ["q", "r"], columnLabels: ["k", "l"], caption: "of a head" }],
  });
  const [table] = picture.tables();
  assert.equal(table.querySelector("caption").textContent, "m of a head");
  assert.deepEqual(
    table.querySelectorAll("tr").map((row) => row.children.map((cell) => cell.textContent)),
    [
      ["", "k", "l"],
      ["q", "0.5", "1"],
      ["r", "2", ""],
    ],
  );
});
