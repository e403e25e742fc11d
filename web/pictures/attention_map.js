// One or several matrices side by side; `show_matrices` in ui/components/matrices says what arrives here.

import { clamp } from "./arithmetic.js";
import { ARROWS } from "./arrow_keys.js";
import { brushOf, paintMap } from "./canvas.js";
import { palette, scaleOf } from "./colours.js";
import { element, token } from "./elements.js";
import { still } from "./motion.js";
import { View } from "./picture.js";
import { tableOf } from "./table.js";

const NUMBERS_FROM = 30; // pixels of a cell that holds a number
const LONGEST = 110; // pixels of a label
const GAP = 12; // pixels between heads that were pulled apart
const NARROW = 600; // pixels of a page on which matrices stand one below the other
const TURN = (40 * Math.PI) / 180; // by which column labels turn where they are too long
const UPRIGHT = 24; // pixels of a cell below which they stand upright
const SMALLEST = 13; // pixels of a cell of a large map, which scrolls rather than shrink
const [LOW, HIGH] = [17, 40]; // pixels of its rows
const COVER = "#8b8f98";
const SCALE = 160; // pixels of the scale below it

export class MatricesView extends View {
  static Numbers = Float32Array;

  constructor(parent) {
    super(parent);
    this.row = element("div", { className: "row" });
    this.root.append(this.row, this.tip, this.live, this.details);
    this.panels = [];
  }

  show(payload) {
    this.payload = payload;
    this.style = null;
    while (this.panels.length < payload.matrices.length)
      this.panels.push(new Panel(this, this.panels.length));
    this.panels.length = payload.matrices.length;
    this.panels.forEach((panel, n) =>
      panel.set(payload.matrices[n], payload.pickable, payload.operators[n - 1] ?? ""),
    );
    const parts = this.panels.flatMap(({ operator, figure }) => [operator, figure]).slice(1);
    if (parts.length !== this.row.children.length) this.row.replaceChildren(...parts);
    this.drawWith(this.root, payload.asTable);
    this.hear("role", ({ detail }) => this.light(detail));
    const roles = payload.matrices.map((matrix) => matrix.role).filter(Boolean);
    (this.root.getRootNode().host ?? this.root).dataset.roles = roles.join(" "); // which words have something to light
    this.light({ role: "" });
  }

  tables() {
    return this.panels.map((panel) => {
      const { title, caption, languages } = panel.matrix;
      return tableOf(
        `${title} ${caption}`,
        ...panel.names,
        (i, j) => [exact(panel.numberAt(i, j))],
        languages,
      );
    });
  }

  // Those of a role stand out while a word of the text that names it is pointed at.
  light({ role, go }) {
    const lit = this.panels.filter((panel) => role && panel.matrix.role === role);
    for (const panel of this.panels) panel.figure.classList.toggle("lit", lit.includes(panel));
    this.row.classList.toggle("lighting", lit.length > 0);
    if (go && lit.length) lit[0].figure.scrollIntoView({ block: "nearest" });
  }

  draw() {
    const style = getComputedStyle(this.root);
    this.style = {
      font: style.fontFamily,
      ink: style.color,
      paper: style.getPropertyValue("--st-background-color"),
      accent: style.getPropertyValue("--st-primary-color"),
      groups: scaleOf(style, "categorical"),
    };
    const width = this.root.clientWidth;
    for (const panel of this.panels) panel.colour(style);
    const fixed = this.panels.map((panel) => panel.measure());
    const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
    const operators = sum(this.panels.map((panel) => panel.operator.offsetWidth));
    const common =
      (width - operators - sum(fixed)) / sum(this.panels.map((panel) => panel.matrix.columns));
    const beside = common >= 22 || (width >= NARROW && common >= 1);
    this.panels.forEach((panel, n) => {
      const own = (width - fixed[n]) / panel.matrix.columns;
      panel.lay(Math.min(this.payload.largest, beside ? common : own), this.payload.largest);
    });
    this.paint();
  }

  paint() {
    if (!this.style) return; // a pointer was there before it was drawn
    for (const panel of this.panels) panel.paint();
  }

  // What is outlined: the cell that was hovered or picked last, and what it was computed from.
  markOf({ index }) {
    const [matrix, i, j] = this.hovered ?? this.payload.picked ?? [];
    const marks = {
      "i:": { row: i },
      "j:": { row: j },
      ":i": { column: i },
      ":j": { column: j },
      ij: { row: i, column: j },
    };
    if (matrix === index) return marks.ij;
    return matrix === this.panels.length - 1 ? marks[this.payload.links[index]] : undefined;
  }

  hover(panel, cell, event) {
    this.tip.hidden = !cell;
    this.hovered = cell && [panel.index, ...cell];
    this.paint();
    if (!cell) return;
    this.tip.replaceChildren(...panel.tell(...cell));
    this.placeTip(event);
  }

  choose(panel, cell) {
    this.payload.picked = [panel.index, ...cell];
    this.live.replaceChildren(...panel.tell(...cell));
    this.paint();
    this.send("pick", this.payload.picked);
  }
}

class Panel {
  constructor(view, index) {
    Object.assign(this, { view, index });
    this.operator = element("span", { className: "operator" }); // between its neighbour and it
    this.caption = element("figcaption");
    this.canvas = element("canvas", {
      tabIndex: 0,
      role: "application",
      onpointermove: (event) => view.hover(this, this.cellAt(event), event),
      onpointerleave: (event) => view.hover(this, null, event),
      onblur: (event) => view.hover(this, null, event),
      onclick: (event) => this.click(event),
      onkeydown: (event) => this.key(event),
      paintOn: (brush) => this.paintOn(brush), // for who takes the picture away
      rowAt: (row) => this.onScreen(row), // for who points at it
    });
    this.figure = element("figure", {}, this.caption, this.canvas);
  }

  set(matrix, pickable, operator) {
    this.operator.textContent = operator;
    const wasSpread = this.matrix?.spread && this.matrix.title === matrix.title;
    Object.assign(this, { matrix, pickable, groupSize: matrix.columns / matrix.groups });
    this.fromRight = matrix.directions[1] === "rtl";
    this.gap = matrix.spread && (wasSpread || still.matches) ? GAP : 0;
    if (matrix.spread && !this.gap) this.pullApart();
    this.figure.style.setProperty(
      "--role",
      matrix.role ? `var(--role-${matrix.role})` : "currentColor",
    );
    this.caption.replaceChildren(element("strong", {}, matrix.title), ` ${matrix.caption}`);
    this.figure.classList.toggle("full", matrix.large);
    this.canvas.ariaLabel = this.caption.textContent;
    const names = (labels, length) =>
      labels.length ? labels : Array.from({ length }, (_, n) => String(n));
    this.names = [names(matrix.rowLabels, matrix.rows), names(matrix.columnLabels, matrix.columns)];
    this.canvas.style.cursor = pickable ? "pointer" : "default";
  }

  // Hidden cells are left out.
  colour(style) {
    const { rows, columns, values, scale } = this.matrix;
    this.colours = palette(style, scale === "weights" ? "sequential" : "diverging");
    const colourOf = (n) => (Number.isFinite(values[n]) ? this.colourOf(values[n]) : 0);
    this.image = paintMap(element("canvas"), [rows, columns], this.fromRight, colourOf);
  }

  // One of 256.
  colourOf(value) {
    const { scale, limit } = this.matrix;
    const share = scale === "weights" ? value / limit : 0.5 + value / (2 * limit);
    return this.colours[Math.round(255 * Math.min(1, Math.max(0, share)))];
  }

  // The heads slide apart, so that one sees that nothing but the cut has happened.
  pullApart() {
    const begin = performance.now() + 400;
    const step = (now) => {
      if (!this.matrix.spread) return;
      const t = Math.min(1, Math.max(0, (now - begin) / 900));
      this.gap = GAP * t * t * (3 - 2 * t);
      if (this.view.style) this.paint();
      if (t < 1) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  // Pixels beside the cells.
  measure() {
    const { matrix } = this;
    const brush = this.canvas.getContext("2d");
    brush.font = `14px ${this.view.style.font}`;
    const widest = (labels) =>
      Math.min(LONGEST, Math.max(0, ...labels.map((l) => brush.measureText(l).width)));
    this.left = matrix.rowLabels.length ? widest(matrix.rowLabels) + 8 : 0;
    this.widestColumn = widest(matrix.columnLabels);
    this.gaps = matrix.spread ? GAP * (matrix.groups - 1) : 0;
    this.noted = matrix.notes.length ? widest(matrix.notes) + 8 : 0;
    return this.left + this.gaps + Math.max(this.noted, this.widestColumn * Math.cos(TURN)) + 4;
  }

  lay(cell, largest) {
    const { matrix } = this;
    this.w = matrix.large ? Math.max(SMALLEST, cell) : cell;
    const { rows } = matrix;
    if (matrix.large) this.h = Math.max(LOW, Math.min(HIGH, (11 * HIGH) / rows, 1.8 * this.w));
    else
      this.h =
        rows <= 48
          ? Math.min(largest, Math.max(15, this.w))
          : Math.max(1, Math.min(this.w, 640 / rows));
    const labelled = matrix.columnLabels.length && this.w >= 12;
    this.turn =
      !labelled || this.widestColumn <= this.w - 4 ? 0 : this.w < UPRIGHT ? Math.PI / 2 : TURN;
    const labels = !labelled ? 0 : this.turn ? this.widestColumn * Math.sin(this.turn) + 16 : 22;
    this.bar = matrix.groups > 1 ? 20 : 0;
    this.top = labels + this.bar;
    this.right = Math.max(this.noted, this.turn ? this.widestColumn * Math.cos(this.turn) : 0);
    this.width = Math.max(
      this.left + matrix.columns * this.w + this.gaps + this.right + 2,
      matrix.large ? SCALE + 90 : 0,
    );
    this.height = this.top + matrix.rows * this.h + (matrix.large ? 44 : 2);
  }

  x(column) {
    return this.at(this.fromLeft(column));
  }

  at(place) {
    return this.left + place * this.w + Math.floor(place / this.groupSize) * this.gap;
  }

  // Where a column stands, and which stands there: tokens that are read from the right begin there.
  fromLeft(column) {
    return this.fromRight ? this.matrix.columns - 1 - column : column;
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const stretch = this.width / box.width;
    const [px, py] = [(event.clientX - box.left) * stretch, (event.clientY - box.top) * stretch];
    const row = Math.floor((py - this.top) / this.h);
    const group = Math.floor((px - this.left) / (this.groupSize * this.w + this.gap));
    const column = Math.floor((px - this.left - group * this.gap) / this.w);
    const inside =
      row >= 0 && row < this.matrix.rows && column >= 0 && column < this.matrix.columns;
    const cell = inside && [row, this.fromLeft(column)];
    return cell && this.says(...cell) ? cell : null;
  }

  // Without a number there is nothing to read, but something to pick.
  says(row, column) {
    const hidden = Number.isNaN(this.numberAt(row, column));
    return !hidden || (this.pickable && !this.matrix.covered.includes(row));
  }

  numberAt(row, column) {
    return this.matrix.values[row * this.matrix.columns + column];
  }

  // Where a row is on the screen, and the middle of its cell in a column.
  onScreen(row, column = 0) {
    const box = this.canvas.getBoundingClientRect();
    const shrink = box.width / this.width;
    const [top, bottom] = [row, row + 1].map((n) => box.top + shrink * (this.top + n * this.h));
    return {
      top,
      bottom,
      clientX: box.left + shrink * (this.x(column) + this.w / 2),
      clientY: (top + bottom) / 2,
    };
  }

  click(event) {
    const cell = this.cellAt(event);
    if (this.pickable && cell) this.view.choose(this, cell);
    else this.view.hover(this, cell, event); // a tap reads it
  }

  key(event) {
    const step = ARROWS[event.key];
    const enter = this.pickable && (event.key === "Enter" || event.key === " ");
    if (!step && !enter) return;
    event.preventDefault();
    const now = this.view.hovered ?? this.view.payload.picked;
    const [row, column] = now && now[0] === this.index ? [now[1], now[2]] : [0, 0];
    if (enter) return this.view.choose(this, [row, column]);
    const onwards = this.fromRight ? -step[1] : step[1];
    const moved = this.nextThatSays([row, column], [step[0], onwards]);
    if (!moved) return;
    this.view.live.replaceChildren(...this.tell(...moved));
    this.view.hover(this, moved, this.onScreen(...moved));
  }

  // Over what says nothing to the next cell that does; null where there is none.
  nextThatSays([row, column], [down, right]) {
    const { rows, columns } = this.matrix;
    for (
      let [i, j] = [row + down, column + right];
      clamp(i, rows) === i && clamp(j, columns) === j;
      i += down, j += right
    )
      if (this.says(i, j)) return [i, j];
    return null;
  }

  tell(...cell) {
    const { title, told, languages } = this.matrix;
    const names = this.names.map((labels, axis) => labels[cell[axis]]);
    const [row, column] = names.map((name, axis) => token(told[name] ?? name, languages[axis]));
    return [`${title} [`, row, ", ", column, `] = ${exact(this.numberAt(...cell))}`];
  }

  paint() {
    this.canvas.style.width = `${this.width}px`;
    this.paintOn(brushOf(this.canvas, this.width, this.height));
  }

  paintOn(brush) {
    const { columns, groups, large, covered, frames } = this.matrix;
    this.cells(brush);
    brush.save();
    this.labels(brush);
    brush.restore(); // numbers run from left to right
    if (groups > 1) this.heads(brush);
    if (Math.min(this.w, this.h) >= 14) this.grid(brush);
    if (this.w >= NUMBERS_FROM && this.h >= 14) this.numbers(brush);
    if (large) this.scale(brush);
    for (const row of covered) {
      brush.fillStyle = COVER;
      brush.fillRect(this.left, this.top + row * this.h, columns * this.w, this.h);
      this.outline(brush, { row });
    }
    for (const [row, column] of frames) this.outline(brush, { row, column });
    const mark = this.view.markOf(this);
    if (mark) this.outline(brush, mark);
  }

  // Letters of a size, left of a point, right of it or around it.
  letters(brush, size, textAlign) {
    const { font, ink } = this.view.style;
    Object.assign(brush, {
      font: `${size}px ${font}`,
      fillStyle: ink,
      textAlign,
      textBaseline: "middle",
    });
  }

  // What the colours stand for.
  scale(brush) {
    const { title, scale, limit } = this.matrix;
    const ends = scale === "weights" ? [0, limit / 2, limit] : [-limit, 0, limit];
    const y = this.top + this.matrix.rows * this.h + 14;
    this.letters(brush, 12, "left");
    brush.fillText(title, this.left, y + 4);
    const x = Math.round(this.left + brush.measureText(title).width + 10);
    const size = Math.max(SCALE / 2, Math.min(SCALE, this.width - x - 2)); // what there is room for
    ends.forEach((end, n) => {
      brush.textAlign = ["left", "center", "right"][n];
      brush.fillText(
        limit === 1 ? end.toFixed(1).replace("-", "−") : brief(end),
        x + (n * size) / 2,
        y + 20,
      );
    });
    for (let n = 0; n < size; n += 2) {
      const colour = this.colours[Math.floor((n * 256) / size)];
      brush.fillStyle = `rgb(${[0, 8, 16].map((bits) => (colour >> bits) & 255)})`;
      brush.fillRect(x + n, y, 2, 8);
    }
  }

  cells(brush) {
    const { matrix } = this;
    const size = this.groupSize;
    brush.imageSmoothingEnabled = this.w < 1 || this.h < 1;
    for (let g = 0; g < matrix.groups; g++) {
      const [x, width, height] = [this.at(g * size), size * this.w, matrix.rows * this.h];
      hatch(brush, x, this.top, width, height, this.view.style.ink);
      brush.globalAlpha = matrix.group === null || matrix.group === g ? 1 : 0.35;
      brush.drawImage(this.image, g * size, 0, size, matrix.rows, x, this.top, width, height);
      brush.globalAlpha = 1;
    }
  }

  labels(brush) {
    const { matrix } = this;
    const middle = (row) => this.top + (row + 0.5) * this.h;
    this.letters(brush, Math.min(14, this.h - 1), "right");
    brush.direction = matrix.directions[0];
    matrix.rowLabels.forEach((label, i) =>
      brush.fillText(short(brush, label), this.left - 6, middle(i)),
    );
    this.letters(brush, 12, "left");
    Object.assign(brush, { direction: "ltr", globalAlpha: 0.65 });
    const right = this.left + matrix.columns * this.w + 8;
    matrix.notes.forEach((note, i) => brush.fillText(note, right, middle(i)));
    brush.globalAlpha = 1;
    if (this.top - this.bar === 0) return;
    const size = this.w < UPRIGHT ? Math.max(10, Math.min(14, this.w * 0.8)) : 14;
    this.letters(brush, size, this.turn ? "left" : "center");
    brush.direction = matrix.directions[1];
    matrix.columnLabels.forEach((label, j) => {
      brush.save();
      brush.translate(this.x(j) + this.w / 2, this.top - this.bar - 8);
      if (this.turn) brush.rotate(-this.turn);
      brush.fillText(short(brush, label), 0, 0);
      brush.restore();
    });
  }

  heads(brush) {
    const { groups } = this.view.style;
    const size = this.groupSize;
    this.letters(brush, 12, "center");
    for (let g = 0; g < this.matrix.groups; g++) {
      brush.fillStyle = groups[g % groups.length];
      brush.fillRect(this.at(g * size), this.top - 5, size * this.w - 1, 4);
      if (size * this.w >= 12)
        brush.fillText(String(g + 1), this.at(g * size) + (size * this.w) / 2, this.top - 12);
    }
  }

  grid(brush) {
    const { rows, columns } = this.matrix;
    brush.fillStyle = this.view.style.paper;
    for (let i = 1; i < rows; i++)
      brush.fillRect(this.left, this.top + i * this.h - 0.5, columns * this.w + this.gaps, 1);
    for (let j = 1; j < columns; j++) brush.fillRect(this.at(j) - 0.5, this.top, 1, rows * this.h);
  }

  numbers(brush) {
    const { columns, values, limit, large } = this.matrix;
    const texts = Array.from(values, brief);
    const longest = texts.reduce((most, { length }) => Math.max(most, length), 1);
    this.letters(brush, Math.min(14, this.h - 2, (1.4 * this.w) / longest), "center");
    values.forEach((value, n) => {
      if (large && Math.abs(value) < limit / 20) return; // the map is to be seen
      const [row, column] = [Math.floor(n / columns), n % columns];
      brush.fillStyle = Number.isFinite(value)
        ? readable(this.colourOf(value))
        : this.view.style.ink;
      brush.fillText(texts[n], this.x(column) + this.w / 2, this.top + (row + 0.5) * this.h);
    });
  }

  outline(brush, { row, column }) {
    const { rows, columns } = this.matrix;
    const [x, width] =
      column === undefined
        ? [this.left, columns * this.w + this.gap * (this.matrix.groups - 1)]
        : [this.x(column), this.w];
    const [y, height] =
      row === undefined ? [this.top, rows * this.h] : [this.top + row * this.h, this.h];
    Object.assign(brush, { strokeStyle: this.view.style.accent, lineWidth: 2.5 });
    brush.strokeRect(x - 0.5, y - 0.5, Math.max(width, 3) + 1, Math.max(height, 3) + 1);
  }
}

function hatch(brush, x, y, width, height, ink) {
  brush.save();
  brush.beginPath();
  brush.rect(x, y, width, height);
  brush.clip();
  Object.assign(brush, { globalAlpha: 0.35, strokeStyle: ink, lineWidth: 1 });
  brush.beginPath();
  for (let at = -height; at < width; at += 6) {
    brush.moveTo(x + at, y + height);
    brush.lineTo(x + at + height, y);
  }
  brush.stroke();
  brush.restore();
}

function readable(colour) {
  const [r, g, b] = [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255];
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#14161c" : "#ffffff";
}

function short(brush, label) {
  if (brush.measureText(label).width <= LONGEST) return label;
  const signs = Array.from(new Intl.Segmenter().segment(label), ({ segment }) => segment); // with their marks
  while (signs.length > 1 && brush.measureText(`${signs.join("")}…`).width > LONGEST) signs.pop();
  return `${signs.join("")}…`;
}

export function brief(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "" : value < 0 ? "−∞" : "∞";
  const size = Math.abs(value);
  const text = Number.isInteger(value)
    ? String(value)
    : value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
  return text.replace(/^-(?=[0.]*$)/, "").replace("-", "−"); // no minus before 0.00
}

function exact(value) {
  if (!Number.isFinite(value)) return brief(value);
  return (
    Number.isInteger(value) ? String(value) : Number(value.toPrecision(6)).toString()
  ).replace("-", "−");
}
