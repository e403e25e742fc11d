// The maps of an offline page; shared.js stands before it. Whatever a visitor typed is written with
// textContent or as an attribute, never as HTML.

const { attentions, start, languages, tags, words } = JSON.parse(document.getElementById("analysis").textContent);
const shown = { ...start }; // kind, layer and head from 0 (null: the mean of all heads), rows

for (const attention of attentions) {
  const bytes = Uint8Array.from(atob(attention.weights), (character) => character.charCodeAt(0));
  attention.cells = new Float32Array(bytes.buffer);
  [attention.layers, attention.heads, attention.rows, attention.columns] = attention.shape;
  attention.fromRight = attention.direction === "rtl";
  attention.languages = attention.sides.map((side) => tags[side]);
}

// What is shown now

function current() {
  return attentions.find(({ kind }) => kind === shown.kind);
}

function queries(attention) {
  return attention.queries[shown.rows] ?? Object.values(attention.queries)[0];
}

// The cells of one head, row by row; of the mean where the head is null.
function mapOf({ cells, heads, rows, columns }, layer, head) {
  const size = rows * columns;
  const map = (n) => cells.subarray((layer * heads + n) * size, (layer * heads + n + 1) * size);
  if (head !== null) return map(head);
  const all = Array.from({ length: heads }, (_, n) => map(n));
  return Array.from({ length: size }, (_, cell) => all.reduce((sum, one) => sum + one[cell], 0) / heads);
}

function isHidden({ causal }, row, column) {
  return causal && column > row;
}

function title(attention) {
  if (attention.layers * attention.heads === 1) return words["offline.one_map"];
  return fill(words[shown.head === null ? "map.title_mean" : "map.title_head"], {
    attention: words[`attention.${shown.kind}`],
    layer: shown.layer + 1,
    head: shown.head + 1,
    heads: attention.heads,
  });
}

function caption(attention) {
  const name = (side) => words[`language.${languages[side]}`] ?? languages[side] ?? words[`language.${side}`];
  const text = words[`map.rows.${shown.kind}.${shown.rows}`] ?? words[`map.rows.${shown.kind}`];
  return fill(text, { source: name("source"), target: name("target") });
}

// Drawing

function colours() {
  return palette(getComputedStyle(document.documentElement), "sequential");
}

// What is hidden stays empty. The style sheet makes the cells larger; where there are more of them than
// pixels on the screen they are mixed, so that none is lost.
function paint(canvas, attention, map, colours) {
  const { rows, columns, fromRight } = attention;
  const isShown = (cell) => !isHidden(attention, Math.floor(cell / columns), cell % columns);
  const colourOf = (cell) => (isShown(cell) ? colours[Math.round(255 * Math.min(1, map[cell]))] : 0);
  const crowded = canvas.clientWidth * devicePixelRatio < columns || canvas.clientHeight * devicePixelRatio < rows;
  canvas.style.imageRendering = crowded ? "auto" : "";
  paintMap(canvas, [rows, columns], fromRight, colourOf);
}

// The large map

class LargeMap {
  constructor() {
    this.title = element("h2");
    this.caption = element("p", "caption");
    this.readout = element("output", "readout");
    this.readout.setAttribute("aria-live", "polite");
    this.scroll = element("div", "scroll");
    this.twin = new Twin(() => [this.table()]); // all that the picture shows, for those who do not see it
    this.box = element("section", "large");
    this.box.append(this.title, this.caption, this.readout, this.scroll, legend(), this.twin.details);
  }

  // Labels and cells anew: another kind of attention, or other names for the rows.
  build() {
    const attention = current();
    const { rows, columns, keys, languages, told } = attention;
    this.frame = element("div", "map");
    this.frame.style.setProperty("--rows", rows);
    this.frame.style.setProperty("--columns", columns);
    this.frame.style.setProperty("--row-height", `${Math.min(40, Math.max(17, 440 / rows))}px`);
    this.rowLabels = queries(attention).map((text) => token(text, languages[0], told));
    this.columnLabels = keys.map((text) => token(text, languages[1], told));
    const [top, left] = [element("div", "columns"), element("div", "rows")];
    top.dir = attention.direction;
    top.append(...this.columnLabels.map((label) => wrap("span", label)));
    left.append(...this.rowLabels);
    for (const labels of [top, left]) labels.setAttribute("aria-hidden", "true");
    this.cells = this.newCells();
    this.frame.append(top, left, this.cells);
    this.scroll.replaceChildren(this.frame);
    const longest = Math.max(...this.columnLabels.map((label) => label.offsetWidth));
    this.frame.style.setProperty("--label-height", `calc(${Math.round(longest * 0.75)}px + 1.2em)`);
    this.draw();
  }

  newCells() {
    const cells = element("div", "cells");
    cells.setAttribute("role", "application");
    cells.tabIndex = 0;
    cells.dir = current().direction;
    this.canvas = element("canvas");
    this.cursor = element("div", "cursor");
    cells.append(this.canvas, this.cursor);
    cells.addEventListener("pointermove", (event) => this.point(event));
    cells.addEventListener("pointerdown", (event) => this.point(event));
    cells.addEventListener("pointerleave", () => this.pointNowhere());
    cells.addEventListener("keydown", (event) => this.key(event));
    return cells;
  }

  draw() {
    const attention = current();
    this.map = mapOf(attention, shown.layer, shown.head);
    this.title.textContent = title(attention);
    this.caption.textContent = caption(attention);
    this.cells.setAttribute("aria-label", fill(words["offline.cells"], { title: title(attention) }));
    paint(this.canvas, attention, this.map, colours());
    this.pointNowhere();
    this.twin.refresh(words["grid.table"]);
  }

  point(event) {
    const { rows, columns, fromRight } = current();
    const [row, column] = cellUnder(event, this.cells, [rows, columns], fromRight);
    if (isHidden(current(), row, column)) this.pointNowhere();
    else this.pointAt(row, column);
  }

  pointAt(row, column, note = "") {
    const { rows, columns } = current();
    this.at = [row, column];
    this.say(row, column, note);
    const { style } = this.cursor;
    this.cursor.hidden = note !== "";
    [style.insetInlineStart, style.width] = [`${(100 * column) / columns}%`, `${100 / columns}%`];
    [style.top, style.height] = [`${(100 * row) / rows}%`, `${100 / rows}%`];
    this.rowLabels.forEach((label, n) => label.classList.toggle("pointed", !note && n === row));
    this.columnLabels.forEach((label, n) => label.classList.toggle("pointed", !note && n === column));
  }

  // Where nobody points the strongest cell is told of.
  pointNowhere() {
    const best = this.map.reduce((best, weight, cell) => (weight > this.map[best] ? cell : best), 0);
    const { columns } = current();
    this.pointAt(Math.floor(best / columns), best % columns, words["offline.strongest"]);
  }

  say(row, column, note) {
    const attention = current();
    const { languages, keys, columns, told } = attention;
    const weight = this.map[row * columns + column].toFixed(4);
    this.readout.replaceChildren(
      token(queries(attention)[row], languages[0], told),
      " → ",
      token(keys[column], languages[1], told),
      element("b", "", weight),
      note && ` ${note}`,
    );
  }

  key(event) {
    const step = ARROWS[event.key];
    if (!step) return;
    event.preventDefault();
    const { rows, columns, fromRight } = current();
    const onwards = fromRight ? -step[1] : step[1];
    const [row, column] = this.cursor.hidden ? this.at : [this.at[0] + step[0], this.at[1] + onwards];
    const inside = row >= 0 && row < rows && column >= 0 && column < columns;
    if (inside && !isHidden(current(), row, column)) this.pointAt(row, column);
  }

  table() {
    const attention = current();
    const { columns, keys, languages } = attention;
    const cell = (i, j) => [isHidden(attention, i, j) ? "" : this.map[i * columns + j].toFixed(4)];
    return tableOf(title(attention), queries(attention), keys, cell, languages);
  }
}

// All layers and heads at a glance

class Grid {
  constructor(onPick) {
    this.onPick = onPick;
    this.box = element("section", "glance");
    this.grid = element("div", "grid");
    this.grid.setAttribute("role", "group");
    this.grid.setAttribute("aria-label", words["grid.title"]);
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.box.append(element("h2", "", words["grid.title"]), element("p", "caption", words["offline.hint"]), this.grid);
  }

  build() {
    const { layers, heads, rows, columns } = current();
    this.box.hidden = layers * heads === 1;
    this.heads = [...Array(heads).keys(), ...(heads > 1 ? [null] : [])]; // the mean comes last
    this.grid.style.setProperty("--heads", this.heads.length);
    this.grid.style.setProperty("--shape", Math.min(1.1, Math.max(0.7, columns / rows)));
    this.tiles = [];
    const cells = [element("span"), ...this.heads.map(columnName)];
    for (let layer = 0; layer < layers; layer++) {
      cells.push(layerName(layer), ...this.heads.map((head) => this.tile(layer, head)));
    }
    this.grid.replaceChildren(...cells);
    this.draw();
    this.select();
  }

  tile(layer, head) {
    const tile = button("tile", "", () => this.onPick(layer, head));
    const name = head === null ? "offline.open_mean" : "grid.open";
    tile.setAttribute("aria-label", fill(words[name], { layer: layer + 1, head: head + 1 }));
    tile.append(element("canvas"));
    this.tiles.push({ tile, layer, head });
    return tile;
  }

  draw() {
    const scale = colours();
    for (const { tile, layer, head } of this.tiles)
      paint(tile.firstChild, current(), mapOf(current(), layer, head), scale);
  }

  // Only one tile is in the tab order: Tab enters the grid, the arrows move inside it.
  select() {
    for (const { tile, layer, head } of this.tiles) {
      const chosen = layer === shown.layer && head === shown.head;
      tile.setAttribute("aria-pressed", String(chosen));
      tile.tabIndex = chosen ? 0 : -1;
    }
  }

  key(event) {
    const step = ARROWS[event.key];
    if (!step) return;
    event.preventDefault();
    const column = this.heads.indexOf(shown.head) + step[1];
    const next = this.tiles.find(({ layer, head }) => layer === shown.layer + step[0] && head === this.heads[column]);
    if (!next || column < 0) return;
    this.onPick(next.layer, next.head);
    next.tile.focus();
  }
}

// Small parts

function wrap(tag, inner) {
  const made = element(tag);
  made.append(inner);
  return made;
}

function columnName(head) {
  if (head === null) return element("span", "", words["view.mean"]);
  return headed(words["grid.head_number"], head + 1);
}

function layerName(layer) {
  const name = headed(words["grid.layer_number"], layer + 1);
  name.className = "layer";
  return name;
}

// "Head 3", of which a small screen shows the number only.
function headed(text, n) {
  const [before, after] = text.split("{n}");
  const name = element("span");
  name.append(element("span", "word", before), String(n), element("span", "word", after));
  return name;
}

function legend() {
  const line = element("p", "legend");
  line.append(words["map.weights"], " 0", element("i"), "1");
  return line;
}

function choice(name, label, values, onPick) {
  const box = element("fieldset");
  box.append(element("legend", "", label));
  for (const [value, text] of values) {
    const option = element("input");
    option.type = "radio";
    option.name = name;
    option.value = value;
    option.checked = shown[name] === value;
    option.addEventListener("change", () => onPick(value));
    const line = wrap("label", option);
    line.append(text);
    box.append(line);
  }
  return box;
}

// The whole

const large = new LargeMap();
const grid = new Grid((layer, head) => {
  Object.assign(shown, { layer, head });
  grid.select();
  large.draw();
});
const kinds = choice(
  "kind",
  words["attention.label"],
  attentions.map(({ kind }) => [kind, words[`attention.${kind}`]]),
  (kind) => {
    shown.kind = kind;
    build();
  },
);
const names = attentions.map(({ queries }) => Object.keys(queries)).sort((a, b) => b.length - a.length)[0];
const rows = choice(
  "rows",
  words["rows.label"],
  names.map((name) => [name, words[`rows.${name}`]]),
  (name) => {
    shown.rows = name;
    large.build();
  },
);

function build() {
  rows.hidden = Object.keys(current().queries).length < 2;
  large.build();
  grid.build();
}

const choices = element("div", "choices");
kinds.hidden = attentions.length < 2;
choices.append(kinds, rows);
document.getElementById("maps").append(choices, large.box, grid.box);
build();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  large.draw();
  grid.draw();
});
