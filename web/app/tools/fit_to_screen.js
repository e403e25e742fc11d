// Zooms a presented page so that its picture is as large as the screen allows.

import { REDRAW } from "../../pictures/paper.js";
import { makeRoomInCharts } from "./relayout.js";
import { fitSentences } from "./sentence_box.js";

const NARROWEST = 720; // pixels of the page's width at the largest zoom
const SMALLEST_ZOOM = 0.35;
const READABLE_ZOOM = 0.8; // a smaller zoom makes the labels of a map too small to read
const HALVINGS = 7; // of the range of zooms
const NOTICEABLE = 0.02; // a smaller change of the zoom is not worth drawing everything again
const DELAY = 150; // milliseconds; collects the many calls of a changing page
const SLACK = 1; // pixels
const MAX_LOADING_TIME = 8000; // milliseconds; after them a page is shown as it is
const MAX_RUNNING_TIME = 5000; // milliseconds; a longer run of the script shows its progress

// Boxes that would scroll or cut off their content.
const BOXES =
  ".stMarkdown table, .token-table, .checked-draft, .st-key-tree, .katex-display, .stCode pre, " +
  ".shapes, .stHtml";

const root = document.documentElement;

let timer = 0;
let zoom = 1;
let growth = null; // observer of the page's height

/** Fits the page to the screen after a short delay. */
export function fitSoon() {
  clearTimeout(timer);
  timer = setTimeout(fitToScreen, DELAY);
}

/** Sets the largest zoom at which nothing is below the screen, beside it, or cut off. */
export function fitToScreen() {
  const page = document.querySelector(".stMainBlockContainer");
  if (!page || !root.hasAttribute("data-present")) return;
  if (!root.hasAttribute("data-fits") && isLoading(page)) {
    fitSoon();
    return;
  }
  const before = zoom;
  enlarge(fits, page);
  // A larger zoom makes the cells of a map narrower, until its columns lose their labels.
  // Without them the map is lower and fits the screen, but nobody can read it.
  if (!isLabelled(page)) {
    const unlabelled = zoom;
    enlarge((shown) => fits(shown) && isLabelled(shown), page);
    if (zoom < READABLE_ZOOM) setZoom(unlabelled);
  }
  root.toggleAttribute("data-fits", true); // web/app/present.css shows the page now
  growth ??= new ResizeObserver(shrinkToFit);
  growth.observe(page);
  if (Math.abs(zoom / before - 1) > NOTICEABLE) dispatchEvent(new Event("resize")); // for charts
}

// A chart that is drawn again for its new width may be higher than before. The zoom only becomes
// smaller then, so that it comes to rest.
function shrinkToFit() {
  const page = document.querySelector(".stMainBlockContainer");
  const isPresented = page && root.hasAttribute("data-present");
  if (!isPresented || fits(page)) return;
  enlarge(fits, page, zoom);
  makeRoomInCharts(); // their legends may need more lines now
}

// Sets the largest zoom at which the page passes a test.
function enlarge(passes, page, largest = innerWidth / NARROWEST) {
  let smallest = SMALLEST_ZOOM;
  setZoom(largest);
  if (passes(page)) return;
  for (let n = 0; n < HALVINGS; n++) {
    const middle = (smallest + largest) / 2;
    setZoom(middle);
    if (passes(page)) smallest = middle;
    else largest = middle;
  }
  setZoom(smallest);
}

// Returns whether the columns of all shown maps have the labels that they should have.
function isLabelled(page) {
  const shown = canvasesOf(page).filter((canvas) => canvas.offsetWidth > 0);
  return !shown.some((canvas) => canvas.hasAttribute("data-unlabelled"));
}

// Returns whether parts of the page are still empty. Drawing them later would move the picture.
function isLoading(page) {
  if (performance.now() > MAX_LOADING_TIME) return false;
  if (page.querySelector('[data-testid="stSkeleton"]')) return true;
  // While the script runs, the picture of a control may not have arrived: its label would be alone.
  const isRunning = document.querySelector('[data-test-script-state="running"]') !== null;
  if (isRunning && performance.now() < MAX_RUNNING_TIME) return true;
  const charts = [...page.querySelectorAll(".stVegaLiteChart, .stPlotlyChart")];
  const shown = charts.filter((chart) => chart.checkVisibility()); // the others are never drawn
  return shown.some((chart) => !chart.querySelector("svg, canvas"));
}

// Pictures redraw immediately, because their height depends on their width.
function setZoom(value) {
  zoom = value;
  root.style.setProperty("--zoom", value);
  fitSentences();
  dispatchEvent(new Event(REDRAW));
}

// Returns whether all of the page is on the screen, and nothing in it is cut off.
function fits(page) {
  const { bottom } = page.getBoundingClientRect();
  const { scrollTop } = document.querySelector(".stMain");
  if (bottom + scrollTop > innerHeight + SLACK) return false;
  const boxes = [...page.querySelectorAll(BOXES)];
  if (boxes.some((box) => box.scrollWidth > box.clientWidth + SLACK)) return false;
  const { right } = page.getBoundingClientRect();
  return canvasesOf(page).every((canvas) => canvas.getBoundingClientRect().right <= right + SLACK);
}

// Returns the canvases of the pictures, which are in shadow roots.
function canvasesOf(page) {
  const hosts = [...page.querySelectorAll("*")].filter(({ shadowRoot }) => shadowRoot);
  return hosts.flatMap((host) => [...host.shadowRoot.querySelectorAll("canvas")]);
}
