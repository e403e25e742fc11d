import { element } from "../../pictures/elements.js";

const NUMBERS = /^(rgba?|color)\((?:srgb )?([^)]*)\)$/;
const HEX = /^#(?:[0-9a-f]{3}){1,2}$/i;

let probe = null; // an element that only computes colours

/**
 * Returns a CSS colour as numbers, without a canvas: some browsers add noise to canvas data.
 *
 * @param {string} colour
 * @returns {number[]} red, green and blue from 0 to 255, opacity from 0 to 1
 */
export function rgbaOf(colour) {
  return parse(colour) ?? parse(computed(colour)) ?? [0, 0, 0, 0];
}

// Reads a colour in one of the notations of a computed style, or as "#rrggbb"; null for any other.
function parse(colour) {
  if (HEX.test(colour)) {
    const digits = colour.length > 4 ? colour.slice(1) : colour.slice(1).replace(/./g, "$&$&");
    return [...digits.match(/../g).map((pair) => parseInt(pair, 16)), 1];
  }
  const [, space, list] = colour.match(NUMBERS) ?? [];
  if (!space) return null;
  const [red, green, blue, alpha = 1] = list.split(/[\s,/]+/).map(Number);
  const size = space === "color" ? 255 : 1;
  return [...[red, green, blue].map((part) => Math.round(part * size)), alpha];
}

// Converts colour names and mixtures, with the browser's computed style.
function computed(colour) {
  if (!probe) {
    probe = element("span", { hidden: true });
    document.body.append(probe);
  }
  probe.style.color = "transparent"; // remains if `colour` is not a valid colour
  probe.style.color = colour;
  return getComputedStyle(probe).color;
}
