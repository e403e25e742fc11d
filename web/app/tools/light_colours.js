// Switches the page to the style of a saved picture: light theme on white, with unshortened labels.
// A printed page has the same colours: dark paper wastes ink, and light labels vanish on white.

import { element } from "../../pictures/elements.js";
import { REDRAW } from "../../pictures/paper.js";
import { rgbaOf } from "./css_colour.js";

const LIGHT = ":root[data-for-file]";

let light = null; // the colours, as `tools` in ui/components/tools sends them
let style = null; // the style element that sets them

/**
 * Stores the colours of saved pictures.
 *
 * @param {object} colours `css`, the variables of our own pictures; `ink`; `swaps`, the light
 *   colour of each dark colour of a chart, all as "#rrggbb"
 */
export function setLightColours(colours) {
  light = colours;
  style ??= element("style");
  if (!style.isConnected) document.head.append(style);
  style.textContent = `${rulesFor(LIGHT)} @media print { ${rulesFor(":root")} }`;
}

// Returns the rules that make a page light while `root`, a selector, matches the document.
function rulesFor(root) {
  const texts =
    ":is(h1, h2, h3, h4, p, li, table, td, th, summary, .stMarkdown, .stHtml, .stHeading, " +
    ".stMetric, .stMetric *)";
  return `
    ${root} * { transition: none !important; animation: none !important; }
    ${root} .stApp {
      color-scheme: light !important; color: ${light.ink} !important; background: #fff !important;
      --ground: #fff !important;
    }
    ${root} .stApp :where(${texts}) { color: inherit; }
    ${root} .stApp :is(summary, p code, li code, [data-testid="stMetricDelta"]) {
      color: inherit !important; background: none !important;
    }
    ${root} .stBidiComponent > div { ${light.css.replaceAll(";", " !important;")} }`;
}

/**
 * Runs a function while all pictures are drawn with the colours of a file.
 *
 * @param {() => any} draw
 * @returns {any} what `draw` returns
 */
export function forFile(draw) {
  document.documentElement.toggleAttribute("data-dark", isDark());
  document.documentElement.toggleAttribute("data-for-file", true);
  dispatchEvent(new Event(REDRAW));
  try {
    return draw();
  } finally {
    document.documentElement.removeAttribute("data-for-file");
    document.documentElement.removeAttribute("data-dark");
    dispatchEvent(new Event(REDRAW));
  }
}

function isDark() {
  return getComputedStyle(document.querySelector(".stApp")).colorScheme === "dark";
}

/**
 * Returns the light equivalent of a dark colour while a picture is drawn for a file.
 *
 * @param {string} colour a colour of a chart, which its drawing has fixed
 * @returns {string}
 */
export function lightOf(colour) {
  if (!document.documentElement.hasAttribute("data-dark")) return colour;
  const [red, green, blue, alpha] = rgbaOf(colour);
  const digits = [red, green, blue].map((part) => part.toString(16).padStart(2, "0"));
  return (alpha === 1 && light.swaps[`#${digits.join("")}`]) || colour;
}

/**
 * Replaces the dark colours in a Plotly object, at any depth.
 *
 * @param {object} options
 * @returns {() => void} restores the dark colours
 */
export function lighten(options) {
  const undo = [];
  for (const [name, value] of Object.entries(options)) {
    if (name.startsWith("_") || ArrayBuffer.isView(value)) continue; // internal fields, numbers
    const isColour = typeof value === "string" && /^(#|rgb)/.test(value);
    if (isColour && lightOf(value) !== value) {
      options[name] = lightOf(value);
      undo.push(() => (options[name] = value));
    } else if (value && typeof value === "object") {
      undo.push(lighten(value));
    }
  }
  return () => undo.forEach((act) => act());
}
