// On paper, SVG drawings replace all canvases.
// Drawings are sharp at any size. Chromium shifts a printed canvas, but not a drawing.

import { asNode } from "../app/tools/svg.js";
import { PAPER_OVERLAP, SvgBrush } from "../app/tools/svg_brush.js";
import { canvasScale, layOutForPaper } from "../pictures/paper.js";

/** Replaces the pictures of a page without a server by drawings whenever the page is printed. */
export function watchPrinting() {
  const drawings = new Map(); // canvas -> what takes its place
  const draw = () => {
    for (const canvas of canvases()) drawings.set(canvas, drawingOf(canvas));
    for (const [canvas, drawing] of drawings) canvas.replaceWith(drawing);
  };
  const restore = () => {
    for (const [canvas, drawing] of drawings) drawing.replaceWith(canvas);
    drawings.clear();
  };
  layOutForPaper(undefined, draw, restore);
}

function canvases() {
  const roots = [...document.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot);
  const all = [document, ...roots.filter(Boolean)].flatMap((root) => [
    ...root.querySelectorAll("canvas"),
  ]);
  return all.filter((canvas) => canvas.paintOn && canvas.clientWidth);
}

/**
 * Returns the content of a canvas as an SVG drawing of the same size.
 *
 * @param {HTMLCanvasElement} canvas of a picture
 * @returns {SVGSVGElement}
 */
export function drawingOf(canvas) {
  const brush = new SvgBrush(PAPER_OVERLAP);
  canvas.paintOn(brush);
  const width = canvas.width / canvasScale(canvas);
  const height = canvas.height / canvasScale(canvas);
  const attributes = `xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"`;
  const drawing = asNode(`<svg ${attributes}>${brush.parts.join("")}</svg>`);
  const { position, zIndex } = getComputedStyle(canvas);
  Object.assign(drawing.style, { position, zIndex, inset: "0", display: "block" });
  drawing.style.width = `${canvas.clientWidth}px`;
  drawing.style.height = `${canvas.clientHeight}px`;
  return drawing;
}
