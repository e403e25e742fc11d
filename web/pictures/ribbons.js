// A translation that is written token by token, and ribbons from each to the tokens that it looks at.
// The header holds all texts; the numbers are float32 weights, a row for each written token that has one.

import { brushOf } from "./canvas.js";
import { button, element, token } from "./elements.js";
import { still } from "./motion.js";
import { tableOf } from "./table.js";
import { fill } from "./texts.js";
import { TokensView } from "./tokens.js";

const PACE = 900; // milliseconds of a token at speed 1,
const WHOLE = 30_000; // and of a whole translation
const GROWN = 0.7; // part of its time after which a token's ribbons have grown
const OUT = 50; // milliseconds of a frame at most: a page that was hidden goes on where it was
const THICK = 22; // pixels of a ribbon of weight 1
const SEEN = 0.01; // weights below are not drawn
const SPEEDS = [0.5, 1, 2];
const ENDS = ["<bos>", "<eos>", "<pad>", "</s>"];
const STRONG = 0.85; // opacity of the ribbons that are meant now,
const PAST = 0.2; // of those of words before,
const ALL = 0.45; // and of all when nothing is meant;
const FEW = 14; // with more rows than these the last two grow fainter
const MANY = 60; // tokens on both sides from which letters are smaller

export class RibbonsView extends TokensView {
  static Numbers = Float32Array;

  constructor(parent) {
    super(parent, ["sources", "targets"], { upright: false, looking: 1 });
    [this.sources, this.targets] = this.lists;
    this.canvas.className = "ribbons";
    this.hint = element("p", { className: "hint" });
    this.ladder = element("ol", {
      className: "ladder",
      onpointerenter: () => this.hold({ pointed: { side: 1, place: this.climbed } }),
      onpointerleave: () => this.hold({ pointed: null }),
      onmousedown: (event) => event.preventDefault(), // the token keeps the focus
    });
    this.details.addEventListener("toggle", () => this.light());
    this.stage.append(this.canvas, this.sources, this.targets, this.hint, this.ladder);
    this.root.append(this.player(), this.stage, this.live, this.details);
    this.hasten(1);
  }

  player() {
    this.button = button("play", "", () => this.play(!this.playing));
    const oninput = () => {
      this.play(false);
      this.move(this.slider.valueAsNumber);
    };
    this.slider = element("input", { type: "range", min: 0, step: 1, oninput });
    const speeds = SPEEDS.map((speed) => button("", `${speed}×`, () => this.hasten(speed)));
    this.speeds = element("div", { className: "speeds", role: "group" }, ...speeds);
    return element("div", { className: "player" }, this.button, this.slider, this.speeds);
  }

  // The same translation, sent again, goes on; another one begins to be written.
  show(payload) {
    const same = this.payload?.story === payload.story;
    this.payload = payload;
    const { texts, targets } = payload;
    this.build([payload.sources, targets], [texts.source, texts.target]);
    this.stage.classList.toggle("long", payload.sources.length + targets.length > MANY);
    Object.assign(this.slider, { max: targets.length, ariaLabel: texts.position });
    this.speeds.ariaLabel = texts.speed;
    this.hint.textContent = texts.hint;
    if (!same) this.at = still.matches ? targets.length : 0;
    this.drawWith(this.stage, texts.map);
    this.hear("play", (event) => {
      event.preventDefault(); // a projector's space bar (web/app/tools/present.js)
      this.play(!this.playing);
    });
    this.mark();
    this.play(same ? this.playing : !still.matches);
  }

  rest() {
    cancelAnimationFrame(this.frame);
    super.rest();
  }

  item(text, at) {
    const joined = this.payload.joined[at.side][at.place];
    const item = super.item(joined ? text.replace(/^·/, "") : text, at);
    item.classList.toggle("joined", joined);
    item.classList.toggle("end", ENDS.includes(text));
    if (at.side) item.style.setProperty("--source", this.payload.fromSource[at.place]);
    const word = at.side === 1 && at.place < this.payload.targets.length - 1;
    item.classList.toggle(
      "little",
      word && this.payload.fromSource[at.place] < (this.payload.little ?? 0),
    );
    item.addEventListener("pointerleave", () => this.hold({ pointed: null }));
    return item;
  }

  // The number of another candidate: the model goes on from it.
  key(event, at) {
    super.key(event, at);
    const n = Number(event.key) - 1;
    if (at.side && this.payload.rivals[at.place][n]) this.choose(at.place, n);
  }

  choose(place, n) {
    if (!this.payload.rivals[place][n][2]) this.send("chosen", [place, n]);
  }

  reach(side) {
    return side ? this.written : super.reach(side);
  }

  get written() {
    return Math.ceil(this.at);
  }

  get done() {
    return this.at >= this.payload.targets.length;
  }

  // What the ribbons of the moment belong to: what is pointed at, or else the token just written.
  get meant() {
    return this.held ?? (this.done || !this.written ? null : { side: 1, place: this.written - 1 });
  }

  play(on) {
    if (on && this.done) this.move(0);
    this.playing = on;
    this.button.textContent = this.payload.texts[on ? "pause" : "play"];
    this.button.dataset.playing = on;
    cancelAnimationFrame(this.frame);
    this.last = null;
    if (on) this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    const { length } = this.payload.targets;
    const passed = Math.min(OUT, now - (this.last ?? now));
    this.last = now;
    if (!this.held) this.move(this.at + (passed * this.speed) / Math.min(PACE, WHOLE / length));
    if (this.done) this.play(false);
    else this.frame = requestAnimationFrame((later) => this.tick(later));
  }

  hasten(speed) {
    this.speed = speed;
    SPEEDS.forEach((each, n) => (this.speeds.children[n].ariaPressed = each === speed));
  }

  move(at) {
    const before = [this.written, this.done].join();
    this.at = Math.min(at, this.payload.targets.length);
    if (before !== [this.written, this.done].join()) this.mark();
    this.repaint();
  }

  // What changes from token to token, but not from frame to frame.
  mark() {
    const { targets, texts } = this.payload;
    const { meant, written } = this;
    [...this.targets.children].forEach((item, t) =>
      item.classList.toggle("unwritten", t >= written),
    );
    this.shade(meant);
    this.slider.value = written;
    const last = written ? targets[written - 1] : "";
    this.slider.ariaValueText = fill(texts.told, { n: written, all: targets.length, token: last });
    this.climb(meant?.side ? meant.place : null);
    this.light();
  }

  weightAt(target, source) {
    const { sources, cells } = this.payload;
    return cells[target * sources.length + source] ?? 0; // the last token may have no row
  }

  weightBetween(source, target) {
    return target < this.written ? this.weightAt(target, source) : 0;
  }

  describe(held) {
    const { targets, rows, languages, texts, fromSource } = this.payload;
    if (!held.side) return super.describe(held);
    const own = [token(targets[held.place], languages[1]), " · ", texts.unread];
    const said = held.place < rows ? super.describe(held) : own;
    return [...said, " · ", fill(texts.from_source, { share: fromSource[held.place].toFixed(2) })];
  }

  // The weights as a map, and what could have stood at each place.
  tables() {
    const { sources, targets, rows, rivals, languages, texts } = this.payload;
    const cell = (t, s) => [this.weightAt(t, s).toFixed(2)];
    const map = tableOf(texts.weights, targets.slice(0, rows), sources, cell, [
      languages[1],
      languages[0],
    ]);
    map.className = "map";
    [...map.tBodies[0].rows].forEach((row, t) =>
      [...row.cells]
        .slice(1)
        .forEach((each, s) => each.style.setProperty("--share", this.weightAt(t, s))),
    );
    const places = rivals[0].map((_, n) => String(n + 1));
    const rung = (t, n) => [token(rivals[t][n][0], languages[1]), ` ${rivals[t][n][1].toFixed(3)}`];
    return [map, tableOf(texts.rivals, targets, places, rung, [languages[1]])];
  }

  // The row of the map that the ribbons show.
  light() {
    const map = this.details.open && this.scroll.querySelector(".map");
    if (!map) return; // just opened, it is written in a moment, and lit then
    const lit = this.meant?.side ? this.meant.place : -1;
    [...map.tBodies[0].rows].forEach((row, t) => row.toggleAttribute("data-lit", t === lit));
  }

  // The written token and its rivals, below it, over what is not meant.
  climb(place) {
    this.hint.classList.toggle("unwritten", place !== null || !this.done);
    this.ladder.hidden = place === null;
    if (place === null) return;
    if (this.climbed === place && this.climbedIn === this.payload) return; // a rung may be under the pointer
    [this.climbed, this.climbedIn] = [place, this.payload];
    const { rivals, languages } = this.payload;
    this.ladder.replaceChildren(
      ...rivals[place].map(([text, p, chosen], n) => {
        const bar = element(
          "span",
          { className: "bar" },
          element("i", { style: `width: ${100 * p}%` }),
        );
        const rung = { ariaCurrent: chosen || null, onclick: () => this.choose(place, n) };
        return element(
          "li",
          rung,
          token(text, languages[1]),
          bar,
          element("small", {}, p.toFixed(3)),
        );
      }),
    );
    const item = this.targets.children[place];
    const middle = item.offsetLeft + item.offsetWidth / 2 - this.ladder.offsetWidth / 2;
    const most = this.stage.clientWidth - this.ladder.offsetWidth;
    this.ladder.style.left = `${Math.max(0, Math.min(most, middle))}px`;
    this.ladder.style.top = `${item.offsetTop + item.offsetHeight + 6}px`;
  }

  // Where the tokens stand; read once, not in every frame.
  draw() {
    this.brush = brushOf(this.canvas, this.stage.clientWidth, this.stage.clientHeight);
    const middle = (item) => item.offsetLeft + item.offsetWidth / 2;
    this.ends = [...this.sources.children].map((item) => [
      middle(item),
      item.offsetTop + item.offsetHeight,
    ]);
    this.starts = [...this.targets.children].map((item) => [middle(item), item.offsetTop]);
    this.mark();
    this.repaint();
  }

  repaint() {
    this.brush?.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (this.brush) this.paint(this.brush);
  }

  paint(brush) {
    brush.strokeStyle = getComputedStyle(this.canvas).color;
    const { rows } = this.payload;
    const grown = Math.min(1, (1 - this.written + this.at) / GROWN);
    for (let t = 0; t < Math.min(rows, this.written); t++) {
      const now = !this.held && !this.done && t === this.written - 1;
      if (this.starts[t]) this.paintRow(brush, t, now ? grown : 1, this.strength(t));
    }
    brush.globalAlpha = 1;
  }

  strength(t) {
    const { held, meant } = this;
    if (held) return held.side === 0 || held.place === t ? STRONG : 0;
    if (meant?.place === t) return STRONG;
    return (meant ? PAST : ALL) * Math.min(1, FEW / this.payload.rows);
  }

  // The ribbons of a token stand side by side at it, from left to right as the tokens that they lead to:
  // together as wide as a weight of 1.
  paintRow(brush, t, grown, alpha) {
    if (!alpha) return;
    brush.globalAlpha = alpha;
    const onwards = this.payload.directions[0] === "rtl" ? -1 : 1;
    let before = -0.5;
    for (let s = 0; s < this.payload.sources.length; s++) {
      const weight = this.weightAt(t, s);
      const [x, y] = this.starts[t];
      const at = x + onwards * THICK * (before + weight / 2);
      before += weight;
      if (weight < SEEN || (this.held?.side === 0 && this.held.place !== s)) continue;
      brush.lineWidth = THICK * weight;
      this.ribbon(brush, [at, y], this.ends[s], grown);
    }
  }

  // A Bézier curve as far as it has grown (de Casteljau).
  ribbon(brush, [x, y], [toX, toY], grown) {
    const between = (a, b) => a.map((from, n) => from + (b[n] - from) * grown);
    const half = (y + toY) / 2;
    const [a, b, c, d] = [
      [x, y],
      [x, half],
      [toX, half],
      [toX, toY],
    ];
    const [ab, bc, cd] = [between(a, b), between(b, c), between(c, d)];
    const [abc, bcd] = [between(ab, bc), between(bc, cd)];
    brush.beginPath();
    brush.moveTo(...a);
    brush.bezierCurveTo(...ab, ...abc, ...between(abc, bcd));
    brush.stroke();
  }
}
