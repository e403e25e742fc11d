// The grid of all attention maps; shared.js stands before it.
// Whatever the visitor typed is written with textContent or as an attribute, never as HTML.

const UNIT = 65535;
const LONG = 400; // milliseconds of a press that takes a map as the second

class HeadGrid extends View {
  static Numbers = Uint16Array;

  constructor(parent) {
    super(parent);
    this.grid = element("div", "grid");
    this.grid.setAttribute("role", "group");
    this.canvas = element("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.canvas.paintOn = (brush) => this.paintMaps(brush); // for who takes the picture away
    this.map = element("canvas"); // of one head, a pixel for each cell
    this.grid.addEventListener("pointermove", (event) => this.hover(event));
    this.grid.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.grid.addEventListener("focusin", () => this.announce());
    this.root.append(this.grid, this.live, this.twin.details);
    this.built = "";
  }

  show(payload) {
    this.payload = payload;
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
    for (let head = 1; head <= heads; head++) cells.push(this.columnName(head));
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
    else if (event.shiftKey && this.payload.seconds) this.send("second", [layer, head]);
    else this.choose(layer, head);
  }

  press(layer, head) {
    clearTimeout(this.pressing);
    this.held = false;
    if (!this.payload.seconds) return;
    this.pressing = setTimeout(() => {
      this.held = true;
      this.send("second", [layer, head]);
    }, LONG);
  }

  // A and B on the maps that stand beside each other, seen and said.
  letter() {
    const { letters, texts } = this.payload;
    for (const { tile, layer, head } of this.tiles) {
      const own = letters.filter(([, l, h]) => l === layer && (h ?? head) === head).map(([letter]) => letter);
      tile.dataset.letters = own.join(" ");
      tile.setAttribute("aria-label", [fill(this.isMean(head) ? texts.open_mean : texts.open, { layer, head }), ...own].join(", "));
    }
  }

  choose(layer, head) {
    this.select(layer, head);
    this.send("pick", [layer, head]);
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
    return `${fill(this.payload.texts.layer_number, { n: layer })} · ${this.headName(head)}`;
  }

  // The last column may be the mean of a layer's heads.
  isMean(head) {
    return "mean" in this.payload.texts && head === this.payload.shape[1];
  }

  headName(head) {
    const { mean, head_number } = this.payload.texts;
    return this.isMean(head) ? mean : fill(head_number, { n: head });
  }

  // "Head 3", of which a small grid shows the number only.
  columnName(head) {
    const { texts } = this.payload;
    const name = element("span", "column-name");
    if (this.isMean(head)) name.append(texts.mean);
    else name.append(element("span", "long", `${texts.head} `), String(head));
    return name;
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
    this.paintMaps(brushOf(this.canvas, this.grid.clientWidth, this.grid.clientHeight));
  }

  paintMaps(brush) {
    const frame = this.grid.getBoundingClientRect();
    const { cells, shape } = this.payload;
    const [queries, keys] = shape.slice(2);
    const colours = palette(getComputedStyle(this.grid), "sequential");
    for (const item of this.tiles) {
      const box = item.tile.getBoundingClientRect();
      const [x, y, width, height] = [box.left - frame.left, box.top - frame.top, box.width, box.height].map(Math.round);
      brush.imageSmoothingEnabled = width < keys || height < queries; // more cells than pixels
      const start = this.offset(item);
      const map = paintMap(this.map, [queries, keys], this.fromRight, (n) => colours[cells[start + n] >> 8]);
      brush.drawImage(map, x, y, width, height);
    }
  }

  // The strongest link of every head: what the picture shows, for those who do not see it.
  tables() {
    const { texts, shape } = this.payload;
    const names = (length, name) => Array.from({ length }, (_, n) => name(n + 1));
    const strongest = (layer, head) => {
      const item = this.tiles[layer * shape[1] + head];
      return [...this.strongest(item), ...said(item)];
    };
    const layers = names(shape[0], (n) => fill(texts.layer_number, { n }));
    return [tableOf(texts.strongest, layers, names(shape[1], (n) => this.headName(n)), strongest)];
  }
}

function said({ says }) {
  return says.map((sentence) => `\n${sentence}`);
}
