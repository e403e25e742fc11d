import { brushOf } from "./canvas.js";
import { scaleOf } from "./colours.js";
import { button, element } from "./elements.js";
import { UINT16_MAX } from "./packed_numbers.js";
import { isForFile, isForPaper } from "./paper.js";
import { layRibbons, ribbonPoint } from "./ribbon_layout.js";
import { tableOf } from "./table.js";
import { fill } from "./texts.js";
import { TokenSides } from "./token_sides.js";

const ROW_HEIGHT = 28; // pixels of a token, at least
const LOW_ROW = 25; // the same in a low window, which then shows all tokens of a sentence
const LOW_WINDOW = 800; // pixels
const SHORT_SENTENCE_HEIGHT = 308; // pixels on a projector; lower sentences are stretched to it
const HIGHEST_ROW = 44; // pixels of a token on a projector, if there are few
const STRAND_HEIGHT = 5; // pixels of a token per head, at least
const ROW_GAP = 4; // pixels between the ribbons of two tokens
// initial threshold, relative to the full width; narrower ribbons are hidden
const FIRST_THRESHOLD = 0.1;
const HIGHEST_THRESHOLD = 0.5;
const RIBBON_OPACITY = 0.6;
const PALE_OPACITY = 0.15; // of ribbons that only explain where the rest of the attention is

/**
 * The attention of a layer as ribbons from query tokens to key tokens, with a colour for each
 * head.
 *
 * The payload is that of the head grid for one layer, see `head_lines` in
 * ui/components/head_lines. Heads count from 0 here, but from 1 in `head` of the payload.
 */
export class HeadLines extends TokenSides {
  static Numbers = Uint16Array;

  /** @param {Element | ShadowRoot} parent of the picture */
  constructor(parent) {
    super(parent, { names: ["queries", "keys"], upright: true, lookingSide: 0 });
    this.allHeads = [];
    this.shownHeads = [];
    this.chosenHead = null; // the head chosen on the page, from 1; null: all heads
    this.rowHeight = ROW_HEIGHT;
    this.heads = element("div", { className: "heads", role: "group" });
    this.squares = []; // the buttons that switch heads on and off
    this.allButton = button("", "", () => this.toggleAll());
    this.threshold = element("input", {
      type: "range",
      min: 0,
      max: HIGHEST_THRESHOLD,
      step: 0.01,
      value: FIRST_THRESHOLD,
      oninput: () => this.draw(),
    });
    this.thresholdName = element("span");
    this.thresholdValue = element("output");
    this.count = element("span", { className: "count" });
    this.drawn = element("p", { className: "drawn" }); // what the controls say, which files lack
    const label = element("label", {}, this.thresholdName, this.threshold, this.thresholdValue);
    const row = element("div", { className: "least" }, label, this.count);
    this.stage.append(this.lists[0], this.canvas, this.lists[1]);
    this.stage.addEventListener("pointerleave", () => this.point(null));
    this.root.append(this.heads, row, this.stage, this.live, this.drawn, this.details);
  }

  /** @param {object} payload */
  show(payload) {
    this.payload = payload;
    const { queries, keys, head, shape, texts, keysFirst = false } = payload;
    this.isMirrored = keysFirst;
    this.root.classList.toggle("keys-first", keysFirst);
    const allHeads = [...Array(shape[1]).keys()];
    // The selected heads stay visible until the page shows another head or model.
    if (head !== this.chosenHead || allHeads.length !== this.allHeads.length) {
      this.shownHeads = head === null ? allHeads : [head - 1];
    }
    this.allHeads = allHeads;
    this.chosenHead = head;
    const colours = this.colours();
    this.squares = allHeads.map((each) => this.square(each, colours[each % colours.length]));
    this.heads.ariaLabel = texts.heads;
    this.heads.replaceChildren(...this.squares, this.allButton);
    this.thresholdName.textContent = texts.least;
    this.allButton.textContent = texts.all;
    this.build([queries, keys], [texts.query, texts.key]);
    this.drawWith(this.stage, texts.table);
  }

  // Makes the button that switches a head on or off.
  square(head, colour) {
    const title = fill(this.payload.texts.head_number, { n: head + 1 });
    return element(
      "button",
      {
        type: "button",
        title,
        ariaLabel: title,
        style: `--head: ${colour};`,
        onclick: () => this.toggle(head),
      },
      String(head + 1),
    );
  }

  toggle(head) {
    this.showHeads(this.allHeads.filter((h) => this.shownHeads.includes(h) !== (h === head)));
  }

  toggleAll() {
    const isAll = this.shownHeads.length === this.allHeads.length;
    this.showHeads(isAll ? [0] : this.allHeads);
  }

  showHeads(heads) {
    this.shownHeads = heads;
    this.writeTables();
    this.draw();
  }

  // Returns a table of weights for each visible head.
  tables() {
    const { queries, keys, limit, texts, languages } = this.payload;
    return this.shownHeads.map((head) => {
      const caption = fill(texts.head_number, { n: head + 1 });
      const cell = (query, key) => [(limit * this.share(head, query, key)).toFixed(3)];
      return tableOf(caption, queries, keys, cell, languages);
    });
  }

  // Returns a weight of one head, from 0 to 1.
  share(head, query, key) {
    const [, , queries, keys] = this.payload.shape;
    return this.payload.cells[head * queries * keys + query * keys + key] / UINT16_MAX;
  }

  // Returns the mean weight of the visible heads.
  weightBetween(query, key) {
    const sum = this.shownHeads.reduce((total, head) => total + this.share(head, query, key), 0);
    return sum / (this.shownHeads.length || 1);
  }

  colours() {
    return scaleOf(getComputedStyle(this.root), "categorical");
  }

  draw() {
    const [, , queries, keys] = this.payload.shape;
    const wanted = ROW_GAP + STRAND_HEIGHT * this.shownHeads.length;
    this.rowHeight = Math.max(lowestRow(Math.max(queries, keys)), wanted);
    this.root.style.setProperty("--row", `${this.rowHeight}px`);
    const width = this.canvas.clientWidth;
    const height = this.rowHeight * Math.max(queries, keys);
    this.canvas.style.height = `${height}px`;
    this.paint(brushOf(this.canvas, width, height));
    this.shade(this.held);
    this.updateControls();
  }

  // Updates the controls: the visible heads, the threshold, and the number of ribbons.
  updateControls() {
    const { limit, texts } = this.payload;
    const threshold = (limit * this.threshold.value).toFixed(2);
    this.squares.forEach((square, head) => {
      square.ariaPressed = this.shownHeads.includes(head);
    });
    this.allButton.ariaPressed = this.shownHeads.length === this.allHeads.length;
    this.thresholdValue.textContent = threshold;
    this.threshold.ariaValueText = threshold;
    const ribbons = this.ribbons().filter(({ width }) => width);
    const wide = ribbons.filter((ribbon) => this.isWide(ribbon));
    const numbers = { n: wide.length, all: ribbons.length };
    this.count.textContent = fill(texts.count, numbers);
    const heads = this.shownHeads.map((head) => head + 1).join(", ");
    this.drawn.textContent = [
      this.allHeads.length > 1 ? fill(texts.drawn_heads, { heads }) : "",
      fill(texts.drawn, { ...numbers, least: threshold }),
    ].join(" ");
    this.drawn.hidden = !isForFile() && !isForPaper();
  }

  isWide({ share }) {
    return share > 0 && share >= this.threshold.value - 0.5 / UINT16_MAX; // shares are rounded
  }

  ribbons() {
    const [, , queries, keys] = this.payload.shape;
    const share = (head, query, key) => this.share(head, query, key);
    return layRibbons(this.shownHeads, [queries, keys], share, this.rowHeight, ROW_GAP);
  }

  paint(brush) {
    const colours = this.colours();
    const colourOf = (head) => colours[head % colours.length];
    const shown = this.ribbons().filter((ribbon) => this.isHeld(ribbon) && this.isWide(ribbon));
    const { pale = [], marked = [] } = this.payload;
    for (const ribbon of shown) {
      const isMarked = marked.includes(ribbon.key);
      brush.globalAlpha = pale.includes(ribbon.key) ? PALE_OPACITY : RIBBON_OPACITY;
      this.paintRibbon(brush, ribbon, colourOf(ribbon.head + (isMarked ? 1 : 0)));
    }
    brush.globalAlpha = 1;
    if (this.held && this.shownHeads.length === 1) this.paintWeights(brush, shown, colourOf);
    else if (this.shownHeads.length > 1) this.paintHeadNumbers(brush, shown, colourOf);
  }

  isHeld({ query, key }) {
    return !this.held || this.held.position === [query, key][this.held.side];
  }

  // Writes the weight of each ribbon at its far end.
  paintWeights(brush, ribbons, colourOf) {
    const t = this.held.side === 0 ? 0.93 : 0.07;
    for (const ribbon of ribbons) {
      this.paintText(brush, ribbon, this.number(ribbon.share), t, colourOf(ribbon.head));
    }
  }

  // Writes the number of each head on its widest ribbon: eight colours are hard to distinguish.
  paintHeadNumbers(brush, ribbons, colourOf) {
    this.shownHeads.forEach((head, n) => {
      const own = ribbons.filter((ribbon) => ribbon.head === head);
      const wider = (best, ribbon) => (ribbon.width > best.width ? ribbon : best);
      const widest = own.reduce(wider, { width: 0 });
      const t = (n + 1) / (this.shownHeads.length + 1);
      if (widest.width) this.paintText(brush, widest, String(head + 1), t, colourOf(head));
    });
  }

  paintRibbon(brush, { left, right, width }, colour) {
    const [start, near, far, end] = [0, 0.4, 0.6, 1].map((share) => this.acrossFrom(share));
    brush.fillStyle = colour;
    brush.beginPath();
    brush.moveTo(start, left);
    brush.bezierCurveTo(near, left, far, right, end, right);
    brush.lineTo(end, right + width);
    brush.bezierCurveTo(far, right + width, near, left + width, start, left + width);
    brush.fill();
  }

  // Returns the horizontal position at a share of the way from the queries to the keys, in pixels.
  acrossFrom(share) {
    return this.canvas.clientWidth * (this.isMirrored ? 1 - share : share);
  }

  // Writes a text in a box on a ribbon, at the share t (from 0 to 1) of its length.
  paintText(brush, ribbon, text, t, colour) {
    const style = getComputedStyle(this.root);
    const [share, y] = ribbonPoint(ribbon, 1, t);
    const x = this.acrossFrom(share);
    const half = 4 + 3.2 * text.length;
    brush.fillStyle = style.getPropertyValue("--st-background-color");
    brush.strokeStyle = colour;
    brush.lineWidth = 1.5;
    brush.fillRect(x - half, y - 7, 2 * half, 14);
    brush.strokeRect(x - half, y - 7, 2 * half, 14);
    brush.font = `11px ${style.fontFamily}`;
    brush.textAlign = "center";
    brush.textBaseline = "middle";
    brush.fillStyle = style.color;
    brush.fillText(text, x, y + 0.5);
  }
}

// Returns the lowest height of a token's row, in pixels. A short sentence fills a projector, too.
// Files and paper do not depend on the window.
function lowestRow(rows) {
  if (isForFile() || isForPaper()) return ROW_HEIGHT;
  const lowest = innerHeight < LOW_WINDOW ? LOW_ROW : ROW_HEIGHT;
  if (!document.documentElement.hasAttribute("data-present")) return lowest;
  return Math.max(lowest, Math.min(HIGHEST_ROW, SHORT_SENTENCE_HEIGHT / rows));
}
