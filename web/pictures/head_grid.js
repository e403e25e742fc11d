// The grid of all attention maps.

import { ARROWS } from "./arrow_keys.js";
import { brushOf, cellUnder, paintMap } from "./canvas.js";
import { palette } from "./colours.js";
import { button, element, token } from "./elements.js";
import { UNIT } from "./packed_numbers.js";
import { View } from "./picture.js";
import { tableOf } from "./table.js";
import { fill } from "./texts.js";

const LONG = 400; // milliseconds of a press that takes a map as the second

export class HeadGrid extends View {
  static Numbers = Uint16Array;

  constructor(parent) {
    super(parent);
    this.map = element("canvas"); // of one head, a pixel for each cell
    this.grid = element("div", {
      className: "grid",
      role: "group",
      onpointerleave: () => (this.tip.hidden = true),
    });
    for (const name of ["pointermove", "pointerdown", "click", "keydown", "focusin"])
      this.grid.addEventListener(name, (event) => this[name](event, this.itemOf(event.target)));
    for (const name of ["pointerup", "pointerout", "pointercancel"])
      this.grid.addEventListener(name, () => clearTimeout(this.pressing));
    this.grid.addEventListener("contextmenu", (event) => this.held && event.preventDefault());
    this.root.append(this.grid, this.live, this.details);
  }

  show(payload) {
    this.payload = payload;
    const { shape, texts, layer, head } = payload;
    const names = JSON.stringify([...shape.slice(0, 2), texts]);
    if (names !== this.built) this.build(...shape);
    this.built = names;
    this.tiles.forEach((item, place) => this.dress(item, payload.marks[place] ?? [[], false]));
    this.select(layer, head);
    this.drawWith(this.grid, texts.table);
  }

  rest() {
    clearTimeout(this.pressing);
    super.rest();
  }

  build(layers, heads) {
    const { texts } = this.payload;
    this.grid.ariaLabel = texts.label;
    this.grid.style.gridTemplateColumns = `1.1rem repeat(${heads}, minmax(0, 1fr))`;
    const named = (length, text) => Array.from({ length }, (_, n) => fill(text, { n: n + 1 }));
    const [rows, columns] = [named(layers, texts.layer_number), named(heads, texts.head_number)];
    if ("mean" in texts) columns[heads - 1] = texts.mean; // of a layer's heads
    Object.assign(this, { names: [rows, columns], tiles: [] });
    const column = (name, n) => {
      const long = element("span", { className: "long" }, `${texts.head} `); // left out of a small grid
      return element(
        "span",
        { className: "column-name" },
        ...(name === texts.mean ? [name] : [long, n + 1]),
      );
    };
    const top = [element("span"), ...columns.map(column)];
    const cells = rows.flatMap((name, layer) => [
      element("span", { className: "row-name" }, name),
      ...columns.map((_, head) => this.tile(layer + 1, head + 1)),
    ]);
    this.grid.replaceChildren(this.canvas, ...top, ...cells, this.tip);
  }

  tile(layer, head) {
    const tile = button("tile", "");
    const chips = element("div", { className: "chips", ariaHidden: true }); // the tile's description says it
    const cell = element("div", { className: "cell" }, tile, chips);
    this.tiles.push({ cell, tile, chips, layer, head });
    return cell;
  }

  // Its form; what its head was measured to do, faint where that is not looked for; and A or B on one
  // of the maps that stand beside each other.
  dress(item, [found, faint]) {
    const { texts, letters, shape } = this.payload;
    const { tile, layer, head } = item;
    item.says = found.map(([, says]) => says);
    tile.ariaDescription = item.says.join(". ");
    item.cell.classList.toggle("faint", faint);
    item.chips.replaceChildren(
      ...found.map(([sign]) => element("span", { className: "chip" }, sign)),
    );
    const own = letters
      .filter(([, l, h]) => l === layer && (h ?? head) === head)
      .map(([letter]) => letter);
    tile.dataset.letters = own.join(" ");
    const open = this.names[1][head - 1] === texts.mean ? texts.open_mean : texts.open;
    tile.ariaLabel = [fill(open, { layer, head }), ...own].join(", ");
    tile.style.aspectRatio = 1 / Math.min(1.4, Math.max(0.9, shape[2] / shape[3]));
  }

  itemOf(node) {
    return this.tiles.find(({ cell }) => cell.contains(node));
  }

  // A map taken with Shift (Shift and Enter are a click too), or by a long press, is the second.
  click(event, item) {
    if (event.target !== item?.tile) return;
    const { layer, head } = item;
    if (this.held && event.detail) this.held = false; // ends a press that was answered already
    else if (event.shiftKey && head <= this.payload.seconds) this.send("second", [layer, head]);
    else this.choose(layer, head);
  }

  pointerdown(event, item) {
    clearTimeout(this.pressing);
    this.held = false;
    if (!(item?.head <= this.payload.seconds) || event.target !== item.tile) return;
    this.pressing = setTimeout(() => {
      this.held = true;
      this.send("second", [item.layer, item.head]);
    }, LONG);
  }

  choose(layer, head) {
    this.select(layer, head);
    this.send("pick", [layer, head]);
  }

  // Only one tile is in the tab order: Tab enters the grid, the arrows move inside it.
  select(layer, head) {
    for (const item of this.tiles) {
      const inLayer = item.layer === layer;
      item.tile.ariaPressed = inLayer && (head === null || item.head === head);
      item.tile.tabIndex = inLayer && item.head === (head ?? 1) ? 0 : -1;
    }
  }

  keydown(event, here) {
    const step = ARROWS[event.key];
    if (!step || !here) return;
    event.preventDefault();
    const next = this.tiles.find(
      (t) => t.layer === here.layer + step[0] && t.head === here.head + step[1],
    );
    if (!next) return;
    here.tile.tabIndex = -1;
    next.tile.tabIndex = 0;
    next.tile.focus();
  }

  focusin(_, item) {
    this.live.replaceChildren(`${this.name(item)}: `, ...this.strongest(item));
  }

  name({ layer, head }) {
    return `${this.names[0][layer - 1]} · ${this.names[1][head - 1]}`;
  }

  // (queries, keys), row by row.
  mapOf({ layer, head }) {
    const {
      cells,
      shape: [, heads, queries, keys],
    } = this.payload;
    const start = ((layer - 1) * heads + head - 1) * queries * keys;
    return cells.subarray(start, start + queries * keys);
  }

  link(row, column, value) {
    const { queries, keys, limit, languages, covered, told } = this.payload;
    const full = (text) => told[text] ?? text;
    const number = covered.includes(row) ? "  ?" : `  ${((value / UNIT) * limit).toFixed(4)}`;
    return [
      token(full(queries[row]), languages[0]),
      " → ",
      token(full(keys[column]), languages[1]),
      number,
    ];
  }

  // Its strongest link, and what is said of its head.
  strongest(item) {
    const keys = this.payload.shape[3];
    const map = this.mapOf(item);
    const largest = map.reduce((a, b) => Math.max(a, b));
    const best = map.indexOf(largest);
    return [...this.link(Math.floor(best / keys), best % keys, largest), ...said(item)];
  }

  pointermove(event, item) {
    this.tip.hidden = !item;
    if (!item) return;
    const shape = this.payload.shape.slice(2);
    const [row, column] = cellUnder(event, item.tile, shape, this.payload.directions[1] === "rtl");
    const value = this.mapOf(item)[row * shape[1] + column];
    const link = event.target === item.tile ? this.link(row, column, value) : [];
    this.tip.replaceChildren(`${this.name(item)}\n`, ...link, ...said(item));
    this.placeTip(event);
  }

  draw() {
    this.paint(brushOf(this.canvas, this.grid.clientWidth, this.grid.clientHeight));
  }

  paint(brush) {
    const frame = this.grid.getBoundingClientRect();
    const {
      shape: [, , queries, keys],
      directions: [, across],
    } = this.payload;
    const colours = palette(getComputedStyle(this.grid), "sequential");
    for (const item of this.tiles) {
      const box = item.tile.getBoundingClientRect();
      const [x, y, width, height] = [
        box.left - frame.left,
        box.top - frame.top,
        box.width,
        box.height,
      ].map(Math.round);
      brush.imageSmoothingEnabled = width < keys || height < queries; // more cells than pixels
      const cells = this.mapOf(item);
      const map = paintMap(
        this.map,
        [queries, keys],
        across === "rtl",
        (n) => colours[cells[n] >> 8],
      );
      brush.drawImage(map, x, y, width, height);
    }
  }

  // The strongest link of every head: what the picture shows, for those who do not see it.
  tables() {
    const {
      texts,
      shape: [, heads],
    } = this.payload;
    const strongest = (layer, head) => this.strongest(this.tiles[layer * heads + head]);
    return [tableOf(texts.strongest, ...this.names, strongest)];
  }
}

const said = ({ says }) => says.map((sentence) => `\n${sentence}`);
