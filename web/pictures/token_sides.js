import { argmax, clamp } from "./arithmetic.js";
import { ARROWS } from "./arrow_keys.js";
import { element, token } from "./elements.js";
import { Picture } from "./picture.js";

/**
 * Two sides of tokens with ribbons between them: the base of `HeadLines` and `Ribbons`.
 *
 * A subclass paints the ribbons. Its `weightBetween(first, second)` returns the weight, from 0 to
 * 1, between a token of the first side and a token of the second side.
 */
export class TokenSides extends Picture {
  /**
   * @param {Element | ShadowRoot} parent of the picture
   * @param {object} options
   * @param {string[]} options.names class names of the two sides
   * @param {boolean} options.upright whether each side is a column; otherwise it is a row
   * @param {number} options.lookingSide the side with the queries, 0 or 1
   */
  constructor(parent, { names, upright, lookingSide }) {
    super(parent);
    this.upright = upright;
    this.lookingSide = lookingSide;
    this.isMirrored = false; // whether the second side is at the left of the first
    this.stage = element("div", { className: "stage" });
    this.lists = names.map((name) => element("ol", { className: `tokens ${name}` }));
    this.payload = null;
    this.tokens = [[], []];

    // A token is given by its side, 0 or 1, and its position on that side, from 0.
    this.pointed = null; // the token under the pointer
    this.focused = null; // the token reached by keys
  }

  /**
   * Writes the tokens of both sides.
   *
   * @param {string[][]} tokens
   * @param {string[]} labels the names of the sides
   */
  build(tokens, labels) {
    this.tokens = tokens;
    this.pointed = null;
    this.focused = null;
    this.lists.forEach((list, side) => {
      list.ariaLabel = labels[side];
      list.dir = this.payload.directions[side];
      const items = tokens[side].map((text, position) => this.item(text, { side, position }));
      list.replaceChildren(...items);
    });
  }

  // Makes the element of a token, which is given by its side and position.
  item(text, at) {
    const { languages, inFull } = this.payload;
    const properties = {
      tabIndex: at.position ? -1 : 0, // Tab enters a side, arrows move along it
      onpointerenter: () => this.point(at),
      onfocus: () => this.focus(at),
      onblur: () => this.focus(null),
      onkeydown: (event) => this.key(event, at),
    };
    return element("li", properties, token(text, languages[at.side], inFull));
  }

  point(at) {
    this.pointed = at;
    this.update();
  }

  focus(at) {
    this.focused = at;
    this.update();
  }

  update() {
    this.live.replaceChildren(...(this.held ? this.describe(this.held) : []));
    this.draw();
  }

  /** The token to which the visible ribbons are limited; null if all are visible. */
  get held() {
    return this.pointed ?? this.focused;
  }

  // Arrow keys move along a side, or to the other side.
  key(event, { side, position }) {
    if (event.key === "Escape") event.target.blur();
    const step = ARROWS[event.key];
    if (!step) return;
    event.preventDefault();

    const [down, right] = step;
    const onwards = this.lists[side].dir === "rtl" ? -right : right;
    const sideways = this.isMirrored ? -right : right;
    const [along, across] = this.upright ? [down, sideways] : [onwards, down];
    const nextSide = across ? Number(across > 0) : side;
    const next = clamp(position + along, this.reach(nextSide));
    this.lists[nextSide].children[next]?.focus();
  }

  /**
   * Returns how many tokens of a side the keyboard can currently reach.
   *
   * @param {number} side 0 or 1
   * @returns {number}
   */
  reach(side) {
    return this.lists[side].children.length;
  }

  // Returns the weight between a token and the token at position `other` of the other side.
  weight({ side, position }, other) {
    return side ? this.weightBetween(other, position) : this.weightBetween(position, other);
  }

  /**
   * Returns a text that names the token of the other side with the largest weight.
   *
   * @param {{side: number, position: number}} held
   * @returns {(string | Node)[]}
   */
  describe(held) {
    const { side, position } = held;
    const { languages } = this.payload;
    const weights = Array.from({ length: this.reach(1 - side) }, (_, n) => this.weight(held, n));
    const strongest = argmax(weights);
    const pair = side ? [strongest, position] : [position, strongest];
    const ends = pair.map((n, s) => token(this.tokens[s][n] ?? "", languages[s]));
    if (!weights[strongest]) return [ends[side]];
    const number = this.number(weights[strongest]);
    return [ends[this.lookingSide], " → ", ends[1 - this.lookingSide], ` ${number}`];
  }

  // Returns a weight as text, in the units of the page: a weight of 1 stands for `limit`.
  number(weight) {
    return ((this.payload.limit ?? 1) * weight).toFixed(2);
  }

  /**
   * Shades each token by its weight to or from the held token.
   *
   * @param {{side: number, position: number} | null} held
   */
  shade(held) {
    this.lists.forEach((list, side) => {
      [...list.children].forEach((item, position) => {
        item.style.setProperty("--share", this.shareOf({ side, position }, held));
      });
    });
  }

  // Returns how dark a token is, from 0 to 1: the held token itself is darkest.
  shareOf({ side, position }, held) {
    if (!held) return 0;
    if (held.side === side) return Number(held.position === position);
    return this.weight(held, position);
  }
}
