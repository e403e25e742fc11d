// Printing. A picture is drawn for the width of the screen; on paper it would be cut off. So before
// a page is printed it is laid out as wide as paper is, and everything is drawn again for that.

const PIXELS_PER_PIXEL = 3; // of a canvas on paper, whose dots are finer than those of a screen

/** The event of the window at which pictures draw themselves again at once. */
export const REDRAW = "redraw";

/**
 * Returns how many pixels of a canvas lie in a pixel of the page, which may be zoomed.
 *
 * @param {HTMLCanvasElement} canvas
 * @returns {number}
 */
export function canvasScale(canvas) {
  const own = (window.devicePixelRatio || 1) * (canvas.currentCSSZoom ?? 1);
  return isForPaper() ? Math.max(PIXELS_PER_PIXEL, own) : own;
}

/**
 * Returns whether the page is being laid out for paper.
 *
 * @returns {boolean}
 */
export function isForPaper() {
  return document.documentElement.hasAttribute("data-paper");
}

/**
 * Returns whether a picture is being drawn for a file, in which labels are whole.
 *
 * @returns {boolean}
 */
export function isForFile() {
  return document.documentElement.hasAttribute("data-for-file");
}

/**
 * Lays out the page as wide as paper while it is printed. A style sheet with `[data-paper]` says
 * how wide: a browser's own layout for printing comes too late for a script.
 *
 * @param {AbortSignal} [signal] ends it
 * @param {() => void} [onPaper] called when everything is drawn for paper
 * @param {() => void} [onScreen] called afterwards
 */
export function layOutForPaper(signal, onPaper = () => {}, onScreen = () => {}) {
  addEventListener("beforeprint", () => lay(true, onPaper), { signal });
  addEventListener("afterprint", () => lay(false, onScreen), { signal });
}

/**
 * Lays out the page for paper, and afterwards for the screen again.
 *
 * @param {() => void} draw called in between
 */
export function drawForPaper(draw) {
  lay(true, draw);
  lay(false, () => {});
}

function lay(isOnPaper, then) {
  document.documentElement.toggleAttribute("data-paper", isOnPaper);
  dispatchEvent(new Event(REDRAW));
  then();
}
