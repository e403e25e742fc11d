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

const BLACK = "#14161c";
const WHITE = "#ffffff";
const LUMINANCE_OF_BLACK = 0.008;
// Added to both colours of a contrast: light that a screen reflects.
const REFLECTED = 0.05;

/**
 * Returns black or white, whichever has more contrast to a colour. A contrast is at least 4.2.
 *
 * Luminance and contrast are those of WCAG 2.2: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
 *
 * @param {number} colour little-endian RGBA
 * @returns {string}
 */
export function readableOn(colour) {
  const red = linear(colour & 255);
  const green = linear((colour >> 8) & 255);
  const blue = linear((colour >> 16) & 255);
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const ofBlack = (luminance + REFLECTED) / (LUMINANCE_OF_BLACK + REFLECTED);
  const ofWhite = (1 + REFLECTED) / (luminance + REFLECTED);
  return ofBlack > ofWhite ? BLACK : WHITE;
}

// The share of light, from 0 to 1, of one channel of sRGB, from 0 to 255.
function linear(channel) {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
