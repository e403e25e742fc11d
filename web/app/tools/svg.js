// Builds SVG as text.

import { rgbaOf } from "./css_colour.js";

/**
 * Returns an SVG element as text.
 *
 * @param {string} name
 * @param {object} attributes empty and undefined values are left out
 * @param {string} [content] SVG
 * @returns {string}
 */
export function svgElement(name, attributes, content = "") {
  const given = Object.entries(attributes).filter(
    ([, value]) => value !== "" && value !== undefined,
  );
  const texts = given.map(([key, value]) => {
    const text = typeof value === "number" ? format2(value) : value;
    return ` ${key}="${text}"`;
  });
  return `<${name}${texts.join("")}>${content}</${name}>`;
}

/**
 * Returns a CSS colour, or "none", as attributes that every SVG program supports.
 *
 * @param {"fill" | "stroke"} name
 * @param {string} colour
 * @returns {object}
 */
export function paintAttributes(name, colour) {
  if (colour === "none") return { [name]: "none" };
  const [red, green, blue, alpha] = rgbaOf(colour);
  if (!alpha) return { [name]: "none" };
  const opacity = alpha < 1 ? alpha : "";
  return { [name]: `rgb(${red}, ${green}, ${blue})`, [`${name}-opacity`]: opacity };
}

/**
 * Returns the attributes of a text that begins, ends or is centred at a point.
 *
 * @param {string} side "left" if the text begins at the point, "right" if it ends there, "middle"
 * @param {string} direction "ltr" or "rtl"
 * @returns {object}
 */
export function anchorAttributes(side, direction) {
  const anchor = { left: "start", right: "end" }[side] ?? "middle";
  if (direction !== "rtl") return { "text-anchor": anchor };
  return { direction, "text-anchor": { start: "end", end: "start" }[anchor] ?? anchor };
}

/**
 * Returns a number with at most two decimals.
 *
 * @param {number} number
 * @returns {string}
 */
export function format2(number) {
  return String(Math.round(number * 100) / 100);
}

/**
 * Returns a visitor's text escaped for XML, without characters that XML forbids.
 *
 * @param {string} text
 * @returns {string}
 */
export function escapeXml(text) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const valid = text.replace(
    // oxlint-disable-next-line no-control-regex
    /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu,
    "\ufffd",
  );
  return valid.replace(/[&<>"]/g, (sign) => names[sign]);
}

/**
 * Makes an element from an SVG text.
 *
 * @param {string} svg
 * @returns {SVGSVGElement}
 */
export function asNode(svg) {
  const { documentElement } = new DOMParser().parseFromString(svg, "image/svg+xml");
  return document.importNode(documentElement, true);
}
