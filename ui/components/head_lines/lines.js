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
    this.queries = element("ol", "tokens queries");
    this.keys = element("ol", "tokens keys");
    this.live = element("div", "unseen");
    this.live.setAttribute("aria-live", "polite");
    this.stage.append(this.queries, this.canvas, this.keys);
    this.root.append(this.heads, this.stage, this.live);
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
    this.buildTokens(this.queries, payload.queries, "query");
    this.buildTokens(this.keys, payload.keys, "key");
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

  toggle(head, button) {
    if (this.head !== null) {
      this.off = new Set([...this.heads.children].keys());
      this.off.delete(this.head - 1);
      this.head = null;
    }
    if (!this.off.delete(head)) this.off.add(head);
    [...this.heads.children].forEach((each, n) => each.setAttribute("aria-pressed", String(this.isOn(n))));
    button.focus();
    this.draw();
  }

  buildTokens(list, tokens, side) {
    list.setAttribute("aria-label", this.payload.texts[side]);
    list.replaceChildren(
      ...tokens.map((token, place) => {
        const item = element("li");
        const name = element("bdi", "", token);
        item.append(name);
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
    if (!step) return;
    event.preventDefault();
    list.children[clamp(place + step, list.children.length)].focus();
  }

  focus(token) {
    this.held = token;
    this.live.textContent = token ? this.tell(token) : "";
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
    const { queries, keys } = this.payload;
    const values = side === "query" ? keys.map((_, k) => this.mean(place, k)) : queries.map((_, q) => this.mean(q, place));
    const best = values.indexOf(Math.max(...values));
    const [query, key] = side === "query" ? [place, best] : [best, place];
    return `${isolate(queries[query])} → ${isolate(keys[key])}  ${values[best].toFixed(2)}`;
  }

  colours() {
    return getComputedStyle(this.root).getPropertyValue("--st-chart-categorical-colors").match(/#[0-9a-f]{6}/gi);
  }

  draw() {
    if (!this.payload) return;
    const scale = window.devicePixelRatio || 1;
    const [, heads, queries, keys] = this.payload.shape;
    const width = this.canvas.clientWidth;
    if (!width) return; // it was just taken off the page
    const height = ROW * Math.max(queries, keys);
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = `${height}px`;
    const brush = this.canvas.getContext("2d");
    brush.scale(scale, scale);
    const colours = this.colours();
    for (let head = 0; head < heads; head++) {
      if (this.isOn(head)) this.drawHead(brush, head, colours[head % colours.length], width);
    }
    this.shade();
  }

  drawHead(brush, head, colour, width) {
    const [, , queries, keys] = this.payload.shape;
    brush.strokeStyle = colour;
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
      }
    }
    brush.globalAlpha = 1;
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
