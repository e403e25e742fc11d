// Makes a worksheet from a figure of the app.

import { element } from "../../pictures/elements.js";
import { askForWorksheet } from "../../pictures/worksheet.js";
import { drawPages } from "./figure_picture.js";
import { forFile } from "./light_colours.js";
import { printed, TALLEST } from "./print_pieces.js";

const CAPTION = "[data-testid=stCaptionContainer], .guide";
const HINT = ".hint"; // says what a click does

/**
 * Asks for the content of a figure's worksheet, and prints it.
 *
 * @param {Element} figure
 * @param {object} words of the tools of a page
 */
export function askForFigureWorksheet(figure, words) {
  const { title, attention, sentence, target } = figure.querySelector(".figure-bar").dataset;
  const room = () => forFile(() => roomIn(mapsOf(figure)));
  const draw = (leftOut) => drawnWithout(figure, leftOut);
  const legend = legendOf(figure);
  askForWorksheet({ title, attention, sentence, target, legend, room, draw }, words);
}

// Returns what the cells have room for. Only one map can be drawn empty.
function roomIn(maps) {
  if (!maps.length) return {};
  const rooms = maps.map((map) => map.room());
  const numbers = rooms.some((room) => room.numbers);
  return maps.length === 1 ? { numbers, grid: rooms[0].lines } : { numbers };
}

// Returns the captions directly above a figure, or else those directly below it.
function legendOf(figure) {
  const box = figure.closest('[data-testid="stLayoutWrapper"]') ?? figure;
  const above = captionsFrom(box, "previousElementSibling").reverse();
  return (above.length ? above : captionsFrom(box, "nextElementSibling")).join(" ");
}

// Returns the captions that follow a box in one direction, up to the first element without one.
// `next` is the property of an element that holds its neighbour in this direction.
function captionsFrom(box, next) {
  const texts = [];
  for (let part = box[next]; part?.querySelector(CAPTION); part = part[next]) {
    const caption = part.querySelector(CAPTION);
    const copy = caption.cloneNode(true);
    for (const hint of copy.querySelectorAll(HINT)) hint.remove();
    if (!caption.matches(HINT)) texts.push(copy.textContent.trim());
  }
  return texts.filter(Boolean);
}

// Draws a figure without some of its elements.
// An empty grid gets no description: the worksheet has a title and the sentences above the grid.
function drawnWithout(figure, leftOut) {
  const maps = mapsOf(figure);
  for (const map of maps) map.leaveOut(leftOut);
  const facts = !leftOut.includes("cells");
  const pictures = forFile(() => drawPages(figure, { title: false, facts, tallest: TALLEST }));
  for (const map of maps) map.leaveOut([]);
  const drawn = pictures.map((picture) => element("div", { className: "drawn" }, printed(picture)));
  return element("div", {}, ...drawn);
}

// Returns the maps of a figure. Each map has its own canvas, possibly inside a component.
function mapsOf(figure) {
  const roots = [...figure.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot);
  return [figure, ...roots.filter(Boolean)]
    .flatMap((root) => [...root.querySelectorAll("canvas")])
    .filter(({ leaveOut }) => leaveOut);
}
