import { element } from "../../pictures/elements.js";

const KNOWN = [18, 52, 86]; // a colour that a guard is unlikely to return by chance
const TOLERANCE = 3; // of 255; a smaller change of a colour is invisible in a picture

/** The error when the browser does not let a page read its own canvas. */
export class GuardedCanvasError extends Error {}

/**
 * Checks one pixel whose colour is known. Some browsers add noise to canvas data, because sites
 * can recognise visitors by a canvas.
 *
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} brush
 * @param {number[]} colour of the pixel at the upper left: red, green, blue
 * @throws {GuardedCanvasError} the browser returns another colour
 */
export function checkPixel(brush, colour) {
  const pixel = brush.getImageData(0, 0, 1, 1).data;
  if (colour.some((part, n) => Math.abs(part - pixel[n]) > TOLERANCE)) {
    throw new GuardedCanvasError("The browser guards its canvases.");
  }
}

/**
 * Checks that a canvas of this page can be read.
 *
 * @throws {GuardedCanvasError} it cannot be read
 */
export function checkCanvases() {
  const brush = element("canvas", { width: 1, height: 1 }).getContext("2d");
  brush.fillStyle = `rgb(${KNOWN})`;
  brush.fillRect(0, 0, 1, 1);
  checkPixel(brush, KNOWN);
}
