// The grid of all attention maps. See payload.py for the bytes that arrive here.
// Whatever the visitor typed is written with textContent or as an attribute, never as HTML.

const UNIT = 65535;
const PATIENCE = 3000; // milliseconds in which an answer should be there
const DRAWING = 300; // milliseconds in which the chart has drawn it
const LONG = 400; // milliseconds of a press that takes a map as the second

export default function ({ data, parentElement, setTriggerValue }) {
  const view = (parentElement.view ??= new GridView(parentElement));
  view.pick = (layer, head) => setTriggerValue("pick", [layer, head]);
  view.second = (layer, head) => setTriggerValue("second", [layer, head]);
  view.show(unpack(data, Uint16Array));
  return () => view.rest();
}

class GridView extends View {
  constructor(parent) {
    super(parent);
    this.grid = element("div", "grid");
    this.grid.setAttribute("role", "group");
    this.canvas = element("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.canvas.paintOn = (brush) => this.paintMaps(brush, 1); // for who takes the picture away
    this.map = element("canvas"); // of one head, a pixel for each cell
    this.grid.addEventListener("pointermove", (event) => this.hover(event));
    this.grid.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.grid.addEventListener("focusin", () => this.announce());
    this.root.append(this.grid, this.live, this.twin.details);
    this.built = "";
    this.own = new Map(); // cell of the large map -> its colour before it was painted
  }

  show(payload) {
    this.payload = payload;
    if (this.own.size) this.settleIn(DRAWING);
    delete document.querySelector(".st-key-map")?.dataset.ahead;
    const [layers, heads] = payload.shape;
    const names = JSON.stringify([layers, heads, payload.texts]);
    if (names !== this.built) this.build(layers, heads);
    this.built = names;
    this.mark();
    this.select(payload.layer, payload.head);
    this.letter();
    this.shape();
    this.twin.refresh(payload.texts.table);
    this.drawWith(this.grid);
  }

  shape() {
    const [, , queries, keys] = this.payload.shape;
    const ratio = Math.min(1.4, Math.max(0.9, queries / keys));
    for (const { tile } of this.tiles) tile.style.aspectRatio = String(1 / ratio);
  }

  rest() {
    clearTimeout(this.pressing);
    super.rest();
  }

  build(layers, heads) {
    const { texts } = this.payload;
    this.grid.setAttribute("aria-label", texts.label);
    this.grid.style.gridTemplateColumns = `1.1rem repeat(${heads}, minmax(0, 1fr))`;
    this.tiles = [];
    const cells = [element("span")];
    for (let head = 1; head <= heads; head++) cells.push(columnName(texts.head, head));
    for (let layer = 1; layer <= layers; layer++) {
      cells.push(element("span", "row-name", fill(texts.layer_number, { n: layer })));
      for (let head = 1; head <= heads; head++) cells.push(this.tile(layer, head));
    }
    this.grid.replaceChildren(this.canvas, ...cells, this.tip);
  }

  tile(layer, head) {
    const tile = button("tile", "", (event) => this.click(event, layer, head));
    tile.addEventListener("pointerdown", () => this.press(layer, head));
    for (const end of ["pointerup", "pointerleave", "pointercancel"])
      tile.addEventListener(end, () => clearTimeout(this.pressing));
    tile.addEventListener("contextmenu", (event) => this.held && event.preventDefault());
    const chips = element("div", "chips");
    chips.ariaHidden = "true"; // the tile's description says it
    const cell = element("div", "cell");
    cell.append(tile, chips);
    this.tiles.push({ cell, tile, chips, layer, head });
    return cell;
  }

  // What each head was measured to do; those not looked for are faint.
  mark() {
    this.tiles.forEach((item, place) => {
      const [found, faint] = this.payload.marks[place] ?? [[], false];
      item.says = found.map(([, says]) => says);
      item.tile.ariaDescription = item.says.join(". ");
      item.cell.classList.toggle("faint", faint);
      item.chips.replaceChildren(...found.map(([sign]) => element("span", "chip", sign)));
    });
  }

  // A map taken with Shift (Shift and Enter are a click too), or by a long press, is the second.
  click(event, layer, head) {
    if (this.held && event.detail) this.held = false; // ends a press that was answered already
    else if (event.shiftKey && this.payload.seconds) this.second(layer, head);
    else this.choose(layer, head);
  }

  press(layer, head) {
    clearTimeout(this.pressing);
    this.held = false;
    if (!this.payload.seconds) return;
    this.pressing = setTimeout(() => {
      this.held = true;
      this.second(layer, head);
    }, LONG);
  }

  // A and B on the maps that stand beside each other, seen and said.
  letter() {
    const { letters, texts } = this.payload;
    for (const { tile, layer, head } of this.tiles) {
      const own = letters.filter(([, l, h]) => l === layer && (h ?? head) === head).map(([letter]) => letter);
      tile.dataset.letters = own.join(" ");
      tile.setAttribute("aria-label", [fill(texts.open, { layer, head }), ...own].join(", "));
    }
  }

  choose(layer, head) {
    this.select(layer, head);
    if (layer === this.payload.layer && head === this.payload.head) this.settle();
    else this.paintLarge({ layer, head });
    this.pick(layer, head);
  }

  // The large map, which stands beside the grid, in the colours of the picked head at once: its cells
  // are paths, row by row. What is said of it comes with the server's answer; style.css hides the
  // old words if that takes long. A huge map is no paths and waits for the answer.
  paintLarge(item) {
    const large = document.querySelector(".st-key-map");
    const paths = large?.querySelector(".mark-rect.role-mark")?.querySelectorAll("path") ?? []; // frames come after
    const [, , queries, keys] = this.payload.shape;
    const all = Array.from({ length: queries * keys }, (_, cell) => cell);
    const causal = all.filter((cell) => cell % keys <= Math.floor(cell / keys));
    const shown = [all, causal].find(({ length }) => length === paths.length);
    if (!shown) return;
    const colours = palette(getComputedStyle(this.grid), "sequential");
    const start = this.offset(item);
    shown.forEach((cell, place) => {
      const [r, g, b] = new Uint8Array(colours.buffer, 4 * (this.payload.cells[start + cell] >> 8), 3);
      const path = paths[place];
      if (!this.own.has(path)) this.own.set(path, path.getAttribute("fill"));
      path.setAttribute("fill", `rgb(${r}, ${g}, ${b})`);
    });
    large.dataset.ahead = "";
    this.settleIn(PATIENCE);
  }

  settleIn(milliseconds) {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.settle(), milliseconds);
  }

  // What the answer has not drawn anew was right before: it gets its own colour back. So does
  // everything when the answer is that nothing changes, or none comes.
  settle() {
    clearTimeout(this.settling);
    for (const [path, fill] of this.own) if (path.isConnected) path.setAttribute("fill", fill);
    this.own.clear();
    delete document.querySelector(".st-key-map")?.dataset.ahead;
  }

  // Only one tile is in the tab order: Tab enters the grid, the arrows move inside it.
  select(layer, head) {
    for (const item of this.tiles) {
      const inLayer = item.layer === layer;
      item.tile.setAttribute("aria-pressed", String(inLayer && (head === null || item.head === head)));
      item.tile.tabIndex = inLayer && item.head === (head ?? 1) ? 0 : -1;
    }
  }

  key(event) {
    const step = ARROWS[event.key];
    const here = this.tiles.find(({ tile }) => tile === event.target);
    if (!step || !here) return;
    event.preventDefault();
    const next = this.tiles.find((t) => t.layer === here.layer + step[0] && t.head === here.head + step[1]);
    if (!next) return;
    here.tile.tabIndex = -1;
    next.tile.tabIndex = 0;
    next.tile.focus();
  }

  announce() {
    const focused = this.grid.getRootNode().activeElement;
    const item = this.tiles.find(({ tile }) => tile === focused);
    if (item) this.live.replaceChildren(`${this.name(item)}: `, ...this.strongest(item), ...said(item));
  }

  name({ layer, head }) {
    const { texts } = this.payload;
    return `${fill(texts.layer_number, { n: layer })} · ${fill(texts.head_number, { n: head })}`;
  }

  // Where the cells of one map start in the blob.
  offset({ layer, head }) {
    const [, heads, queries, keys] = this.payload.shape;
    return ((layer - 1) * heads + head - 1) * queries * keys;
  }

  link(row, column, value) {
    const { queries, keys, limit, languages, covered, told } = this.payload;
    const full = (text) => told[text] ?? text;
    const number = covered.includes(row) ? "  ?" : `  ${((value / UNIT) * limit).toFixed(4)}`;
    return [token(full(queries[row]), languages[0]), " → ", token(full(keys[column]), languages[1]), number];
  }

  strongest(item) {
    const [, , queries, keys] = this.payload.shape;
    const start = this.offset(item);
    const map = this.payload.cells.subarray(start, start + queries * keys);
    let best = 0;
    for (let i = 1; i < map.length; i++) if (map[i] > map[best]) best = i;
    return this.link(Math.floor(best / keys), best % keys, map[best]);
  }

  hover(event) {
    const item = this.tiles.find(({ cell }) => cell.contains(event.target));
    this.tip.hidden = !item;
    if (!item) return;
    const shape = this.payload.shape.slice(2);
    const [row, column] = cellUnder(event, item.tile, shape, this.fromRight);
    const value = this.payload.cells[this.offset(item) + row * shape[1] + column];
    const link = event.target === item.tile ? this.link(row, column, value) : [];
    this.tip.replaceChildren(`${this.name(item)}\n`, ...link, ...said(item));
    this.placeTip(event);
  }

  get fromRight() {
    return this.payload.directions[1] === "rtl";
  }

  draw() {
    const scale = window.devicePixelRatio || 1;
    const frame = this.grid.getBoundingClientRect();
    this.canvas.width = Math.round(frame.width * scale);
    this.canvas.height = Math.round(frame.height * scale);
    this.paintMaps(this.canvas.getContext("2d"), scale);
  }

  paintMaps(brush, scale) {
    const frame = this.grid.getBoundingClientRect();
    const { cells, shape } = this.payload;
    const [queries, keys] = shape.slice(2);
    const colours = palette(getComputedStyle(this.grid), "sequential");
    for (const item of this.tiles) {
      const box = item.tile.getBoundingClientRect();
      const [width, height] = [Math.round(box.width * scale), Math.round(box.height * scale)];
      const [x, y] = [Math.round((box.left - frame.left) * scale), Math.round((box.top - frame.top) * scale)];
      brush.imageSmoothingEnabled = width < keys || height < queries; // more cells than pixels
      const start = this.offset(item);
      const map = paintMap(this.map, [queries, keys], this.fromRight, (n) => colours[cells[start + n] >> 8]);
      brush.drawImage(map, x, y, width, height);
    }
  }

  // The strongest link of every head: what the picture shows, for those who do not see it.
  tables() {
    const { texts, shape } = this.payload;
    const names = (text, length) => Array.from({ length }, (_, n) => fill(text, { n: n + 1 }));
    const strongest = (layer, head) => {
      const item = this.tiles[layer * shape[1] + head];
      return [...this.strongest(item), ...said(item)];
    };
    const [layers, heads] = [names(texts.layer_number, shape[0]), names(texts.head_number, shape[1])];
    return [tableOf(texts.strongest, layers, heads, strongest)];
  }
}

function said({ says }) {
  return says.map((sentence) => `\n${sentence}`);
}

function columnName(word, head) {
  const name = element("span", "column-name");
  name.append(element("span", "long", `${word} `), String(head));
  return name;
}
