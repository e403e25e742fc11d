import { argmax } from "./arithmetic.js";
import { ARROWS } from "./arrow_keys.js";
import { brushOf, cellUnder, paintMap } from "./canvas.js";
import { palette } from "./colours.js";
import { button, element, token } from "./elements.js";
import { UINT16_MAX } from "./packed_numbers.js";
import { Picture } from "./picture.js";
import { tableOf } from "./table.js";
import { fill } from "./texts.js";

const LONG_PRESS = 400; // milliseconds

/**
 * All heads at a glance: a row for each layer, a small map for each head.
 *
 * The payload has `shape` (layers, heads, queries, keys), `cells`, all maps in uint16, and
 * the fields that `attention_grid` in ui/components/attention_grid adds. Layers and heads count
 * from 1.
 */
export class HeadGrid extends Picture {
  static Numbers = Uint16Array;

  /** @param {Element | ShadowRoot} parent of the picture */
  constructor(parent) {
    super(parent);
    this.payload = null;
    this.tiles = []; // of all heads, layer by layer
    this.names = [[], []]; // names of the layers and of the heads
    this.built = ""; // key of the data that the tiles were made from
    this.isHeld = false; // whether a long press has been handled
    this.isSpaceUsed = false; // whether the space bar is down and has chosen a second head
    this.pressing = 0; // timer of a press
    this.map = element("canvas"); // image of one head, one pixel for each cell
    this.grid = element("div", {
      className: "grid",
      role: "group",
      onpointerleave: () => {
        this.tip.hidden = true;
      },
    });
    this.listenToGrid();
    this.root.append(this.grid, this.live, this.details);
  }

  listenToGrid() {
    for (const name of ["pointermove", "pointerdown", "click", "keydown", "keyup", "focusin"]) {
      this.grid.addEventListener(name, (event) => this[name](event, this.tileOf(event.target)));
    }
    for (const name of ["pointerup", "pointerout", "pointercancel"]) {
      this.grid.addEventListener(name, () => clearTimeout(this.pressing));
    }
    this.grid.addEventListener("contextmenu", (event) => {
      // prevent the context menu, which a long press opens on a touch screen
      if (this.isHeld) event.preventDefault();
    });
  }

  /** @param {object} payload */
  show(payload) {
    this.payload = payload;
    const [layers, heads] = payload.shape;
    const { texts } = payload;
    const toBuild = JSON.stringify([layers, heads, texts]);
    if (toBuild !== this.built) this.build(layers, heads);
    this.built = toBuild;
    this.tiles.forEach((tile, n) => this.decorate(tile, payload.marks[n] ?? [[], false]));
    this.select(payload.layer, payload.head);
    this.drawWith(this.grid, texts.table);
  }

  stop() {
    clearTimeout(this.pressing);
    super.stop();
  }

  build(layers, heads) {
    const { texts } = this.payload;
    const named = (length, text) => Array.from({ length }, (_, n) => fill(text, { n: n + 1 }));
    const rows = named(layers, texts.layer_number);
    const columns = named(heads, texts.head_number);
    if ("mean" in texts) columns[heads - 1] = texts.mean; // the last map is the mean of all heads
    this.names = [rows, columns];
    this.tiles = [];
    const columnNames = columns.map((name, n) => this.columnName(name, n));
    const cells = rows.flatMap((name, layer) => [
      element("span", { className: "row-name" }, name),
      ...columns.map((_, head) => this.makeTile(layer + 1, head + 1)),
    ]);
    this.grid.ariaLabel = texts.label;
    this.grid.style.gridTemplateColumns = `1.1rem repeat(${heads}, minmax(0, 1fr))`;
    this.grid.replaceChildren(this.canvas, element("span"), ...columnNames, ...cells, this.tip);
  }

  columnName(name, n) {
    const { texts } = this.payload;
    const word = element("span", { className: "long" }, `${texts.head} `); // hidden in a small grid
    const mean = element("span", { className: "mean" }, name);
    const content = name === texts.mean ? [mean] : [word, n + 1];
    return element("span", { className: "column-name" }, ...content);
  }

  makeTile(layer, head) {
    const face = button("tile", "");
    const chips = element("div", { className: "chips", ariaHidden: true }); // described in `face`
    const cell = element("div", { className: "cell" }, face, chips);
    this.tiles.push({ layer, head, cell, face, chips, sentences: [] });
    return cell;
  }

  // Adds the tags of a head's measured behaviour.
  // Adds a letter if the map is side by side with another map.
  // A map is faint if the visitor is looking for another behaviour.
  decorate(tile, [labels, isFaint]) {
    const { texts, letters, shape } = this.payload;
    const [, , queries, keys] = shape;
    const { layer, head, cell, face, chips } = tile;
    tile.sentences = labels.map(([, sentence]) => sentence);
    cell.classList.toggle("faint", isFaint);
    chips.replaceChildren(...labels.map(([sign]) => element("span", { className: "chip" }, sign)));

    const isOwn = ([, l, h]) => l === layer && (h ?? head) === head;
    const own = letters.filter(isOwn).map(([letter]) => letter);
    const isMean = this.names[1][head - 1] === texts.mean;
    const open = fill(isMean ? texts.open_mean : texts.open, { layer, head });
    face.dataset.letters = own.join(" ");
    face.replaceChildren(element("span", { className: "letters" }, own.join(" ")));
    face.ariaLabel = [open, ...own].join(", ");
    face.ariaDescription = tile.sentences.join(". ");
    face.style.aspectRatio = 1 / Math.min(1.4, Math.max(0.9, queries / keys));
  }

  /**
   * @param {Node} node
   * @returns {object | undefined} the tile that contains it
   */
  tileOf(node) {
    return this.tiles.find(({ cell }) => cell.contains(node));
  }

  // Shift or a long press makes a map the second of two maps. `detail` is 0 in a click by Enter.
  click(event, tile) {
    if (event.target !== tile?.face) return;
    const { layer, head } = tile;
    if (this.isHeld && event.detail) this.isHeld = false; // the end of a long press
    else if (event.shiftKey && this.canBeSecond(tile)) this.send("second", [layer, head]);
    else this.choose(layer, head);
  }

  pointerdown(event, tile) {
    clearTimeout(this.pressing);
    this.isHeld = false;
    if (!tile || !this.canBeSecond(tile) || event.target !== tile.face) return;
    this.pressing = setTimeout(() => {
      this.isHeld = true;
      this.send("second", [tile.layer, tile.head]);
    }, LONG_PRESS);
  }

  canBeSecond({ head }) {
    return head <= this.payload.seconds;
  }

  /**
   * Opens a head, as a click on its map does.
   *
   * @param {number} layer
   * @param {number} head
   */
  choose(layer, head) {
    this.select(layer, head);
    this.send("click", [layer, head]);
  }

  /**
   * Outlines a head. Tab focuses this head; the arrow keys move inside the grid.
   *
   * @param {number} layer
   * @param {number | null} head null: all heads of the layer
   */
  select(layer, head) {
    for (const tile of this.tiles) {
      const isInLayer = tile.layer === layer;
      tile.face.ariaPressed = isInLayer && (head === null || tile.head === head);
      tile.face.tabIndex = isInLayer && tile.head === (head ?? 1) ? 0 : -1;
    }
  }

  keydown(event, tile) {
    if (!event.repeat) this.isSpaceUsed = false; // it may have been released elsewhere
    // The click that a key makes has no `shiftKey` in Firefox.
    const presses = event.key === "Enter" || event.key === " ";
    if (presses && event.shiftKey && tile && this.canBeSecond(tile)) {
      event.preventDefault(); // no click by Enter
      this.isSpaceUsed = event.key === " ";
      if (!event.repeat) this.send("second", [tile.layer, tile.head]);
      return;
    }
    const step = ARROWS[event.key];
    if (!step || !tile) return;
    event.preventDefault();
    const [down, right] = step;
    const next = this.tiles.find(
      ({ layer, head }) => layer === tile.layer + down && head === tile.head + right,
    );
    if (!next) return;
    tile.face.tabIndex = -1;
    next.face.tabIndex = 0;
    next.face.focus();
  }

  // A space bar clicks when it is released, perhaps after Shift.
  keyup(event) {
    if (event.key !== " ") return;
    if (this.isSpaceUsed) event.preventDefault(); // no click
    this.isSpaceUsed = false;
  }

  focusin(_, tile) {
    this.live.replaceChildren(`${this.nameOf(tile)}: `, ...this.describe(tile));
  }

  nameOf({ layer, head }) {
    return `${this.names[0][layer - 1]} · ${this.names[1][head - 1]}`;
  }

  /**
   * @param {{layer: number, head: number}} tile
   * @returns {Uint16Array} a view of (queries, keys), row by row; UINT16_MAX means `limit`
   */
  mapOf({ layer, head }) {
    const [, heads, queries, keys] = this.payload.shape;
    const start = ((layer - 1) * heads + head - 1) * queries * keys;
    return this.payload.cells.subarray(start, start + queries * keys);
  }

  // Returns a cell as text: "query → key 0.1234".
  link(row, column, value) {
    const { queries, keys, limit, languages, covered, inFull } = this.payload;
    const name = (text, axis) => token(inFull[text] ?? text, languages[axis]);
    const number = ((value / UINT16_MAX) * limit).toFixed(4);
    const shown = covered.includes(row) ? "?" : number; // a class has to guess covered rows
    return [name(queries[row], 0), " → ", name(keys[column], 1), `  ${shown}`];
  }

  // Describes the strongest cell of a head, and the head's measured behaviour.
  describe(tile) {
    const keys = this.payload.shape[3];
    const map = this.mapOf(tile);
    const strongest = argmax(map);
    const link = this.link(Math.floor(strongest / keys), strongest % keys, map[strongest]);
    return [...link, ...linesOf(tile)];
  }

  pointermove(event, tile) {
    this.tip.hidden = !tile;
    if (!tile) return;
    this.tip.replaceChildren(
      `${this.nameOf(tile)}\n`,
      ...(event.target === tile.face ? this.linkUnder(event, tile) : []),
      ...linesOf(tile),
    );
    this.placeTip(event);
  }

  linkUnder(event, tile) {
    const { shape, directions } = this.payload;
    const [, , queries, keys] = shape;
    const fromRight = directions[1] === "rtl";
    const [row, column] = cellUnder(event, tile.face, [queries, keys], fromRight);
    return this.link(row, column, this.mapOf(tile)[row * keys + column]);
  }

  draw() {
    this.paint(brushOf(this.canvas, this.grid.clientWidth, this.grid.clientHeight));
  }

  paint(brush) {
    const { shape, directions } = this.payload;
    const [, , queries, keys] = shape;
    const fromRight = directions[1] === "rtl";
    const frame = this.grid.getBoundingClientRect();
    const colours = palette(getComputedStyle(this.grid), "sequential");
    for (const tile of this.tiles) {
      const box = tile.face.getBoundingClientRect();
      const x = Math.round(box.left - frame.left);
      const y = Math.round(box.top - frame.top);
      const width = Math.round(box.width);
      const height = Math.round(box.height);
      const cells = this.mapOf(tile);
      const colourOf = (n) => colours[cells[n] >> 8];
      paintMap(this.map, [queries, keys], fromRight, colourOf);
      // smooth only if there are more cells than pixels
      brush.imageSmoothingEnabled = width < keys || height < queries;
      brush.drawImage(this.map, x, y, width, height);
    }
  }

  // Lists the strongest cell of every head, as text for screen readers.
  tables() {
    const { texts, shape } = this.payload;
    const [rows, columns] = this.names;
    const describe = (layer, head) => this.describe(this.tiles[layer * shape[1] + head]);
    return [tableOf(texts.strongest, rows, columns, describe)];
  }
}

function linesOf({ sentences }) {
  return sentences.map((sentence) => `\n${sentence}`);
}
