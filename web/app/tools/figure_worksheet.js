// The worksheet of a figure of the app.

import { element } from "../../pictures/elements.js";
import { askForWorksheet } from "../../pictures/worksheet.js";
import { drawShown } from "./figure_picture.js";
import { printed } from "./print.js";

/**
 * Asks what the worksheet of a figure should hold, and prints it.
 *
 * @param {Element} figure
 * @param {object} words of the tools of a page
 */
export function askForFigureWorksheet(figure, words) {
  const { title, sentence, target } = figure.querySelector(".figure-bar").dataset;
  const hasGrid = mapsOf(figure).length === 1;
  const draw = (leftOut) => drawnWithout(figure, leftOut);
  askForWorksheet({ title, sentence, target, hasGrid, draw }, words);
}

// An empty grid has no line below that says what it is: it is shown above.
function drawnWithout(figure, leftOut) {
  const maps = mapsOf(figure);
  for (const map of maps) map.leaveOut(leftOut);
  const picture = drawShown(figure, { title: false, facts: !leftOut.includes("cells") });
  for (const map of maps) map.leaveOut([]);
  return element("div", { className: "drawn" }, ...(picture ? [printed(picture)] : []));
}

// The maps of a figure, each on its own canvas, also inside components.
function mapsOf(figure) {
  const roots = [...figure.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot);
  return [figure, ...roots.filter(Boolean)]
    .flatMap((root) => [...root.querySelectorAll("canvas")])
    .filter(({ leaveOut }) => leaveOut);
}
