// Makes the worksheet of the large map of a saved page.

import { element } from "../pictures/elements.js";
import { askForWorksheet } from "../pictures/worksheet.js";
import { drawingOf } from "./paper_pictures.js";

const PREFIX = "tools."; // of the names of the words

/**
 * Asks for the content of a map's worksheet, and prints it.
 *
 * @param {HTMLCanvasElement} canvas of the map
 * @param {object} texts of the worksheet: `title`, `attention`, `sentence`, `target` and `legend`
 * @param {object} words of the interface
 */
export function askForMapWorksheet(canvas, texts, words) {
  const own = Object.entries(words).filter(([name]) => name.startsWith(PREFIX));
  askForWorksheet(
    { ...texts, room: () => roomIn(canvas), draw: (leftOut) => drawnWithout(canvas, leftOut) },
    Object.fromEntries(own.map(([name, text]) => [name.slice(PREFIX.length), text])),
  );
}

function roomIn(canvas) {
  const { numbers, lines } = canvas.room();
  return { numbers, grid: lines };
}

function drawnWithout(canvas, leftOut) {
  canvas.leaveOut(leftOut);
  const drawing = drawingOf(canvas);
  canvas.leaveOut([]);
  drawing.removeAttribute("style");
  drawing.setAttribute("width", canvas.clientWidth);
  return element("div", { className: "drawn" }, drawing);
}
