// Lines from the tokens that look to the tokens that they look at, one colour for each head.
// The bytes are those of the attention grid, of one layer. Tokens are written with textContent.

const UNIT = 65535;
const ROW = 28; // pixels of a token

export default function ({ data, parentElement }) {
  const view = parentElement.linesView ?? (parentElement.linesView = new LinesView(parentElement));
  view.show(unpack(data));
  return () => view.rest();
}

function unpack(data) {
  const { header, cells } = unpackBytes(data);
  return { ...header, cells: new Uint16Array(cells) };
}

class LinesView {
  constructor(parent) {
    this.root = element("div", "root");
    this.heads = element("div", "heads");
    this.heads.setAttribute("role", "group");
    this.stage = element("div", "stage");
    this.canvas = element("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.canvas.paintOn = (brush) => this.paintHeads(brush); // for who takes the picture away
    this.queries = element("ol", "tokens queries");
    this.keys = element("ol", "tokens keys");
    this.live = element("div", "unseen");
    this.live.setAttribute("aria-live", "polite");
    this.twin = new Twin(() => this.tables());
    this.stage.append(this.queries, this.canvas, this.keys);
    this.root.append(this.heads, this.stage, this.live, this.twin.details);
    parent.append(this.root);
    this.off = new Set();
    this.observer = new ResizeObserver(() => this.draw());
    this.stage.addEventListener("pointerleave", () => this.focus(null));
  }

  show(payload) {
    this.payload = payload;
    this.held = null;
    const [, heads] = payload.shape;
    if (payload.head !== this.head) this.off = new Set();
    this.head = payload.head;
    this.heads.setAttribute("aria-label", payload.texts.heads);
    this.buildHeads(heads);
    this.buildTokens(this.queries, payload.queries, "query", payload.languages[0]);
    this.buildTokens(this.keys, payload.keys, "key", payload.languages[1]);
    this.twin.refresh(payload.texts.table);
    this.observer.disconnect();
    this.observer.observe(this.stage); // reports once at once, and so draws
  }

  rest() {
    this.observer.disconnect();
  }

  // One head alone when it was chosen on the page, otherwise all that are not switched off here.
  isOn(head) {
    return this.head === null ? !this.off.has(head) : head + 1 === this.head;
  }

  buildHeads(heads) {
    const colours = this.colours();
    this.heads.replaceChildren(
      ...Array.from({ length: heads }, (_, head) => {
        const button = element("button", "", String(head + 1));
        button.type = "button";
        button.title = fill(this.payload.texts.head_number, { n: head + 1 });
        button.setAttribute("aria-label", button.title);
        button.setAttribute("aria-pressed", String(this.isOn(head)));
        button.style.setProperty("--head", colours[head % colours.length]);
        button.addEventListener("click", () => this.toggle(head, button));
        return button;
      }),
    );
  }

  // The weights that the lines are drawn from, a table for each head that is on.
  tables() {
    const { queries, keys, limit, texts, languages } = this.payload;
    return [...this.heads.children].flatMap((button, head) =>
      this.isOn(head)
        ? [tableOf(fill(texts.head_number, { n: head + 1 }), queries, keys, (q, k) => [(limit * this.weight(head, q, k)).toFixed(3)], languages)]
        : [],
    );
  }

  toggle(head, button) {
    if (this.head !== null) {
      this.off = new Set([...this.heads.children].keys());
      this.off.delete(this.head - 1);
      this.head = null;
    }
    if (!this.off.delete(head)) this.off.add(head);
    [...this.heads.children].forEach((each, n) => each.setAttribute("aria-pressed", String(this.isOn(n))));
    button.focus();
    this.twin.refresh();
    this.draw();
  }

  buildTokens(list, tokens, side, language) {
    list.setAttribute("aria-label", this.payload.texts[side]);
    list.replaceChildren(
      ...tokens.map((text, place) => {
        const item = element("li");
        item.append(token(text, language));
        item.tabIndex = place === 0 ? 0 : -1;
        item.addEventListener("pointerenter", () => this.focus({ side, place }));
        item.addEventListener("focus", () => this.focus({ side, place }));
        item.addEventListener("blur", () => this.focus(null));
        item.addEventListener("keydown", (event) => this.key(event, list, place));
        return item;
      }),
    );
  }

  key(event, list, place) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const across = { ArrowLeft: this.queries, ArrowRight: this.keys }[event.key];
    if (!step && !across) return;
    event.preventDefault();
    const onto = across ?? list;
    onto.children[clamp(place + (step ?? 0), onto.children.length)].focus();
  }

  focus(held) {
    this.held = held;
    this.live.replaceChildren(...(held ? this.tell(held) : []));
    this.draw();
  }

  weight(head, query, key) {
    const [, , queries, keys] = this.payload.shape;
    return this.payload.cells[head * queries * keys + query * keys + key] / UNIT;
  }

  // The mean weight of the heads that are on.
  mean(query, key) {
    const on = [...[...this.heads.children].keys()].filter((head) => this.isOn(head));
    return on.reduce((sum, head) => sum + this.weight(head, query, key), 0) / (on.length || 1);
  }

  tell({ side, place }) {
    const { queries, keys, limit, languages } = this.payload;
    const values = side === "query" ? keys.map((_, k) => this.mean(place, k)) : queries.map((_, q) => this.mean(q, place));
    const best = values.indexOf(Math.max(...values));
    const [query, key] = side === "query" ? [place, best] : [best, place];
    const number = `  ${(limit * values[best]).toFixed(2)}`;
    return [token(queries[query], languages[0]), " → ", token(keys[key], languages[1]), number];
  }

  colours() {
    return getComputedStyle(this.root).getPropertyValue("--st-chart-categorical-colors").match(/#[0-9a-f]{6}/gi);
  }

  draw() {
    if (!this.payload) return;
    const scale = window.devicePixelRatio || 1;
    const [, , queries, keys] = this.payload.shape;
    const width = this.canvas.clientWidth;
    if (!width) return; // it was just taken off the page
    const height = ROW * Math.max(queries, keys);
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = `${height}px`;
    const brush = this.canvas.getContext("2d");
    brush.scale(scale, scale);
    this.paintHeads(brush);
    this.shade();
  }

  paintHeads(brush) {
    const colours = this.colours();
    const colour = (head) => colours[head % colours.length];
    const width = this.canvas.clientWidth;
    const on = [...Array(this.payload.shape[1]).keys()].filter((head) => this.isOn(head));
    const strongest = on.map((head) => this.drawHead(brush, head, colour(head), width));
    on.forEach((head, n) => this.number(brush, head, strongest[n], colour(head), width));
  }

  drawHead(brush, head, colour, width) {
    const [, , queries, keys] = this.payload.shape;
    brush.strokeStyle = colour;
    let strongest = { weight: 0.01 };
    for (let q = 0; q < queries; q++) {
      if (this.held?.side === "query" && this.held.place !== q) continue;
      for (let k = 0; k < keys; k++) {
        if (this.held?.side === "key" && this.held.place !== k) continue;
        const weight = this.weight(head, q, k);
        if (weight < 0.01) continue;
        brush.globalAlpha = this.held ? Math.max(0.12, weight) : weight;
        brush.lineWidth = this.held ? 1 + 3 * weight : 2;
        brush.beginPath();
        brush.moveTo(0, (q + 0.5) * ROW);
        brush.bezierCurveTo(width * 0.4, (q + 0.5) * ROW, width * 0.6, (k + 0.5) * ROW, width, (k + 0.5) * ROW);
        brush.stroke();
        if (weight > strongest.weight) strongest = { weight, q, k };
      }
    }
    brush.globalAlpha = 1;
    return strongest;
  }

  // The head's number on its strongest line, no two at the same part of the way: not all eyes tell
  // eight colours apart.
  number(brush, head, { q, k }, colour, width) {
    if (q === undefined) return; // no line is strong enough to be seen
    const t = (head + 1) / (this.payload.shape[1] + 1);
    const s = 1 - t;
    const x = width * (1.2 * s * s * t + 1.8 * s * t * t + t ** 3);
    const y = ROW * (0.5 + q + (k - q) * (3 * t * t - 2 * t ** 3));
    const style = getComputedStyle(this.root);
    brush.fillStyle = style.getPropertyValue("--st-background-color");
    brush.fillRect(x - 7, y - 7, 14, 14);
    brush.strokeStyle = colour;
    brush.lineWidth = 1.5;
    brush.strokeRect(x - 7, y - 7, 14, 14);
    brush.fillStyle = style.color;
    brush.font = `11px ${style.fontFamily}`;
    brush.textAlign = "center";
    brush.textBaseline = "middle";
    brush.fillText(String(head + 1), x, y + 0.5);
  }

  // The tokens on the other side show how much the held one gives them or gets.
  shade() {
    const { held } = this;
    const share = (side, place) => {
      if (!held) return 0;
      if (held.side === side) return held.place === place ? 1 : 0;
      return side === "key" ? this.mean(held.place, place) : this.mean(place, held.place);
    };
    [...this.queries.children].forEach((item, q) => item.style.setProperty("--share", share("query", q)));
    [...this.keys.children].forEach((item, k) => item.style.setProperty("--share", share("key", k)));
  }
}
