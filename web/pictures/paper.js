// A picture has the width of the screen, and would be cut off on paper.
// So the page gets the width of the paper before printing, and all pictures are drawn again.

const PIXELS_PER_PIXEL = 3; // of a canvas on paper, whose dots are finer than those of a screen

/** The window event at which pictures redraw at once. */
export const REDRAW = "redraw";

/**
 * Returns the number of canvas pixels per page pixel, for the zoom of the page.
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
 * Returns whether a picture is being drawn for a file. A file shows labels unshortened.
 *
 * @returns {boolean}
 */
export function isForFile() {
  return document.documentElement.hasAttribute("data-for-file");
}

/**
 * Gives the page the width of the paper while it is printed. A style sheet with `[data-paper]` sets
 * the width, because a browser's own print layout comes too late for scripts.
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
 * Lays out the page for paper, calls a function, and restores the layout for the screen.
 *
 * @param {() => any} draw the function
 * @returns {any} what it returns
 */
export function drawForPaper(draw) {
  const drawn = lay(true, draw);
  lay(false, () => {});
  return drawn;
}

function lay(isOnPaper, then) {
  document.documentElement.toggleAttribute("data-paper", isOnPaper);
  dispatchEvent(new Event(REDRAW));
  return then();
}
