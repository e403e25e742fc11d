// Defines what the app prints: every figure as in a saved file, and no controls.

import { element } from "../../pictures/elements.js";
import { layOutForPaper } from "../../pictures/paper.js";
import { drawPages } from "./figure_picture.js";
import { forFile } from "./light_colours.js";
import { asNode } from "./svg.js";

const FIGURES = '[class*="st-key-figure-"]:has(> * .figure-bar)';
const SENTENCES = ":is(.st-key-choice-sentence, .st-key-choice-second) :is(input, textarea)";
const OURS = "paper-part"; // class of everything that is only for paper
/** The height of a picture on a page divided by its width: see print.css. */
export const TALLEST = 23 / 18;
const PAPER_WIDTH = 680; // pixels, as in print.css
const SMALLEST = 0.75; // of its size on the screen: to this size a chart may shrink on paper

/**
 * Prepares the page for printing, each time it is printed.
 *
 * @param {AbortSignal} signal ends it
 */
export function watchPrinting(signal) {
  layOutForPaper(signal, writeForPaper, clearPaper);
}

function writeForPaper() {
  clearPaper();
  if (document.querySelector(".paper-sheet")) return; // a worksheet is printed without the page
  for (const box of document.querySelectorAll(SENTENCES)) {
    const sentence = element("p", { className: OURS, dir: "auto", translate: false }, box.value);
    box.closest(".stTextInput, .stTextArea").append(sentence);
  }
  keepChartsBeside();
  forFile(() => {
    for (const figure of document.querySelectorAll(FIGURES)) {
      const title = !isWritten(titleOf(figure));
      for (const picture of drawPages(figure, { title, tallest: TALLEST })) {
        figure.append(element("div", { className: `${OURS} drawn` }, printed(picture)));
      }
    }
  });
}

// Vega does not draw a chart again before the page is printed. Charts that are side by side stay so
// if they fit: below each other, each would leave the paper at its side empty.
function keepChartsBeside() {
  for (const row of document.querySelectorAll(".stMain .stHorizontalBlock")) {
    const columns = [...row.children].filter((part) => part.matches(".stColumn"));
    const charts = columns.map((column) => column.querySelector("svg.marks")).filter(Boolean);
    const width = charts.reduce((sum, chart) => sum + chart.clientWidth, 0);
    const isBeside = charts.length === columns.length && SMALLEST * width <= PAPER_WIDTH;
    row.toggleAttribute("data-beside", columns.length > 1 && isBeside);
  }
}

function titleOf(figure) {
  return figure.querySelector(".figure-bar").dataset.title;
}

// Returns whether a heading of the page already shows the title.
function isWritten(title) {
  const headings = [...document.querySelectorAll(".stMain :is(h1, h2, h3)")];
  return headings.some((heading) => heading.textContent.trim() === title);
}

function clearPaper() {
  for (const part of document.querySelectorAll(`.${OURS}`)) part.remove();
  for (const row of document.querySelectorAll("[data-beside]")) row.removeAttribute("data-beside");
}

/**
 * Makes an SVG element from a picture. It shrinks if it is wider than the paper.
 *
 * @param {{svg: string}} picture
 * @returns {SVGSVGElement}
 */
export function printed({ svg }) {
  const node = asNode(svg);
  node.querySelector("rect").remove(); // its ground: that of the page is behind it
  return node;
}
