// One matrix of two rows and three columns. Its cells begin at (10, 20) and are 30 by 8 pixels.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakePage } from "./page.js";
import { AttentionMap } from "../../web/pictures/attention_map.js";

let now = 0;
mock.method(performance, "now", () => now);

const MATRIX = {
  rows: 2,
  columns: 3,
  groups: 1,
  group: null,
  large: false,
  spread: false,
  directions: ["ltr", "ltr"],
  rowLabels: ["q", "r"],
  columnLabels: ["k", "l", "m"],
  notes: [],
  covered: [],
  frames: [],
  values: [0, 0.125, 0.25, 0.5, 0.75, 1],
  scale: "weights",
  limit: 1,
  title: "Weights",
  caption: "of a head",
  languages: ["en", "fr"],
  inFull: {},
};

// A matrix on a page, and what it tells the row of matrices.
function shown({ isClickable = false, operator = "", page = new FakePage(), ...changes } = {}) {
  globalThis.getComputedStyle = () => ({
    fontSize: "15px",
    getPropertyValue: () => '["#000000", "#ffffff"]',
  });
  document.createElement = ((create) => (name) => {
    const made = create(name);
    const brush = made.getContext();
    brush.createImageData = (w, h) => ({ data: { buffer: new ArrayBuffer(4 * w * h) } });
    brush.putImageData = () => {};
    return made;
  })(document.createElement);
  const told = [];
  const row = {
    style: { font: "serif", ink: "black", paper: "white", accent: "red", groups: ["#111111"] },
    current: null,
    live: page.add("div"),
    hover: (_, cell, event) => told.push(["hover", cell, event]),
    choose: (_, cell) => told.push(["choose", cell]),
    currentCellOf: () => row.current,
    outlinedIn: () => undefined,
  };
  const map = new AttentionMap(row, 0);
  const set = (more = {}) => map.set({ ...MATRIX, ...changes, ...more }, isClickable, operator);
  set();
  map.measure(row.style);
  map.colour(getComputedStyle());
  map.layout.fit(30, 8);
  Object.assign(map.layout, { left: 10, top: 20, cellHeight: 8, width: 200 });
  map.canvas.box = { left: 100, top: 50, width: 200, height: 40 };
  const toldBy = (name) => told.filter(([each]) => each === name).map(([, ...rest]) => rest);
  return { page, map, row, set, told, all: toldBy };
}

const texts = (parts) => parts.map((part) => part.textContent ?? part).join("");

test("the caption has the title in bold, and a hint after it", () => {
  const { map } = shown({ hint: "Click on a cell." });
  assert.equal(map.caption.textContent, "Weights of a head Click on a cell.");
  assert.equal(map.caption.querySelector("strong").textContent, "Weights");
  assert.equal(map.caption.querySelector(".hint").textContent, "Click on a cell.");
  assert.equal(map.canvas.ariaLabel, "Weights of a head Click on a cell.");
  assert.equal(shown().map.caption.textContent, "Weights of a head");
});

test("an operator is beside the matrix, a role gives it a colour, and a large map is wide", () => {
  const { map } = shown({ operator: "=", role: "query", large: true, scaled: true });
  assert.equal(map.operator.textContent, "=");
  assert.equal(map.figure.style["--role"], "var(--role-query)");
  assert.ok(map.figure.classList.contains("full"));
  const other = shown().map;
  assert.equal(other.figure.style["--role"], "currentColor");
  assert.ok(!other.figure.classList.contains("full"));
});

test("the pointer says whether cells can be clicked", () => {
  assert.equal(shown({ isClickable: true }).map.canvas.style.cursor, "pointer");
  assert.equal(shown().map.canvas.style.cursor, "default");
});

test("a canvas can be reached by keys", () => {
  assert.equal(shown().map.canvas.tabIndex, 0);
});

// The cell at a point of the canvas.
function hovered({ map, told }, x, y) {
  map.canvas.onpointermove({ clientX: 100 + x, clientY: 50 + y });
  return told.at(-1)[1];
}

test("the row learns which cell is under the pointer, or that there is none", () => {
  const state = shown();
  assert.deepEqual(hovered(state, 11, 21), [0, 0]);
  assert.deepEqual(hovered(state, 71, 29), [1, 2]);
  assert.equal(hovered(state, 9, 21), null);
  assert.equal(hovered(state, 11, 19), null);
  assert.equal(hovered(state, 101, 21), null);
  assert.equal(hovered(state, 11, 37), null);
});

test("on a canvas that the browser has shrunk to a half, a cell has half its size, too", () => {
  const state = shown();
  state.map.canvas.box.width = 100;
  assert.deepEqual(hovered(state, 36, 15), [1, 2]); // (72, 30) of the whole canvas
  assert.deepEqual(hovered(state, 19, 13), [0, 0]);
});

test("the row learns that the pointer or the focus has left", () => {
  const { map, told } = shown();
  map.canvas.onpointerleave("left");
  map.canvas.onblur("blurred");
  assert.deepEqual(told, [
    ["hover", null, "left"],
    ["hover", null, "blurred"],
  ]);
});

test("a cell without a number is readable only if it can be clicked and is not covered", () => {
  const values = [NaN, 1, 2, NaN, 4, 5];
  const states = [{}, { isClickable: true }].map((more) =>
    shown({ values, covered: [1], ...more }),
  );
  assert.deepEqual(
    states.map((state) => hovered(state, 11, 21)),
    [null, [0, 0]],
  );
  assert.deepEqual(
    states.map((state) => hovered(state, 11, 29)),
    [null, null],
  );
  assert.deepEqual(
    states.map((state) => hovered(state, 41, 29)),
    [
      [1, 1],
      [1, 1],
    ],
  );
});

test("a click chooses a cell if cells can be chosen, or else shows its number", () => {
  const click = (state, x) => {
    state.map.canvas.onclick({ clientX: 100 + x, clientY: 71 });
    return state.told.at(-1).slice(0, 2);
  };
  const clickable = shown({ isClickable: true });
  assert.deepEqual(click(clickable, 41), ["choose", [0, 1]]);
  assert.deepEqual(click(clickable, 5), ["hover", null]);
  assert.deepEqual(click(shown(), 41), ["hover", [0, 1]]);
});

// Presses a key in a cell. Returns whether the page may scroll, and what was told.
function press(key, { cell = [0, 1], ...changes } = {}) {
  const { map, row, told, page } = shown(changes);
  row.current = cell;
  let mayScroll = true;
  map.canvas.onkeydown({ key, preventDefault: () => (mayScroll = false) });
  return { mayScroll, told, page, live: row.live, map };
}

test("arrow keys go from cell to cell, and say which it is", () => {
  const { mayScroll, told, live } = press("ArrowDown");
  assert.equal(mayScroll, false);
  const [[, cell, place]] = told;
  assert.deepEqual(cell, [1, 1]);
  // the middle of the cell, at (10 + 30 + 15, 20 + 8 + 4) of a canvas at (100, 50)
  assert.deepEqual(place, { top: 78, bottom: 86, clientX: 155, clientY: 82 });
  assert.equal(live.textContent, "Weights [r, l] = 0.75");
  assert.deepEqual(press("ArrowRight").told[0][1], [0, 2]);
  assert.deepEqual(press("ArrowLeft").told[0][1], [0, 0]);
  assert.deepEqual(press("ArrowUp", { cell: [1, 2] }).told[0][1], [0, 2]);
  assert.deepEqual(press("ArrowRight", { cell: null }).told[0][1], [0, 1]); // from the first one
  assert.deepEqual(press("ArrowDown", { cell: null }).told[0][1], [1, 0]);
});

test("at the edge of the matrix an arrow does nothing", () => {
  const { mayScroll, told } = press("ArrowUp");
  assert.deepEqual([mayScroll, told], [false, []]);
});

test("hidden cells are passed over", () => {
  assert.deepEqual(
    press("ArrowRight", { cell: [0, 0], values: [0, NaN, 2, 3, 4, 5] }).told[0][1],
    [0, 2],
  );
});

test("in a matrix from right to left the left arrow goes to the next column", () => {
  const fromRight = { directions: ["ltr", "rtl"] };
  assert.deepEqual(press("ArrowLeft", fromRight).told[0][1], [0, 2]);
  assert.deepEqual(press("ArrowRight", fromRight).told[0][1], [0, 0]);
});

test("Enter and the space bar choose a cell that can be clicked", () => {
  for (const key of ["Enter", " "]) {
    const { mayScroll, told } = press(key, { isClickable: true });
    assert.deepEqual([mayScroll, told], [false, [["choose", [0, 1]]]]);
    assert.deepEqual(press(key, { isClickable: true, cell: null }).told, [["choose", [0, 0]]]);
    const other = press(key);
    assert.deepEqual([other.mayScroll, other.told], [true, []]);
  }
  const other = press("a", { isClickable: true });
  assert.deepEqual([other.mayScroll, other.told], [true, []]);
});

test("a cell is described by title, labels in full, and number", () => {
  const inFull = { l: "the whole label" };
  const { map } = shown({ inFull });
  const parts = map.describe(0, 1);
  assert.equal(texts(parts), "Weights [q, the whole label] = 0.125");
  assert.deepEqual([parts[1].lang, parts[3].lang], ["en", "fr"]);
});

test("rows and columns without labels have numbers from 0", () => {
  const { map } = shown({ rowLabels: [], columnLabels: [] });
  assert.equal(texts(map.describe(1, 2)), "Weights [1, 2] = 1");
});

test("a tour finds a row on the screen, also on a canvas of half its size", () => {
  const { map } = shown();
  map.canvas.box.width = 100;
  const { top, bottom, clientX, clientY } = map.canvas.rowAt(1);
  assert.deepEqual([top, bottom], [50 + 14, 50 + 18]);
  assert.deepEqual([clientX, clientY], [100 + 12.5, 66]); // of the first column
});

test("what is left out is left out of a worksheet, whose cells have little room here", () => {
  const { map } = shown();
  map.canvas.leaveOut(["cells"]);
  assert.deepEqual(map.leftOut, ["cells"]);
  assert.deepEqual(map.canvas.room(), { lines: false, numbers: false, turned: false });
  map.layout.cellHeight = 30;
  assert.deepEqual(map.canvas.room(), { lines: true, numbers: true, turned: false });
});

test("cells without a number have no colour", () => {
  const { map } = shown({ values: [0, NaN, 1, Infinity, 1, 1] });
  const black = 0xff000000;
  assert.deepEqual([...map.image.cells.colours], [black, 0, 0xffffffff, 0, 0xffffffff, 0xffffffff]);
});

test("room beside the cells is for the longest labels and notes, ten pixels a letter", () => {
  const { map, row } = shown({
    rowLabels: ["ab", "abcd"],
    columnLabels: [],
    notes: ["a note", "b"],
  });
  // 40 and 60 pixels with a distance of 8 each, and 4
  assert.equal(map.measure(row.style), 40 + 8 + 60 + 8 + 4);
  assert.equal(map.canvas.getContext().font, "14px serif");
  const bare = shown({ rowLabels: [], columnLabels: [] });
  assert.equal(bare.map.measure(bare.row.style), 4);
  const empty = shown({ rowLabels: ["", ""], columnLabels: [] });
  assert.equal(empty.map.measure(empty.row.style), 8 + 4);
});

test("notes that have no room beside the rows are in the descriptions of the cells", () => {
  const { map, row } = shown({ rowLabels: [], columnLabels: [], notes: ["H 1.33", ""] });
  assert.equal(texts(map.describe(0, 1)), "Weights [0, 1] = 0.125");
  assert.equal(map.measure(row.style, false), 4);
  assert.equal(texts(map.describe(0, 1)), "Weights [0, 1] = 0.125 · H 1.33");
  assert.equal(texts(map.describe(1, 1)), "Weights [1, 1] = 0.75"); // a row without a note
});

test("a label has at most 110 pixels, in a file any number", () => {
  const label = "abcdefghijklmnopqrst"; // 200 pixels
  const { map, row, page } = shown({ rowLabels: [label, ""], columnLabels: [] });
  assert.equal(map.measure(row.style), 110 + 8 + 4);
  page.root.toggleAttribute("data-for-file", true);
  assert.equal(map.measure(row.style), 200 + 8 + 4);
});

test("a caption is measured in the font of the page; that of a large map is not", () => {
  const { map, row } = shown();
  assert.equal(map.captionWidth(row.style), 170); // "Weights of a head"
  assert.equal(map.canvas.getContext().font, "bold 15px serif");
  const large = shown({ large: true, scaled: true });
  assert.equal(large.map.captionWidth(large.row.style), 0);
});

test("the canvas has the width of its layout, and is painted in it", () => {
  const { map } = shown();
  map.paint();
  assert.equal(map.canvas.style.width, "200px");
  const labels = map.canvas.brush.all("fillText").map(({ text }) => text);
  assert.deepEqual(labels, ["q", "r", "k", "l", "m"]);
});

test("new numbers get new colours", () => {
  const { map } = shown();
  map.replace({ ...MATRIX, values: [1, 0, 0, 0, 0, 0] }, getComputedStyle());
  assert.equal(map.image.cells.colours[0], 0xffffffff);
  assert.equal(map.numberAt(0, 0), 1);
});

const HEADS = { spread: true, groups: 3 };
const gapAt = ({ page, map }, milliseconds) => {
  now = milliseconds;
  page.frames.splice(0).forEach((act) => act(milliseconds));
  return map.layout.gap;
};

test("heads are together for 0.4 seconds, and apart 0.9 seconds later", () => {
  now = 0;
  const state = shown(HEADS);
  assert.deepEqual(
    [0, 400, 625, 850, 1400].map((at) => gapAt(state, at)),
    [0, 0, 12 * 0.15625, 6, 12], // t² (3 - 2t) for t = 0.25 and 0.5
  );
  assert.equal(state.page.frames.length, 0);
  assert.ok(state.map.canvas.style.width);
});

test("before the page has measured the matrices, nothing is painted", () => {
  now = 0;
  const state = shown(HEADS);
  state.row.style = null;
  assert.equal(gapAt(state, 850), 6);
  assert.equal(state.map.canvas.style.width, undefined);
});

test("heads are apart at once for a visitor who wants no motion or has seen it", () => {
  now = 0;
  const still = new FakePage();
  still.isStill = true;
  assert.equal(shown({ ...HEADS, page: still }).map.layout.gap, 12);
  const { map, set } = shown(HEADS);
  set();
  assert.equal(map.layout.gap, 12);
  set({ title: "Other" });
  assert.equal(map.layout.gap, 0);
});

test("the motion ends when the matrix is shown without separate heads", () => {
  now = 0;
  const state = shown(HEADS);
  state.set({ spread: false });
  gapAt(state, 850);
  assert.deepEqual([state.map.layout.gap, state.page.frames.length], [0, 0]);
});
