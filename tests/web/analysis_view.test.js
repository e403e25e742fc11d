// A saved page: two layers of two heads, in which two target tokens look at three source tokens.

import assert from "node:assert/strict";
import test from "node:test";

import { pageOfPictures } from "./saved_pictures.js";
import { AnalysisView } from "../../web/saved_page/analysis_view.js";

const WORDS = {
  "grid.title": "All heads",
  "grid.table": "as a table",
  "grid.strongest": "strongest cells",
  "grid.head": "head",
  "grid.layer_number": "layer {n}",
  "grid.head_number": "head {n}",
  "grid.open": "open {layer}.{head}",
  "offline.hint": "Choose a head.",
  "offline.strongest": "is the strongest",
  "offline.one_map": "The map",
  "offline.together": "sum",
  "offline.open_mean": "open the mean of {layer}",
  "offline.open_together": "open the sum of {layer}",
  "view.mean": "mean",
  "tools.sheet_title": "Worksheet",
  "map.title_head": "{attention}, layer {layer}, head {head}",
  "map.title_mean": "{attention}, layer {layer}, mean of {heads}",
  "map.title_sum": "{attention}, layer {layer}, sum of {heads}",
  "map.rows.cross": "{target} looks at {source}.",
  "map.rows.cross.read": "{target} as read looks at {source}.",
  "map.rows.encoder_self": "{source} looks at itself.",
  "map.weights": "weights",
  "map.cells.norms": "Cells are norms.",
  "map.query": "query",
  "map.key": "key",
  "cells.norms": "norms",
  "attention.cross": "Cross-attention",
  "attention.encoder_self": "Self-attention",
  "lines.heads": "heads",
  "lines.all": "all",
  "lines.least": "least",
  "lines.count": "{n} of {all}",
  "language.en": "English",
  "language.fr": "French",
};

function packed(weights) {
  const bytes = new Uint8Array(Float32Array.from(weights).buffer);
  return btoa(String.fromCharCode(...bytes));
}

// Rows of the heads 1.1, 1.2, 2.1 and 2.2
const CROSS = [
  [0.5, 0.25, 0.25],
  [0.125, 0.125, 0.75],
  [1, 0, 0],
  [0, 1, 0],
  [0.25, 0.25, 0.5],
  [0, 0, 1],
  [0.75, 0.25, 0],
  [0.5, 0.5, 0],
];

function cross(changes = {}) {
  return {
    kind: "cross",
    weights: packed(CROSS.flat()),
    shape: [2, 2, 2, 3],
    queries: { written: ["il", "court"], read: ["<bos>", "il"] },
    keys: ["he", "runs", "<eos>"],
    sides: ["target", "source"],
    direction: "ltr",
    inFull: {},
    causal: false,
    ...changes,
  };
}

const SELF = [1, 0, 0, 0.5, 0.5, 0, 0.25, 0.25, 0.5];

// Four equal heads.
function self() {
  return {
    ...cross(),
    kind: "encoder_self",
    weights: packed([...SELF, ...SELF, ...SELF, ...SELF]),
    shape: [2, 2, 3, 3],
    queries: { read: ["he", "runs", "<eos>"] },
    sides: ["source", "source"],
  };
}

const oneMap = (changes) => ({ ...self(), weights: packed(SELF), shape: [1, 1, 3, 3], ...changes });

// Opens an analysis on a page with the elements of a saved page.
function opened({ shown = {}, hooks = {}, ...changes } = {}) {
  const page = pageOfPictures();
  page.addHtml("saved_page/maps.html");
  const node = document.querySelector("#maps");
  const drawn = [];
  const view = new AnalysisView(node, {
    texts: () => ({ sentence: "he runs", target: "il court" }),
    onDrawn: () => drawn.push(view.title),
    ...hooks,
  });
  Object.assign(view.shown, shown);
  const analysis = {
    attentions: [cross(), self()],
    start: { kind: "cross", layer: 0, head: 1, rows: "written" },
    languages: { source: "en", target: "fr" },
    tags: { source: "en", target: "fr" },
    words: WORDS,
    css: { lines: "b {}" },
    offers: {},
    ...changes,
  };
  view.open(analysis);
  const text = (selector) => node.querySelector(selector).textContent;
  const map = () => view.map.maps[0];
  const choose = (name, value) => {
    const group = node.querySelectorAll("fieldset").find((each) => each.name === name);
    group.onchange({ target: { value } });
  };
  return { page, node, view, drawn, text, map, choose };
}

test("the map of the chosen head is shown, with its title and its caption", () => {
  const { node, text, map, drawn } = opened();
  assert.equal(node.hidden, false);
  assert.equal(text(".large h2"), "Cross-attention, layer 1, head 2");
  assert.equal(text(".large .caption"), "French looks at English.");
  assert.deepEqual([...map().matrix.values], [1, 0, 0, 0, 1, 0]);
  assert.deepEqual([map().matrix.title, map().matrix.limit], ["weights", 1]);
  assert.deepEqual(map().names, [
    ["il", "court"],
    ["he", "runs", "<eos>"],
  ]);
  assert.deepEqual(map().matrix.languages, ["fr", "en"]);
  assert.deepEqual(map().matrix.directions, ["inherit", "ltr"]);
  assert.equal(map().matrix.large, true);
  assert.equal(map().canvas.ariaLabel, "weights Cross-attention, layer 1, head 2");
  assert.deepEqual(drawn, ["Cross-attention, layer 1, head 2"]);
  assert.deepEqual([text(".glance h2"), text(".glance .caption")], ["All heads", "Choose a head."]);
});

test("the strongest cell of the map is named below it and outlined", () => {
  const { text, view } = opened({ start: { kind: "cross", layer: 0, head: 0, rows: "written" } });
  assert.equal(text(".readout"), "court → <eos>0.7500 is the strongest");
  assert.deepEqual(view.map.payload.clicked, [0, 1, 2]);
  const [query, key] = view.large.querySelectorAll(".readout bdi");
  assert.deepEqual([query.lang, key.lang], ["fr", "en"]);
});

test("all heads of a layer together are their mean", () => {
  const { text, map } = opened({ start: { kind: "cross", layer: 1, head: null, rows: "read" } });
  assert.equal(text(".large h2"), "Cross-attention, layer 2, mean of 2");
  assert.equal(text(".large .caption"), "French as read looks at English.");
  assert.deepEqual([...map().matrix.values], [0.5, 0.25, 0.25, 0.25, 0.25, 0.5]);
  assert.deepEqual(map().names[0], ["<bos>", "il"]);
});

test("other numbers than weights are summed, and the largest one has the last colour", () => {
  const offers = { cells: ["weights", "norms"] };
  const start = { kind: "cross", layer: 0, head: null, rows: "written", cells: "norms" };
  const weights = packed(CROSS.flat().map((n) => 4 * n));
  const { text, map, view } = opened({ offers, start, attentions: [cross({ weights })] });
  assert.equal(text(".large h2"), "Cross-attention, layer 1, sum of 2");
  assert.equal(text(".large .caption"), "French looks at English. Cells are norms.");
  assert.deepEqual([map().matrix.title, map().matrix.limit], ["norms", 4]);
  const means = view.grid.grid.querySelectorAll(".mean");
  assert.deepEqual([means.length, means[0].textContent], [1, "sum"]);
  assert.equal(view.grid.tiles[2].face.ariaLabel, "open the sum of 1");
  assert.equal(view.grid.payload.cells[0], 32768); // 4 · 0.5 of 4, rounded
});

test("the grid has all heads and their means, with the chosen one pressed", () => {
  const { view } = opened();
  const { tiles, payload } = view.grid;
  assert.deepEqual(
    tiles.map(({ face }) => face.ariaLabel),
    ["open 1.1", "open 1.2", "open the mean of 1", "open 2.1", "open 2.2", "open the mean of 2"],
  );
  const pressed = () => tiles.map(({ face }) => face.ariaPressed).indexOf(true);
  assert.equal(pressed(), 1);
  assert.deepEqual([payload.layer, payload.head, payload.limit], [1, 2, 1]);
  assert.deepEqual(payload.cells.slice(0, 3), Uint16Array.of(32768, 16384, 16384));
  const mean = opened({ start: { kind: "cross", layer: 1, head: null, rows: "read" } });
  assert.deepEqual([mean.view.grid.payload.layer, mean.view.grid.payload.head], [2, 3]);
  assert.deepEqual(mean.view.grid.payload.queries, ["<bos>", "il"]);
});

test("a click on a head in the grid opens the head, and one on a mean opens the mean", () => {
  const { view, text } = opened();
  view.grid.send("click", [2, 1]);
  assert.equal(text(".large h2"), "Cross-attention, layer 2, head 1");
  assert.deepEqual([view.shown.layer, view.shown.head], [1, 0]);
  assert.equal(view.grid.tiles[3].face.ariaPressed, true);
  view.grid.send("click", [1, 3]);
  assert.equal(text(".large h2"), "Cross-attention, layer 1, mean of 2");
  assert.equal(view.shown.head, null);
});

test("a head that is focused by arrow keys opens, too", () => {
  const { view, text } = opened();
  const event = new Event("focusin");
  Object.defineProperty(event, "target", { value: view.grid.tiles[4].face });
  view.grid.grid.dispatchEvent(event);
  assert.equal(text(".large h2"), "Cross-attention, layer 2, head 2");
});

test("choices are offered where there are several", () => {
  const { node, choose, text } = opened({ offers: { unit: ["subwords"] } });
  const offered = () =>
    node
      .querySelectorAll("fieldset")
      .map((group) => `${group.name} ${group.hidden ? "hidden" : "shown"}`);
  assert.deepEqual(offered(), ["kind shown", "rows shown", "panel shown", "unit hidden"]);
  choose("kind", "encoder_self");
  assert.deepEqual(offered(), ["kind shown", "rows hidden", "panel shown", "unit hidden"]);
  assert.equal(text(".large .caption"), "English looks at itself.");
});

test("rows are offered all labels that one of the attentions has, whichever comes first", () => {
  for (const attentions of [
    [cross(), self()],
    [self(), cross()],
  ]) {
    const { node } = opened({ attentions });
    const [rows] = node.querySelectorAll("fieldset").filter(({ name }) => name === "rows");
    assert.deepEqual(
      rows.elements.map(({ value }) => value),
      ["written", "read"],
    );
  }
});

test("rows have the labels that the attention has, if it lacks the chosen ones", () => {
  const { view } = opened({ shown: { kind: "encoder_self", layer: 0, head: 0 } });
  assert.deepEqual(view.queries, ["he", "runs", "<eos>"]);
});

test("earlier choices stay when another analysis is opened", () => {
  const { view, text } = opened({ shown: { head: 0 } });
  assert.equal(text(".large h2"), "Cross-attention, layer 1, head 1");
  view.open({ ...view.analysis, start: { kind: "cross", layer: 1, head: 1, rows: "read" } });
  assert.equal(text(".large h2"), "Cross-attention, layer 1, head 1");
});

test("a view says what it offers, so that a link can be read", () => {
  const { view } = opened({ offers: { cells: ["weights", "norms"] } });
  assert.deepEqual(view.offered, {
    layers: 2,
    heads: 2,
    kind: ["cross", "encoder_self"],
    rows: ["written", "read", "read"],
    panel: ["map", "lines"],
    cells: ["weights", "norms"],
  });
});

test("a page may ask for other numbers after a choice instead of drawing", () => {
  const names = [];
  const { choose, drawn, view } = opened({ hooks: { onChoice: (name) => names.push(name) } });
  choose("rows", "read");
  assert.deepEqual([names, drawn.length, view.shown.rows], [["rows"], 1, "read"]);
});

test("a single map has no grid and no heads in its title", () => {
  const { text, node, view } = opened({
    attentions: [oneMap()],
    start: { kind: "encoder_self", layer: 0, head: 0, rows: "read" },
  });
  assert.equal(text(".large h2"), "The map");
  assert.equal(node.querySelector(".glance").hidden, true);
  assert.equal(opened().node.querySelector(".glance").hidden, false);
  assert.equal(view.grid.tiles.length, 1); // no mean of one head
});

test("one head in each of two layers has a grid without means", () => {
  const weights = packed(CROSS.slice(0, 4).flat());
  const { text, node, view } = opened({
    attentions: [cross({ weights, shape: [2, 1, 2, 3] })],
    start: { kind: "cross", layer: 1, head: 0, rows: "written" },
  });
  assert.equal(text(".large h2"), "Cross-attention, layer 2, head 1");
  assert.equal(node.querySelector(".glance").hidden, false);
  assert.deepEqual(
    view.grid.tiles.map(({ face }) => face.ariaLabel),
    ["open 1.1", "open 2.1"],
  );
});

test("keys after the query are hidden in a causal map", () => {
  const { map } = opened({
    attentions: [oneMap({ causal: true })],
    start: { kind: "encoder_self", layer: 0, head: 0, rows: "read" },
  });
  assert.deepEqual([...map().matrix.values], [1, NaN, NaN, 0.5, 0.5, NaN, 0.25, 0.25, 0.5]);
});

test("cells open only if they are weights of one head between subwords", () => {
  const cells = [];
  const hooks = { onOpenCell: (...cell) => cells.push(cell) };
  const start = { kind: "cross", layer: 0, head: 1, rows: "written", unit: "subwords" };
  const isClickable = (more, own = hooks) =>
    opened({ hooks: own, start: { ...start, ...more } }).map().isClickable;
  assert.equal(isClickable({}), true);
  assert.equal(isClickable({}, {}), false);
  assert.equal(isClickable({ head: null }), false);
  assert.equal(isClickable({ unit: "words" }), false);
  assert.equal(isClickable({ cells: "norms" }), false);
  opened({ hooks, start }).view.map.send("click", [0, 1, 2]);
  assert.deepEqual(cells, [[1, 2]]);
});

test("instead of the map the lines of its layer are shown, in a root of their own", () => {
  const { node, view, choose } = opened();
  const isHidden = (selector) => node.querySelector(selector).hidden;
  assert.deepEqual([isHidden(".large .scroll"), isHidden(".lines")], [false, true]);
  assert.equal(isHidden(".sheet button"), false);
  choose("panel", "lines");
  assert.deepEqual([isHidden(".large .scroll"), isHidden(".lines")], [true, false]);
  assert.equal(isHidden(".sheet button"), true);
  const { payload, shownHeads } = view.lines;
  assert.deepEqual(payload.shape, [1, 2, 2, 3]);
  assert.equal(payload.limit, 1);
  assert.deepEqual([...payload.cells.subarray(0, 3)], [32768, 16384, 16384]);
  assert.deepEqual([...payload.cells.subarray(6, 8)], [65535, 0]); // two cells of the second head
  assert.deepEqual(shownHeads, [1]);
  assert.deepEqual(payload.queries, ["il", "court"]);
  const [sheet] = node.querySelector(".lines").shadowRoot.adoptedStyleSheets;
  assert.equal(sheet.text, "b {}");
  const { lines } = view;
  view.openHead(2, 3);
  assert.deepEqual([view.lines === lines, view.lines.shownHeads], [true, [0, 1]]);
  assert.equal(payload.texts.head_number, "head {n}");
});

test("lines of other numbers are as wide as the largest sum of a row", () => {
  const weights = packed(CROSS.flat().map((n, at) => (at < 3 ? 4 * n : n)));
  const { view } = opened({
    attentions: [cross({ weights })],
    shown: { panel: "lines" },
    offers: { cells: ["weights", "norms"] },
    start: { kind: "cross", layer: 0, head: 0, rows: "written", cells: "norms" },
  });
  assert.equal(view.lines.payload.limit, 4); // 2 + 1 + 1
  assert.equal(view.lines.payload.cells[0], 32768);
});

test("the pictures are drawn again when the page becomes light or dark", () => {
  const { page, drawn } = opened();
  page.onScheme();
  assert.equal(drawn.length, 2);
});

test("before an analysis is open, nothing is drawn when the page becomes light or dark", () => {
  const page = pageOfPictures();
  page.addHtml("saved_page/maps.html");
  new AnalysisView(document.querySelector("#maps"), { texts: () => ({}) });
  page.onScheme();
  assert.equal(document.querySelector("#maps").hidden, true);
});

test("the button of the worksheet offers the parts of the map", () => {
  const { node } = opened();
  document.createElement = (
    (create) => (name) =>
      Object.assign(create(name), { showModal() {} })
  )(document.createElement);
  const button = node.querySelector(".sheet button");
  assert.equal(button.textContent, "Worksheet");
  button.click();
  const boxes = document.querySelectorAll("dialog input");
  assert.deepEqual(
    boxes.map(({ name }) => name),
    ["map", "numbers", "grid", "lines"],
  );
});

test("maps that were computed on the page are taken as they are", () => {
  const weights = Float32Array.of(1, 0, 0, 0, 1, 0, 0.5, 0.5, 0, 0, 0, 1);
  const attention = cross({ weights, shape: [1, 2, 2, 3], heads: 1 });
  const { map, view } = opened({
    attentions: [attention],
    start: { kind: "cross", layer: 0, head: null, rows: "written" },
  });
  assert.equal(view.current.weights, weights);
  assert.deepEqual([...map().matrix.values], [0.5, 0.5, 0, 0, 0, 1]);
});
