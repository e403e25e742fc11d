// Makes a worksheet from a figure of the app.

import { element } from "../../pictures/elements.js";
import { askForWorksheet } from "../../pictures/worksheet.js";
import { drawShown } from "./figure_picture.js";
import { forFile } from "./light_colours.js";
import { printed } from "./print.js";

/**
 * Asks for the content of a figure's worksheet, and prints it.
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

// Draws a figure without some of its elements.
// An empty grid gets no description, because the worksheet shows it above the grid.
function drawnWithout(figure, leftOut) {
  const maps = mapsOf(figure);
  for (const map of maps) map.leaveOut(leftOut);
  const facts = !leftOut.includes("cells");
  const picture = forFile(() => drawShown(figure, { title: false, facts }));
  for (const map of maps) map.leaveOut([]);
  return element("div", { className: "drawn" }, ...(picture ? [printed(picture)] : []));
}

// Returns the maps of a figure. Each map has its own canvas, possibly inside a component.
function mapsOf(figure) {
  const roots = [...figure.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot);
  return [figure, ...roots.filter(Boolean)]
    .flatMap((root) => [...root.querySelectorAll("canvas")])
    .filter(({ leaveOut }) => leaveOut);
}
