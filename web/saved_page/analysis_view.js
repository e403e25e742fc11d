import { argmax } from "../pictures/arithmetic.js";
import { element, token } from "../pictures/elements.js";
import { HeadGrid } from "../pictures/head_grid.js";
import { HeadLines } from "../pictures/head_lines.js";
import { Matrices } from "../pictures/matrices.js";
import { toUint16 } from "../pictures/packed_numbers.js";
import { fill } from "../pictures/texts.js";
import { offerChoices } from "./choices.js";
import { mapOf, withMeans } from "./head_maps.js";
import { languageName } from "./language_names.js";
import { askForMapWorksheet } from "./map_worksheet.js";
import { matricesPayload } from "./matrices_payload.js";
import { inOwnRoot } from "./own_root.js";

const PANELS = ["map", "lines"];

/**
 * All attention maps of one sentence, on a page without a server: choices, one large map or the
 * lines of its layer, and the grid of all heads.
 *
 * `offline_page` in model/pictures/offline_page.py describes an analysis.
 * maps.html has the elements.
 */
export class AnalysisView {
  /**
   * @param {HTMLElement} node the element of maps.html
   * @param {object} hooks functions of the page
   * @param {() => {sentence: string, target: string}} hooks.texts returns the visible texts
   * @param {(name: string) => void} [hooks.onChoice] called instead of `draw` after a choice
   * @param {() => void} [hooks.onDrawn] called after the large map was drawn
   * @param {(row: number, column: number) => void} [hooks.onOpenCell] called when a cell is clicked
   */
  constructor(node, { texts, onChoice, onDrawn, onOpenCell }) {
    this.texts = texts;
    this.onChoice = onChoice ?? (() => this.draw());
    this.onDrawn = onDrawn ?? (() => {});
    this.onOpenCell = onOpenCell;
    this.analysis = null;

    // The current choices: `kind` of attention, `layer`, `head`, `rows` (the row labels), `panel`.
    // Layer and head count from 0. If `head` is null, the map is that of all heads together.
    // Further choices of an analysis are added under their names.
    this.shown = { panel: "map" };
    this.node = node;
    this.choices = node.querySelector(".choices");
    this.large = node.querySelector(".large");
    this.glance = node.querySelector(".glance");
    this.mapBox = this.large.querySelector(".scroll");
    this.linesBox = this.large.querySelector(".lines");
    this.sheet = this.large.querySelector(".sheet button");
    this.sheet.addEventListener("click", () => this.askForWorksheet());
    this.map = new Matrices(this.mapBox);
    this.map.send = (_, [, row, column]) => this.onOpenCell(row, column);
    this.lines = null; // created when they are first shown
    this.grid = new HeadGrid(this.glance);
    this.grid.send = (_, [layer, head]) => this.openHead(layer, head);
    // Moving through the grid with the arrow keys opens each focused head.
    this.grid.grid.addEventListener("focusin", ({ target }) => {
      const { layer, head } = this.grid.tileOf(target);
      this.openHead(layer, head);
    });
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.analysis && this.draw());
  }

  /**
   * Shows an analysis, and keeps earlier choices.
   *
   * @param {object} analysis `start` has the initial choices
   */
  open(analysis) {
    this.analysis = analysis;
    this.shown = { ...analysis.start, ...this.shown };
    for (const attention of analysis.attentions) prepare(attention, analysis.tags);
    this.offer();
    this.glance.querySelector("h2").textContent = analysis.words["grid.title"];
    this.glance.querySelector(".caption").textContent = analysis.words["offline.hint"];
    this.node.hidden = false;
    this.draw();
  }

  /** The possible choices, for `choicesOf` in page_link.js. */
  get offered() {
    const { attentions, offers } = this.analysis;
    const [layers] = attentions[0].shape;
    return {
      layers,
      heads: attentions[0].heads,
      kind: attentions.map(({ kind }) => kind),
      rows: attentions.flatMap(({ queries }) => Object.keys(queries)),
      panel: PANELS,
      ...offers,
    };
  }

  /** Draws everything with the current choices. */
  draw() {
    for (const group of this.choices.querySelectorAll("fieldset")) {
      const isNeeded = group.name !== "rows" || Object.keys(this.current.queries).length > 1;
      group.hidden = !isNeeded || group.elements.length < 2;
    }
    this.drawLarge();
    this.drawGrid();
  }

  /** Shows the choices. Those that the current attention does not need are hidden by `draw`. */
  offer() {
    const { attentions, offers, words } = this.analysis;
    const rows = attentions.map(({ queries }) => Object.keys(queries));
    const [mostRows] = rows.sort((a, b) => b.length - a.length);
    const offered = {
      kind: attentions.map(({ kind }) => kind),
      rows: mostRows,
      panel: PANELS,
      ...offers,
    };
    offerChoices(this.choices, offered, this.shown, words, (name, value) => {
      this.shown[name] = value;
      this.onChoice(name);
    });
  }

  /** The selected attention. */
  get current() {
    return this.analysis.attentions.find(({ kind }) => kind === this.shown.kind);
  }

  /** The labels of the visible rows. */
  get queries() {
    const { queries } = this.current;
    return queries[this.shown.rows] ?? Object.values(queries)[0];
  }

  /** Whether the cells are weights. */
  get showsWeights() {
    return (this.shown.cells ?? "weights") === "weights";
  }

  // Returns the number with the strongest colour.
  get limit() {
    const { weights } = this.current;
    return this.showsWeights ? 1 : weights[argmax(weights)];
  }

  get title() {
    const { words } = this.analysis;
    const { kind, layer, head } = this.shown;
    const { shape, heads } = this.current;
    if (shape[0] * heads === 1) return words["offline.one_map"];
    const together = this.showsWeights ? "mean" : "sum";
    return fill(words[`map.title_${head === null ? together : "head"}`], {
      attention: words[`attention.${kind}`],
      layer: layer + 1,
      head: head + 1,
      heads,
    });
  }

  get caption() {
    const { words, languages } = this.analysis;
    const { kind, rows, cells } = this.shown;
    const text = words[`map.rows.${kind}.${rows}`] ?? words[`map.rows.${kind}`];
    const about = this.showsWeights ? "" : ` ${words[`map.cells.${cells}`]}`;
    const source = languageName(words, languages.source, "source");
    const target = languageName(words, languages.target, "target");
    return fill(text, { source, target }) + about;
  }

  // Draws one map, or the lines of its layer, with the map's strongest cell above it.
  drawLarge() {
    const { keys } = this.current;
    const weights = mapOf(this.current, this.shown.layer, this.shown.head);
    const strongest = argmax(weights);
    const cell = [Math.floor(strongest / keys.length), strongest % keys.length];
    this.large.querySelector("h2").textContent = this.title;
    this.large.querySelector(".caption").textContent = this.caption;
    this.showReadout(cell, weights[strongest]);
    const isMap = this.shown.panel === "map";
    this.mapBox.hidden = !isMap;
    this.sheet.hidden = !isMap;
    this.sheet.textContent = this.analysis.words["tools.sheet_title"];
    this.linesBox.hidden = isMap;
    if (isMap) this.drawMap(weights, cell);
    else this.drawLines();
    this.onDrawn();
  }

  askForWorksheet() {
    const attention = this.showsWeights ? this.shown.kind : "";
    const texts = { title: this.title, attention, legend: this.caption, ...this.texts() };
    askForMapWorksheet(this.mapBox.querySelector("canvas"), texts, this.analysis.words);
  }

  // Shows a text such as "query → key 0.1234 strongest".
  showReadout([row, column], weight) {
    const { keys, languages, inFull } = this.current;
    this.large
      .querySelector(".readout")
      .replaceChildren(
        token(this.queries[row], languages[0], inFull),
        " → ",
        token(keys[column], languages[1], inFull),
        element("b", {}, weight.toFixed(4)),
        ` ${this.analysis.words["offline.strongest"]}`,
      );
  }

  drawMap(weights, strongest) {
    const { words } = this.analysis;
    const { head, unit, cells } = this.shown;
    const { keys, languages, directions, inFull, causal } = this.current;
    const isHidden = (n) => causal && n % keys.length > Math.floor(n / keys.length);
    const matrix = {
      title: words[this.showsWeights ? "map.weights" : `cells.${cells}`],
      caption: this.title,
      rowLabels: this.queries,
      columnLabels: keys,
      languages,
      directions,
      inFull,
      scale: "weights",
      limit: this.limit,
      large: true,
      scaled: true,
      values: weights.map((weight, n) => (isHidden(n) ? NaN : weight)),
    };
    const isOfModel = this.showsWeights && head !== null && unit === "subwords";
    const payload = matricesPayload([matrix], {
      asTable: words["grid.table"],
      clicked: [0, ...strongest],
      clickable: Boolean(this.onOpenCell) && isOfModel,
    });
    this.map.show(payload);
  }

  drawLines() {
    const { words, css } = this.analysis;
    const { layer, head } = this.shown;
    const { heads, shape } = this.current;
    const [, , rows, columns] = shape;
    const maps = Array.from({ length: heads }, (_, h) => [...mapOf(this.current, layer, h)]);
    const cells = maps.flat();
    const limit = this.showsWeights ? 1 : largestRowSum(cells, columns);
    this.lines ??= inOwnRoot(HeadLines, this.linesBox, css.lines);
    this.lines.show({
      ...this.current,
      queries: this.queries,
      limit,
      texts: {
        query: words["map.query"],
        key: words["map.key"],
        table: words["grid.table"],
        head_number: words["grid.head_number"],
        heads: words["lines.heads"],
        all: words["lines.all"],
        least: words["lines.least"],
        count: words["lines.count"],
        drawn: words["lines.drawn"],
        drawn_heads: words["lines.drawn_heads"],
      },
      shape: [1, heads, rows, columns],
      cells: toUint16(cells, limit),
      head: head === null ? null : head + 1,
    });
  }

  drawGrid() {
    const { shape, weights, heads } = this.current;
    const { limit } = this;
    this.glance.hidden = shape[0] * heads === 1;
    this.grid.show({
      marks: [],
      ...this.current,
      queries: this.queries,
      limit,
      texts: this.gridTexts(),
      cells: toUint16(weights, limit),
      layer: this.shown.layer + 1,
      head: (this.shown.head ?? heads) + 1,
      covered: [],
      letters: [],
    });
  }

  gridTexts() {
    const { words } = this.analysis;
    const { shape, heads } = this.current;
    const texts = {
      label: words["grid.title"],
      table: words["grid.strongest"],
      head: words["grid.head"],
      layer_number: words["grid.layer_number"],
      head_number: words["grid.head_number"],
      open: words["grid.open"],
      strongest: words["grid.strongest"],
    };
    if (shape[1] === heads) return texts; // no map of all heads together
    const mean = words[this.showsWeights ? "view.mean" : "offline.together"];
    const openMean = words[this.showsWeights ? "offline.open_mean" : "offline.open_together"];
    return { ...texts, mean, open_mean: openMean };
  }

  // Opens a head. Layer and head count from 1. The number after the last head means all heads.
  openHead(layer, head) {
    this.shown.layer = layer - 1;
    this.shown.head = head > this.current.heads ? null : head - 1;
    this.grid.select(layer, head);
    this.drawLarge();
  }
}

// Unpacks an attention of a saved page once.
// An attention computed in the browser already has `heads`.
function prepare(attention, tags) {
  if (!attention.heads) {
    const bytes = Uint8Array.from(atob(attention.weights), (letter) => letter.charCodeAt(0));
    const weights = new Float32Array(bytes.buffer);
    Object.assign(attention, withMeans(weights, attention.shape));
  }
  attention.languages = attention.sides.map((side) => tags[side]);
  attention.directions = ["inherit", attention.direction];
}

function largestRowSum(cells, columns) {
  const sums = new Float32Array(cells.length / columns);
  cells.forEach((value, n) => {
    sums[Math.floor(n / columns)] += value;
  });
  return Math.max(...sums);
}
