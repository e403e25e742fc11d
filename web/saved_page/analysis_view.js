// The maps of a page without a server, drawn by the scripts that stand before it.

import { MatricesView } from "../pictures/attention_map.js";
import { element, token } from "../pictures/elements.js";
import { HeadGrid } from "../pictures/head_grid.js";
import { LinesView } from "../pictures/head_lines.js";
import { UNIT } from "../pictures/packed_numbers.js";
import { fill } from "../pictures/texts.js";

let attentions, languages, tags, words, css, offers;
export const shown = { panel: "map" }; // kind, layer and head from 0 (null: all heads together), rows, panel
export const page = {
  changed: () => draw(), // after a choice
  drawn() {}, // after the large map
  open: null, // what a click on a cell of a head does, with row and column
};

// Show an analysis; what was chosen stays, if this one has it.
export function openAnalysis(analysis) {
  ({ attentions, languages, tags, words, css, offers = {} } = analysis);
  for (const [name, first] of Object.entries(analysis.start))
    if (!(name in shown)) shown[name] = first;
  for (const attention of attentions) {
    if (!attention.heads) {
      const bytes = Uint8Array.from(atob(attention.weights), (character) =>
        character.charCodeAt(0),
      ); // of base64
      Object.assign(attention, withMeans(new Float32Array(bytes.buffer), attention.shape));
    }
    attention.languages = attention.sides.map((side) => tags[side]);
    attention.directions = ["inherit", attention.direction];
  }
  offerChoices();
  glance.querySelector("h2").textContent = words["grid.title"];
  glance.querySelector(".caption").textContent = words["offline.hint"];
  document.getElementById("maps").hidden = false;
  draw();
}

// The maps of the heads of each layer, and after them their mean if there are several.
export function withMeans(weights, [layers, heads, rows, columns]) {
  if (heads === 1) return { weights, shape: [layers, 1, rows, columns], heads };
  const size = rows * columns;
  const all = new Float32Array(layers * (heads + 1) * size);
  weights.forEach((weight, n) => {
    const layer = Math.floor(n / (heads * size));
    all[n + layer * size] = weight;
    all[(layer * (heads + 1) + heads) * size + (n % size)] += weight / heads;
  });
  return { weights: all, shape: [layers, heads + 1, rows, columns], heads };
}

export const current = () => attentions.find(({ kind }) => kind === shown.kind);
export const queries = (attention) =>
  attention.queries[shown.rows] ?? Object.values(attention.queries)[0];
const ofWeights = () => (shown.cells ?? "weights") === "weights";

// What the strongest colour stands for.
const limitOf = ({ weights }) => (ofWeights() ? 1 : weights.reduce((a, b) => Math.max(a, b)));

function titleOf({ shape, heads }) {
  if (shape[0] * heads === 1) return words["offline.one_map"];
  const together = ofWeights() ? "mean" : "sum";
  return fill(words[`map.title_${shown.head === null ? together : "head"}`], {
    attention: words[`attention.${shown.kind}`],
    layer: shown.layer + 1,
    head: shown.head + 1,
    heads,
  });
}

// A language by its name, or by its code; one that is not known by its side.
export const languageIn = (words, language, side) =>
  words[`language.${language ?? side}`] ?? language;

function captionOf() {
  const text = words[`map.rows.${shown.kind}.${shown.rows}`] ?? words[`map.rows.${shown.kind}`];
  const name = (side) => languageIn(words, languages[side], side);
  const cells = ofWeights() ? "" : ` ${words[`map.cells.${shown.cells}`]}`;
  return fill(text, { source: name("source"), target: name("target") }) + cells;
}

export const large = document.querySelector("#maps .large");
const glance = document.querySelector("#maps .glance");
const scroll = large.querySelector(".scroll");
const lines = large.querySelector(".lines");
const map = new MatricesView(scroll);
const grid = new HeadGrid(glance);
map.send = (_, [, row, column]) => page.open(row, column);

// The cells of one map, row by row; head null: all together, which is the last of its layer.
export function mapOf({ weights, shape: [, maps, rows, columns] }, layer, head) {
  const first = layer * maps + (head ?? maps - 1);
  return weights.subarray(first * rows * columns, (first + 1) * rows * columns);
}

// One map, with its strongest cell framed, or the lines of its layer.
function drawLarge() {
  const attention = current();
  const { keys, languages, told } = attention;
  const weights = mapOf(attention, shown.layer, shown.head);
  const best = weights.indexOf(weights.reduce((a, b) => Math.max(a, b)));
  const [row, column] = [Math.floor(best / keys.length), best % keys.length];
  large.querySelector("h2").textContent = titleOf(attention);
  large.querySelector(".caption").textContent = captionOf();
  large
    .querySelector(".readout")
    .replaceChildren(
      token(queries(attention)[row], languages[0], told),
      " → ",
      token(keys[column], languages[1], told),
      element("b", {}, weights[best].toFixed(4)),
      ` ${words["offline.strongest"]}`,
    );
  scroll.hidden = shown.panel !== "map";
  lines.hidden = !scroll.hidden;
  if (lines.hidden) drawMap(attention, weights, [row, column]);
  else drawLines(attention);
  page.drawn();
}

function drawMap(attention, weights, strongest) {
  const { keys, languages, directions, told, causal } = attention;
  const isHidden = (n) => causal && n % keys.length > Math.floor(n / keys.length);
  const matrix = {
    title: words[ofWeights() ? "map.weights" : `cells.${shown.cells}`],
    caption: titleOf(attention),
    ...{ rowLabels: queries(attention), columnLabels: keys, languages, directions, told },
    ...{ scale: "weights", limit: limitOf(attention), large: true },
    values: weights.map((weight, n) => (isHidden(n) ? NaN : weight)), // what is hidden has no number
  };
  const pickable =
    Boolean(page.open) && ofWeights() && shown.head !== null && shown.unit === "subwords";
  showMatrices(map, [matrix], { picked: [0, ...strongest], pickable });
}

export function showMatrices(view, matrices, picks) {
  const whole = matrices.map((matrix) => {
    const [rows, columns] = [
      matrix.rowLabels.length,
      matrix.values.length / matrix.rowLabels.length,
    ];
    return {
      rows,
      columns,
      groups: 1,
      group: null,
      large: false,
      notes: [],
      frames: [],
      covered: [],
      ...matrix,
    };
  });
  view.show({
    matrices: whole,
    operators: ["→"],
    links: [],
    largest: 44,
    asTable: words["grid.table"],
    ...picks,
  });
}

// A component in a root of its own: its styles are for nothing else.
export function inOwnRoot(Component, host, styles) {
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  return new Component(root);
}

// As wide as its token is high is 1, or the largest sum of a row.
function drawLines(attention) {
  lines.view ??= inOwnRoot(LinesView, lines, css.lines);
  const {
    heads,
    shape: [, , rows, columns],
  } = attention;
  const cells = Array.from({ length: heads }, (_, head) => [
    ...mapOf(attention, shown.layer, head),
  ]).flat();
  const sums = new Float32Array(heads * rows);
  cells.forEach((value, n) => (sums[Math.floor(n / columns)] += value));
  const limit = ofWeights() ? 1 : Math.max(...sums);
  const texts = { query: words["map.query"], key: words["map.key"], table: words["grid.table"] };
  texts.head_number = words["grid.head_number"];
  for (const name of ["heads", "all", "least", "count"]) texts[name] = words[`lines.${name}`];
  lines.view.show({
    ...{ ...attention, queries: queries(attention), limit, texts },
    shape: [1, heads, rows, columns],
    cells: wholeNumbers(cells, limit),
    head: shown.head === null ? null : shown.head + 1,
  });
}

const wholeNumbers = (cells, limit) =>
  Uint16Array.from(cells, (value) => Math.round((value / limit) * UNIT));

function drawGrid() {
  const { shape, weights, heads } = current();
  glance.hidden = shape[0] * heads === 1;
  const texts = { label: words["grid.title"], table: words["grid.strongest"] };
  for (const name of ["head", "layer_number", "head_number", "open", "strongest"])
    texts[name] = words[`grid.${name}`];
  const [mean, open_mean] = ofWeights()
    ? ["view.mean", "offline.open_mean"]
    : ["offline.together", "offline.open_together"];
  if (shape[1] > heads) Object.assign(texts, { mean: words[mean], open_mean: words[open_mean] });
  const limit = limitOf(current());
  grid.show({
    ...{ marks: [], ...current(), queries: queries(current()), limit, texts },
    cells: wholeNumbers(weights, limit),
    layer: shown.layer + 1,
    head: (shown.head ?? heads) + 1,
    covered: [],
    letters: [],
  });
}

export function draw() {
  for (const each of document.querySelectorAll(".choices fieldset"))
    each.hidden =
      each.name === "rows" ? Object.keys(current().queries).length < 2 : each.elements.length < 2;
  drawLarge();
  drawGrid();
}

// The arrows of the grid open each map that they come to.
function openHead({ layer, head }) {
  shown.layer = layer - 1;
  shown.head = head > current().heads ? null : head - 1;
  grid.select(layer, head);
  drawLarge();
}

grid.send = (_, [layer, head]) => openHead({ layer, head });
grid.grid.addEventListener("focusin", ({ target }) => openHead(grid.itemOf(target)));

function choice(name, values) {
  const group = name === "kind" ? "attention" : name; // of words
  const options = values.map((value) => {
    const input = element("input", { type: "radio", name, value, checked: shown[name] === value });
    return element("label", {}, input, words[`${group}.${value}`]);
  });
  const onchange = ({ target }) => {
    shown[name] = target.value;
    page.changed(name);
  };
  return element(
    "fieldset",
    { name, onchange },
    element("legend", {}, words[`${group}.label`]),
    ...options,
  );
}

function offerChoices() {
  const [named] = attentions
    .map(({ queries }) => Object.keys(queries))
    .sort((a, b) => b.length - a.length);
  const all = {
    kind: attentions.map(({ kind }) => kind),
    rows: named,
    panel: ["map", "lines"],
    ...offers,
  };
  const focused = document.activeElement?.matches?.(".choices input") && document.activeElement;
  document
    .querySelector(".choices")
    .replaceChildren(...Object.entries(all).map((of) => choice(...of)));
  if (focused) document.querySelector(`.choices input[name="${focused.name}"]:checked`)?.focus();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => attentions && draw());
