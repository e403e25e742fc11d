import { brushOf } from "./canvas.js";
import { button, element, token } from "./elements.js";
import { prefersStill } from "./motion.js";
import { isForFile, isForPaper } from "./paper.js";
import { beginningOf } from "./ribbon_layout.js";
import { tableOf } from "./table.js";
import { fill } from "./texts.js";
import { TokenSides } from "./token_sides.js";

const TOKEN_TIME = 900; // milliseconds of a token at speed 1
const TRANSLATION_TIME = 30_000; // milliseconds of a whole translation at speed 1, at most
const GROWING = 0.7; // share of a token's time in which its ribbons grow
// maximum milliseconds between two frames; more would make a hidden page skip part of the animation
const FRAME_TIME = 50;
const RIBBON_WIDTH = 22; // pixels of a ribbon of weight 1
const MIN_WEIGHT = 0.01; // ribbons of smaller weights are not drawn
const SPEEDS = [0.5, 1, 2];
const SPECIAL_TOKENS = ["<bos>", "<eos>", "<pad>", "</s>"];
const SHOWN_OPACITY = 0.85; // of the ribbons of the token that is shown
const PAST_OPACITY = 0.2; // of the ribbons of earlier tokens
const ALL_OPACITY = 0.45; // of all ribbons when no token is shown
const ROWS_BEFORE_FADING = 14; // with more rows than these the last two opacities get smaller
const TOKENS_BEFORE_SHRINKING = 60; // with more tokens on both sides letters get smaller
const LETTER_SIZES = [1.5, 1.25, 1, 0.8]; // the first at which each sentence fits into one line
const BESIDE_WIDTH = 600; // pixels: in a narrower picture the candidates go below the columns
const SIDE_GAP = 16; // pixels between the column of the translation and the candidates beside it
const SOURCE = 0; // index of the source side
const TARGET = 1;

/**
 * A translation that is written token by token, with ribbons from each token to its sources.
 *
 * Each sentence is a line. If a sentence is too long for a line, both become columns.
 *
 * `ribbons` in ui/components/ribbons describes the payload. Its `cells` are float32 weights, with a
 * row for each written token except, in some maps, the last. Positions count from 0.
 */
export class Ribbons extends TokenSides {
  static Numbers = Float32Array;

  /** @param {Element | ShadowRoot} parent of the picture */
  constructor(parent) {
    super(parent, { names: ["sources", "targets"], upright: false, lookingSide: TARGET });
    [this.sources, this.targets] = this.lists;
    this.written = 0; // number of written tokens; the current token counts in part
    this.isPlaying = false;
    this.speed = 1;
    this.frame = 0; // id of the requested animation frame
    this.lastFrame = null; // time of the last frame
    this.brush = null;
    this.laidOut = null; // payload and width for which lines or columns were chosen
    this.targetPoints = []; // start of the ribbons of each target token, [x, y]
    this.sourcePoints = []; // end of the ribbons to each source token, [x, y]
    this.ladderAt = null; // the position whose candidates are shown
    this.ladderOf = null; // the payload of these candidates
    this.canvas.className = "ribbons";
    this.hint = element("p", { className: "hint" });
    this.ladder = this.makeLadder();
    this.details.addEventListener("toggle", () => this.lightRow());
    this.stage.append(this.canvas, this.sources, this.targets, this.hint, this.ladder);
    this.root.append(this.makePlayer(), this.stage, this.live, this.details);
    this.setSpeed(1);
  }

  // Makes the list of candidates below a token.
  makeLadder() {
    return element("ol", {
      className: "ladder",
      onpointerenter: () => this.point({ side: TARGET, position: this.ladderAt }),
      onpointerleave: () => this.point(null),
      onmousedown: (event) => event.preventDefault(), // the token keeps the focus
    });
  }

  makePlayer() {
    this.playButton = button("play", "", () => this.play(!this.isPlaying));
    this.slider = element("input", {
      type: "range",
      min: 0,
      step: 1,
      oninput: () => {
        this.play(false);
        this.moveTo(this.slider.valueAsNumber);
      },
    });
    const speeds = SPEEDS.map((speed) => button("", `${speed}×`, () => this.setSpeed(speed)));
    this.speeds = element("div", { className: "speeds", role: "group" }, ...speeds);
    return element("div", { className: "player" }, this.playButton, this.slider, this.speeds);
  }

  /**
   * Shows a translation. A new translation plays automatically; a repeated one continues.
   *
   * @param {object} payload `story` is a different text for each translation
   */
  show(payload) {
    const isSame = this.payload?.story === payload.story;
    this.payload = payload;
    const { sources, targets, texts } = payload;
    this.build([sources, targets], [texts.source, texts.target]);
    const isLong = sources.length + targets.length > TOKENS_BEFORE_SHRINKING;
    this.stage.classList.toggle("long", isLong);
    this.slider.max = targets.length;
    this.slider.ariaLabel = texts.position;
    this.speeds.ariaLabel = texts.speed;
    this.hint.textContent = texts.hint;
    if (!isSame) this.written = prefersStill() ? targets.length : 0;
    this.drawWith(this.stage, texts.map);
    this.listen("play", (event) => {
      event.preventDefault(); // the space bar on a projector: see web/app/tools/present.js
      this.play(!this.isPlaying);
    });
    this.listen("token", (event) => this.stepToken(event));
    this.updateTokens();
    this.play(isSame ? this.isPlaying : !prefersStill());
  }

  stop() {
    cancelAnimationFrame(this.frame);
    super.stop();
  }

  item(text, at) {
    const { side, position } = at;
    const { joined, fromSource, little, targets } = this.payload;
    // a joined token continues the previous token; elsewhere "·" marks it
    const isJoined = joined[side][position];
    const item = super.item(isJoined ? text.replace(/^·/, "") : text, at);
    item.classList.toggle("joined", isJoined);
    item.classList.toggle("end", SPECIAL_TOKENS.includes(text));
    if (side === TARGET) {
      const isWord = position < targets.length - 1;
      item.style.setProperty("--source", fromSource[position]);
      item.classList.toggle("little", isWord && fromSource[position] < (little ?? 0));
    }
    item.addEventListener("pointerleave", () => this.point(null));
    return item;
  }

  // Handles keys. A digit key chooses a candidate, and the model continues from this candidate.
  key(event, at) {
    super.key(event, at);
    const n = Number(event.key) - 1;
    if (at.side === TARGET && this.payload.rivals[at.position][n]) this.choose(at.position, n);
  }

  choose(position, n) {
    const [, , isChosen] = this.payload.rivals[position][n];
    if (!isChosen) this.send("chosen", [position, n]);
  }

  reach(side) {
    return side === TARGET ? this.writtenTokens : super.reach(side);
  }

  // On paper and in a file, a playing translation is shown whole, because it was at a random token.
  // A translation that the visitor has paused is shown as far as it was written.
  get isShownWhole() {
    return this.isPlaying && (isForPaper() || isForFile());
  }

  get writtenTokens() {
    return this.isShownWhole ? this.payload.targets.length : Math.ceil(this.written);
  }

  get isDone() {
    return this.isShownWhole || this.written >= this.payload.targets.length;
  }

  /** The token with visible ribbons: the held token, or else the token written last. */
  get shownToken() {
    if (this.held) return this.held;
    if (this.isDone || !this.writtenTokens) return null;
    return { side: TARGET, position: this.writtenTokens - 1 };
  }

  /** The position of the token with visible ribbons, if it is a target token. */
  get shownTarget() {
    return this.shownToken?.side === TARGET ? this.shownToken.position : null;
  }

  play(isOn) {
    if (isOn && this.isDone) this.moveTo(0);
    this.isPlaying = isOn;
    this.playButton.textContent = this.payload.texts[isOn ? "pause" : "play"];
    this.playButton.dataset.playing = isOn;
    cancelAnimationFrame(this.frame);
    this.lastFrame = null;
    if (isOn) this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  // Writes on in each frame, by the time since the last one, until the translation is complete.
  tick(now) {
    const passed = Math.min(FRAME_TIME, now - (this.lastFrame ?? now));
    const tokenTime = Math.min(TOKEN_TIME, TRANSLATION_TIME / this.payload.targets.length);
    this.lastFrame = now;
    const mayMove = !this.held && !this.isShownWhole; // on paper it waits
    if (mayMove) this.moveTo(this.written + (passed * this.speed) / tokenTime);
    if (this.isDone && !this.isShownWhole) this.play(false);
    else this.frame = requestAnimationFrame((later) => this.tick(later));
  }

  // Writes or removes one token, at the press of a clicker (see `present.js`).
  stepToken(event) {
    const next = this.writtenTokens + event.detail;
    if (next < 0 || next > this.payload.targets.length) return;
    event.preventDefault();
    this.play(false);
    this.moveTo(next);
  }

  setSpeed(speed) {
    this.speed = speed;
    SPEEDS.forEach((each, n) => {
      this.speeds.children[n].ariaPressed = each === speed;
    });
  }

  moveTo(written) {
    const before = [this.writtenTokens, this.isDone].join();
    this.written = Math.min(written, this.payload.targets.length);
    if (before !== [this.writtenTokens, this.isDone].join()) this.updateTokens();
    this.repaint();
  }

  // Updates the elements that change once per token, not in every frame.
  updateTokens() {
    const { targets, texts } = this.payload;
    const n = this.writtenTokens;
    const last = n ? targets[n - 1] : "";
    [...this.targets.children].forEach((item, position) => {
      item.classList.toggle("unwritten", position >= n);
    });
    this.shade(this.shownToken);
    this.slider.value = n;
    this.slider.ariaValueText = fill(texts.told, { n, all: targets.length, token: last });
    this.showLadder(this.shownTarget);
    this.lightRow();
  }

  // Returns a weight, from 0 to 1.
  // The weight is 0 if the last token has no row, because the model never read this token.
  weightAt(target, source) {
    const { sources, cells } = this.payload;
    return cells[target * sources.length + source] ?? 0;
  }

  weightBetween(source, target) {
    return target < this.writtenTokens ? this.weightAt(target, source) : 0;
  }

  // When the translation is complete, the marked tokens are shaded, and the tokens they look at.
  shareOf(at, held) {
    const { marked = [] } = this.payload;
    if (held || !this.isDone || !marked.length) return super.shareOf(at, held);
    const ofEach = marked.map((position) => super.shareOf(at, { side: TARGET, position }));
    return Math.max(...ofEach);
  }

  describe(held) {
    const { targets, rows, languages, texts, fromSource } = this.payload;
    const { side, position } = held;
    if (side === SOURCE) return super.describe(held);
    const unread = [token(targets[position], languages[TARGET]), " · ", texts.unread];
    const strongest = position < rows ? super.describe(held) : unread;
    const share = fill(texts.from_source, { share: fromSource[position].toFixed(2) });
    return [...strongest, " · ", share];
  }

  // Returns the tables: the weights as a map, and the candidates at each position.
  tables() {
    const { sources, targets, rows, rivals, languages, texts } = this.payload;
    const weight = (t, s) => [this.weightAt(t, s).toFixed(2)];
    const map = tableOf(texts.weights, targets.slice(0, rows), sources, weight, [
      languages[TARGET],
      languages[SOURCE],
    ]);
    map.className = "map";
    [...map.tBodies[0].rows].forEach((row, t) => {
      [...row.cells].slice(1).forEach((cell, s) => {
        cell.style.setProperty("--share", this.weightAt(t, s));
      });
    });

    const ranks = rivals[0].map((_, n) => String(n + 1));
    const rival = (position, n) => {
      const [text, probability] = rivals[position][n];
      return [token(text, languages[TARGET]), ` ${probability.toFixed(3)}`];
    };
    return [map, tableOf(texts.rivals, targets, ranks, rival, [languages[TARGET]])];
  }

  // Outlines the row of the map whose ribbons are visible.
  lightRow() {
    const map = this.details.open && this.tablesBox.querySelector(".map");
    if (!map) return; // just opened: the table does not exist yet
    [...map.tBodies[0].rows].forEach((row, t) => {
      row.toggleAttribute("data-lit", t === this.shownTarget);
    });
  }

  // Shows the candidates below the token at a position; null hides them.
  showLadder(position) {
    this.hint.classList.toggle("unwritten", position !== null || !this.isDone);
    this.ladder.hidden = position === null;
    if (position === null) return;
    // Keep an unchanged list, because the pointer may be on one of its candidates.
    if (this.ladderAt === position && this.ladderOf === this.payload) return;
    this.ladderAt = position;
    this.ladderOf = this.payload;
    const rivals = this.payload.rivals[position];
    this.ladder.replaceChildren(...rivals.map((rival, n) => this.rung(rival, position, n)));
    this.placeLadder(this.targets.children[position]);
  }

  // Makes the line of one candidate.
  rung([text, probability, isChosen], position, n) {
    const share = element("i", { style: `width: ${100 * probability}%` });
    return element(
      "li",
      { ariaCurrent: isChosen || null, onclick: () => this.choose(position, n) },
      token(text, this.payload.languages[TARGET]),
      element("span", { className: "bar" }, share),
      element("small", {}, probability.toFixed(3)),
    );
  }

  // Puts the candidates below their token, or beside it if the sentences are columns.
  // In narrow columns, the style sheet puts the candidates below both columns.
  placeLadder(item) {
    const { style } = this.ladder;
    if (this.upright) {
      const isBeside = this.stage.classList.contains("beside");
      const lowest = this.targets.offsetHeight - this.ladder.offsetHeight;
      const top = Math.max(0, Math.min(lowest, item.offsetTop));
      style.left = isBeside
        ? `${this.targets.offsetLeft + this.targets.offsetWidth + SIDE_GAP}px`
        : "";
      style.top = isBeside ? `${top}px` : "";
      return;
    }
    const left = item.offsetLeft + item.offsetWidth / 2 - this.ladder.offsetWidth / 2;
    const rightmost = this.stage.clientWidth - this.ladder.offsetWidth;
    style.left = `${Math.max(0, Math.min(rightmost, left))}px`;
    style.top = `${item.offsetTop + item.offsetHeight + 6}px`;
  }

  // Chooses lines or columns. Measures the token positions once, not in every frame.
  draw() {
    this.layOut();
    this.brush = brushOf(this.canvas, this.stage.clientWidth, this.stage.clientHeight);
    this.sourcePoints = [...this.sources.children].map((item) => this.endOf(item));
    this.targetPoints = [...this.targets.children].map((item) => this.startOf(item));
    this.updateTokens();
    this.repaint();
  }

  // Writes each sentence in one line if some letter size allows this, otherwise both in columns.
  layOut() {
    const { clientWidth, classList, style } = this.stage;
    const subject = [this.payload, clientWidth];
    if (this.laidOut?.every((value, n) => value === subject[n])) return;
    this.laidOut = subject;
    classList.remove("columns");
    const fits = LETTER_SIZES.some((size) => {
      style.setProperty("--letters", size);
      return this.lists.every((list) => list.offsetWidth <= clientWidth);
    });
    this.upright = !fits;
    classList.toggle("columns", this.upright);
    classList.toggle("beside", this.upright && clientWidth >= BESIDE_WIDTH);
    this.ladderAt = null; // place the candidates again
  }

  // Returns the point at which the ribbons of a written token begin.
  startOf({ offsetLeft, offsetTop, offsetWidth, offsetHeight }) {
    if (this.upright) return [offsetLeft, offsetTop + offsetHeight / 2];
    return [offsetLeft + offsetWidth / 2, offsetTop];
  }

  // Returns the point at which the ribbons to a source token end.
  endOf({ offsetLeft, offsetTop, offsetWidth, offsetHeight }) {
    if (this.upright) return [offsetLeft + offsetWidth, offsetTop + offsetHeight / 2];
    return [offsetLeft + offsetWidth / 2, offsetTop + offsetHeight];
  }

  repaint() {
    if (!this.brush) return; // not drawn yet
    this.brush.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.paint(this.brush);
  }

  paint(brush) {
    if (!this.payload) return; // printed before the first translation
    const { rows } = this.payload;
    const n = this.writtenTokens;
    // how much of the ribbons of the current token is drawn, from 0 to 1
    const growing = isForPaper() ? 1 : Math.min(1, (1 - n + this.written) / GROWING);
    brush.strokeStyle = getComputedStyle(this.canvas).color;
    for (let t = 0; t < Math.min(rows, n); t++) {
      const isGrowing = !this.held && !this.isDone && t === n - 1;
      if (this.targetPoints[t]) this.paintRow(brush, t, isGrowing ? growing : 1);
    }
    brush.globalAlpha = 1;
  }

  opacityOf(target) {
    const { held, shownToken } = this;
    if (held) {
      const isShown = held.side === SOURCE || held.position === target;
      return isShown ? SHOWN_OPACITY : 0;
    }
    const { marked = [] } = this.payload;
    const strong = shownToken ? [shownToken.position] : marked;
    if (strong.includes(target)) return SHOWN_OPACITY;
    const opacity = strong.length ? PAST_OPACITY : ALL_OPACITY;
    return opacity * Math.min(1, ROWS_BEFORE_FADING / this.payload.rows);
  }

  // Paints the ribbons of a token side by side, in the order of their source tokens.
  // Their total width is the width of a ribbon with weight 1.
  paintRow(brush, target, grown) {
    const opacity = this.opacityOf(target);
    if (!opacity) return;
    brush.globalAlpha = opacity;
    const { held } = this;
    const isFromRight = !this.upright && this.payload.directions[SOURCE] === "rtl";
    const [x, y] = this.targetPoints[target];
    let before = -0.5; // sum of the weights of the previous ribbons, minus a half
    for (let source = 0; source < this.payload.sources.length; source++) {
      const weight = this.weightAt(target, source);
      const aside = (isFromRight ? -1 : 1) * RIBBON_WIDTH * (before + weight / 2);
      before += weight;
      const isOther = held?.side === SOURCE && held.position !== source;
      if (weight < MIN_WEIGHT || isOther) continue;
      brush.lineWidth = RIBBON_WIDTH * weight;
      const start = this.upright ? [x, y + aside] : [x + aside, y];
      this.paintRibbon(brush, start, this.sourcePoints[source], grown);
    }
  }

  // Paints a ribbon from a target token to a source token. `grown` is the share of its length that
  // is painted, from 0 to 1.
  paintRibbon(brush, [x, y], [toX, toY], grown) {
    const middleX = (x + toX) / 2;
    const middleY = (y + toY) / 2;
    const curve = [
      [x, y],
      this.upright ? [middleX, y] : [x, middleY],
      this.upright ? [middleX, toY] : [toX, middleY],
      [toX, toY],
    ];
    const [start, ...others] = beginningOf(curve, grown);
    brush.beginPath();
    brush.moveTo(...start);
    brush.bezierCurveTo(...others.flat());
    brush.stroke();
  }
}
