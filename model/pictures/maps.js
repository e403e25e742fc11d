// The maps of a page without a server, drawn by shared.js, grid.js and matrices.js, which stand before it.
// Whatever a visitor typed is written with textContent or as an attribute, never as HTML.

let attentions, languages, tags, words;
const shown = {}; // kind, layer and head from 0 (null: the mean of all heads), rows

// Show an analysis; what was chosen stays, if this one has it.
function openAnalysis(analysis) {
  ({ attentions, languages, tags, words } = analysis);
  for (const [name, first] of Object.entries(analysis.start)) if (!(name in shown)) shown[name] = first;
  for (const attention of attentions) {
    Object.assign(attention, withMeans(numbersOf(attention.weights), attention.shape));
    attention.languages = attention.sides.map((side) => tags[side]);
    attention.directions = ["inherit", attention.direction];
  }
  offerChoices();
  glance.querySelector("h2").textContent = words["grid.title"];
  glance.querySelector(".caption").textContent = words["offline.hint"];
  document.getElementById("maps").hidden = false;
  draw();
}

// float32, as they are or as base64.
function numbersOf(weights) {
  if (typeof weights !== "string") return weights;
  return new Float32Array(Uint8Array.from(atob(weights), (character) => character.charCodeAt(0)).buffer);
}

// The maps of the heads of each layer, and after them their mean if there are several.
function withMeans(weights, [layers, heads, rows, columns]) {
  if (heads === 1) return { weights, shape: [layers, 1, rows, columns], heads };
  const size = rows * columns;
  const all = new Float32Array(layers * (heads + 1) * size);
  for (let layer = 0; layer < layers; layer++) {
    const maps = weights.subarray(layer * heads * size, (layer + 1) * heads * size);
    const mean = new Float32Array(size);
    maps.forEach((weight, n) => (mean[n % size] += weight / heads));
    all.set(maps, layer * (heads + 1) * size);
    all.set(mean, (layer * (heads + 1) + heads) * size);
  }
  return { weights: all, shape: [layers, heads + 1, rows, columns], heads };
}

// What is shown now

function current() {
  return attentions.find(({ kind }) => kind === shown.kind);
}

function queries(attention) {
  return attention.queries[shown.rows] ?? Object.values(attention.queries)[0];
}

function titleOf({ shape, heads }) {
  if (shape[0] * heads === 1) return words["offline.one_map"];
  return fill(words[shown.head === null ? "map.title_mean" : "map.title_head"], {
    attention: words[`attention.${shown.kind}`],
    layer: shown.layer + 1,
    head: shown.head + 1,
    heads,
  });
}

function captionOf() {
  const text = words[`map.rows.${shown.kind}.${shown.rows}`] ?? words[`map.rows.${shown.kind}`];
  const name = (side) => words[`language.${languages[side] ?? side}`] ?? languages[side];
  return fill(text, { source: name("source"), target: name("target") });
}

// The pictures

const [large, glance] = document.querySelectorAll("#maps section");
const map = new MatricesView(large.querySelector(".scroll"));
const grid = new HeadGrid(glance);

// The cells of one map, row by row; head null: the mean, which is the last of its layer.
function mapOf({ weights, shape: [, maps, rows, columns] }, layer, head) {
  const first = layer * maps + (head ?? maps - 1);
  return weights.subarray(first * rows * columns, (first + 1) * rows * columns);
}

// One map, with its strongest cell framed.
function drawMap() {
  const attention = current();
  const { keys, languages, directions, told, causal } = attention;
  const [, , rows, columns] = attention.shape;
  const rowLabels = queries(attention);
  const isHidden = (n) => causal && n % columns > Math.floor(n / columns);
  const weights = mapOf(attention, shown.layer, shown.head);
  const best = weights.indexOf(weights.reduce((a, b) => Math.max(a, b)));
  const [row, column] = [Math.floor(best / columns), best % columns];
  const title = titleOf(attention);
  large.querySelector("h2").textContent = title;
  large.querySelector(".caption").textContent = captionOf();
  large.querySelector(".readout").replaceChildren(
    token(rowLabels[row], languages[0], told),
    " → ",
    token(keys[column], languages[1], told),
    element("b", {}, weights[best].toFixed(4)),
    ` ${words["offline.strongest"]}`,
  );
  const labels = { rowLabels, columnLabels: keys, languages, directions, told };
  const matrix = { title: words["map.weights"], caption: title, rows, columns, scale: "weights", limit: 1, groups: 1, group: null };
  map.show({
    cells: weights.map((weight, n) => (isHidden(n) ? NaN : weight)), // what is hidden has no number
    matrices: [{ ...matrix, ...labels, large: true, notes: [], frames: [], covered: [] }],
    operators: [],
    links: [],
    picked: [0, row, column],
    largest: 44,
    asTable: words["grid.table"],
  });
}

function drawGrid() {
  const { shape, weights, heads, keys, languages, directions, told } = current();
  glance.hidden = shape[0] * heads === 1;
  const texts = { label: words["grid.title"], table: words["grid.strongest"] };
  for (const name of ["head", "layer_number", "head_number", "open", "strongest"]) texts[name] = words[`grid.${name}`];
  if (heads > 1) Object.assign(texts, { mean: words["view.mean"], open_mean: words["offline.open_mean"] });
  grid.show({
    cells: Uint16Array.from(weights, (weight) => Math.round(weight * UNIT)),
    shape,
    queries: queries(current()),
    ...{ keys, languages, directions, told, texts },
    layer: shown.layer + 1,
    head: (shown.head ?? heads) + 1,
    limit: 1,
    covered: [],
    marks: [],
    letters: [],
  });
}

function draw() {
  rows.hidden = Object.keys(current().queries).length < 2;
  drawMap();
  drawGrid();
}

// The arrows of the grid open each map that they come to.
function openHead(layer, head) {
  shown.layer = layer - 1;
  shown.head = head > current().heads ? null : head - 1;
  grid.select(layer, head);
  drawMap();
}

grid.send = (_, place) => openHead(...place);
grid.grid.addEventListener("focusin", ({ target }) => {
  const { layer, head } = grid.tiles.find(({ tile }) => tile === target);
  openHead(layer, head);
});

// The choices

function choice(name, label, values) {
  const lines = values.map(([value, text]) => {
    const onchange = () => {
      shown[name] = value;
      draw();
    };
    const option = { type: "radio", name, value, checked: shown[name] === value, onchange };
    return element("label", {}, element("input", option), text);
  });
  return element("fieldset", { hidden: values.length < 2 }, element("legend", {}, label), ...lines);
}

let rows;

function offerChoices() {
  const kinds = attentions.map(({ kind }) => [kind, words[`attention.${kind}`]]);
  const [named] = attentions.map(({ queries }) => Object.keys(queries)).sort((a, b) => b.length - a.length);
  rows = choice("rows", words["rows.label"], named.map((name) => [name, words[`rows.${name}`]]));
  document.querySelector(".choices").replaceChildren(choice("kind", words["attention.label"], kinds), rows);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => attentions && draw());
