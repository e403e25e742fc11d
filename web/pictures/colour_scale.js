import { palette } from "./colours.js";

/** Maps the numbers of one matrix to colours. */
export class ColourScale {
  /**
   * @param {CSSStyleDeclaration} style computed style of an element of the page
   * @param {object} matrix `scale` is "weights" (from 0) or "signed" (one colour on each side of
   *   0); `limit` is the number with the strongest colour
   */
  constructor(style, { scale, limit }) {
    this.scale = scale;
    this.limit = limit;
    this.colours = palette(style, scale === "weights" ? "sequential" : "diverging");
  }

  /**
   * @param {number} value a finite number
   * @returns {number} its colour as little-endian RGBA, one of 256
   */
  of(value) {
    const share = this.scale === "weights" ? value / this.limit : 0.5 + value / (2 * this.limit);
    return this.colours[Math.round(255 * Math.min(1, Math.max(0, share)))];
  }
}

/**
 * Returns a colour in CSS notation.
 *
 * @param {number} colour little-endian RGBA
 * @returns {string}
 */
export function cssColour(colour) {
  return `rgb(${[0, 8, 16].map((bits) => (colour >> bits) & 255)})`;
}

/**
 * Returns black or white, whichever has more contrast to a colour.
 *
 * @param {number} colour little-endian RGBA
 * @returns {string}
 */
export function readableOn(colour) {
  const red = colour & 255;
  const green = (colour >> 8) & 255;
  const blue = (colour >> 16) & 255;
  const brightness = 0.299 * red + 0.587 * green + 0.114 * blue; // of ITU-R BT.601
  return brightness > 140 ? "#14161c" : "#ffffff";
}
