// Ribbons from the tokens that look to the tokens that they look at, one colour for each head.
// The bytes are those of the attention grid, of one layer.

import { brushOf } from "./canvas.js";
import { scaleOf } from "./colours.js";
import { button, element } from "./elements.js";
import { UNIT } from "./packed_numbers.js";
import { tableOf } from "./table.js";
import { fill } from "./texts.js";
import { TokensView } from "./tokens.js";

const [ROW, STRAND, APART] = [28, 5, 4]; // pixels: a token at least, a head's share at least, between tokens
const LEAST = 0.1; // of the full width: at first, narrower ribbons are hidden
const MOST = 0.5; // of the full width: the highest threshold

export class LinesView extends TokensView {
  static Numbers = Uint16Array;

  constructor(parent) {
    super(parent, ["queries", "keys"], { upright: true, looking: 0 });
    this.heads = element("div", { className: "heads", role: "group" });
    this.every = button("", "", () => this.turn(this.on.length < this.all.length ? this.all : [0]));
    this.stage.append(this.lists[0], this.canvas, this.lists[1]);
    this.root.append(this.heads, this.threshold(), this.stage, this.live, this.details);
    this.stage.addEventListener("pointerleave", () => this.hold({ pointed: null }));
  }

  threshold() {
    const oninput = () => this.draw();
    this.least = element("input", {
      type: "range",
      min: 0,
      max: MOST,
      step: 0.01,
      value: LEAST,
      oninput,
    });
    this.leastName = element("span");
    this.leastValue = element("output");
    this.count = element("span", { className: "count" });
    const label = element("label", {}, this.leastName, this.least, this.leastValue);
    return element("div", { className: "least" }, label, this.count);
  }

  show(payload) {
    this.payload = payload;
    const {
      queries,
      keys,
      head,
      shape: [, heads],
      texts,
    } = payload;
    const all = [...Array(heads).keys()];
    // What was switched on and off here stays until another head, or model, is chosen on the page.
    if (head !== this.chosen || heads !== this.all?.length)
      this.on = head === null ? all : [head - 1];
    Object.assign(this, { all, chosen: head });
    this.heads.ariaLabel = texts.heads;
    this.leastName.textContent = texts.least;
    this.every.textContent = texts.all;
    const colours = this.colours();
    this.squares = all.map((head) => this.square(head, colours[head % colours.length]));
    this.heads.replaceChildren(...this.squares, this.every);
    this.build([queries, keys], [texts.query, texts.key]);
    this.drawWith(this.stage, texts.table);
  }

  square(head, colour) {
    const onclick = () =>
      this.turn(this.all.filter((each) => this.on.includes(each) !== (each === head)));
    const title = fill(this.payload.texts.head_number, { n: head + 1 });
    const properties = {
      type: "button",
      title,
      ariaLabel: title,
      style: `--head: ${colour};`,
      onclick,
    };
    return element("button", properties, String(head + 1));
  }

  // The weights that the ribbons are drawn from, a table for each head that is on.
  tables() {
    const { queries, keys, limit, texts, languages } = this.payload;
    const cell = (head) => (q, k) => [(limit * this.share(head, q, k)).toFixed(3)];
    return this.on.map((head) =>
      tableOf(fill(texts.head_number, { n: head + 1 }), queries, keys, cell(head), languages),
    );
  }

  // Only these heads are on.
  turn(on) {
    this.on = on;
    this.refresh();
    this.draw();
  }

  // As a share of the full width.
  share(head, query, key) {
    const [, , queries, keys] = this.payload.shape;
    return this.payload.cells[head * queries * keys + query * keys + key] / UNIT;
  }

  // The mean of the heads that are on.
  weightBetween(query, key) {
    return (
      this.on.reduce((sum, head) => sum + this.share(head, query, key), 0) / (this.on.length || 1)
    );
  }

  colours() {
    return scaleOf(getComputedStyle(this.root), "categorical");
  }

  draw() {
    const [, , queries, keys] = this.payload.shape;
    this.row = Math.max(ROW, APART + STRAND * this.on.length);
    this.root.style.setProperty("--row", `${this.row}px`);
    const width = this.canvas.clientWidth;
    const height = this.row * Math.max(queries, keys);
    this.canvas.style.height = `${height}px`;
    this.paint(brushOf(this.canvas, width, height));
    this.shade(this.held);
    this.say();
  }

  // Which heads are on; what is hidden, and how much of all that is.
  say() {
    const { limit, texts } = this.payload;
    this.squares.forEach((square, head) => (square.ariaPressed = this.on.includes(head)));
    this.every.ariaPressed = this.on.length === this.all.length;
    this.leastValue.textContent = this.least.ariaValueText = (limit * this.least.value).toFixed(2);
    const all = this.ribbons().filter(({ wide }) => wide);
    this.count.textContent = fill(texts.count, {
      n: all.filter((ribbon) => this.isWide(ribbon)).length,
      all: all.length,
    });
  }

  isWide({ share }) {
    return share > 0 && share >= this.least.value - 0.5 / UNIT; // the bytes are rounded
  }

  // Every line of the heads that are on: where it begins and ends, and how wide it is. They share the
  // height of a token. In its share the lines of a head from one query lie below each other, in the
  // order of their keys, so that together they fill it; where they arrive they have one middle.
  // The ribbons of two heads between the same tokens lie beside each other all along.
  ribbons() {
    const { queries, keys } = this.payload;
    const { row } = this;
    const part = (row - APART) / this.on.length;
    return this.on.flatMap((head, place) => {
      const top = APART / 2 + place * part;
      return queries.flatMap((_, q) => {
        let left = q * row + top;
        return keys.map((_, k) => {
          const share = this.share(head, q, k);
          const wide = share * part;
          left += wide;
          return {
            head,
            q,
            k,
            share,
            wide,
            left: left - wide,
            right: k * row + top + (part - wide) / 2,
          };
        });
      });
    });
  }

  paint(brush) {
    const colours = this.colours();
    const colour = (head) => colours[head % colours.length];
    const held = ({ q, k }) => !this.held || this.held.place === [q, k][this.held.side];
    const shown = this.ribbons().filter((ribbon) => held(ribbon) && this.isWide(ribbon));
    brush.globalAlpha = 0.6;
    for (const ribbon of shown) this.paintRibbon(brush, ribbon, colour(ribbon.head));
    brush.globalAlpha = 1;
    if (this.held && this.on.length === 1) {
      const end = this.held.side === 0 ? 0.93 : 0.07;
      for (const ribbon of shown)
        this.tag(brush, ribbon, this.number(ribbon.share), end, colour(ribbon.head));
      return;
    }
    this.on.forEach((head, place) => {
      const own = shown.filter((ribbon) => ribbon.head === head);
      const widest = own.reduce((best, each) => (each.wide > best.wide ? each : best), { wide: 0 });
      if (widest.wide)
        this.tag(brush, widest, String(head + 1), (place + 1) / (this.on.length + 1), colour(head));
    });
  }

  paintRibbon(brush, { left, right, wide }, colour) {
    const width = this.canvas.clientWidth;
    brush.fillStyle = colour;
    brush.beginPath();
    brush.moveTo(0, left);
    brush.bezierCurveTo(width * 0.4, left, width * 0.6, right, width, right);
    brush.lineTo(width, right + wide);
    brush.bezierCurveTo(width * 0.6, right + wide, width * 0.4, left + wide, 0, left + wide);
    brush.fill();
  }

  // A number on a ribbon, t of the way along it: not all eyes tell eight colours apart.
  tag(brush, { left, right, wide }, text, t, colour) {
    const s = 1 - t;
    const x = this.canvas.clientWidth * (1.2 * s * s * t + 1.8 * s * t * t + t ** 3);
    const y = left + (right - left) * (3 * t * t - 2 * t ** 3) + wide / 2;
    const half = 4 + 3.2 * text.length;
    const style = getComputedStyle(this.root);
    const font = { font: `11px ${style.fontFamily}`, textAlign: "center", textBaseline: "middle" };
    Object.assign(brush, {
      fillStyle: style.getPropertyValue("--st-background-color"),
      strokeStyle: colour,
      lineWidth: 1.5,
    });
    brush.fillRect(x - half, y - 7, 2 * half, 14);
    brush.strokeRect(x - half, y - 7, 2 * half, 14);
    Object.assign(brush, { ...font, fillStyle: style.color });
    brush.fillText(text, x, y + 0.5);
  }
}
