// Defines what the app prints: every figure as in a saved file, and no controls.

import { element } from "../../pictures/elements.js";
import { layOutForPaper } from "../../pictures/paper.js";
import { drawPages, isBeingDrawn } from "./figure_picture.js";
import { forFile } from "./light_colours.js";
import { fitToPaper, unfit } from "./print_layout.js";
import { pieces, TALLEST } from "./print_pieces.js";
import { captionsBelow, fillSheets, forgetSheets } from "./print_sheets.js";

const FIGURES = '[class*="st-key-figure-"]:has(> * .figure-bar)';
const UNFINISHED = '[class*="st-key-figure-"]:not(:has(.figure-bar))'; // the bar comes last
const SENTENCES = ":is(.st-key-choice-sentence, .st-key-choice-second) :is(input, textarea)";
// Boxes whose labels say what a sentence is
const LABELLED = ":is([class*=st-key-masks-other-], [class*=st-key-positions-]) .stTextInput input";
const SKELETON = '.stMain [data-testid="stSkeleton"]'; // Streamlit shows it instead of a part
const TABLE = ":scope > .stElementContainer:has(.stMarkdown table)"; // printed as it is
const STORY = ".st-key-qkv-story"; // print.css keeps it whole, with its heading and its picture
const OURS = "paper-part"; // class of everything that is only for paper
const LONG_PARAGRAPHS = 80; // pixels of paragraphs between a heading and its picture

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
  const page = document.querySelector(".stMainBlockContainer");
  page.toggleAttribute("data-not-drawn", isPageBeingDrawn());
  writeSentences();
  fitToPaper();
  forFile(() => {
    for (const figure of document.querySelectorAll(FIGURES)) drawForPaper(figure);
  });
  const printStyles = element("style", {}, rulesForPaper()); // to measure the page as printed
  document.body.append(printStyles); // after all others
  fillSheets();
  printStyles.remove();
}

function clearPaper() {
  for (const part of document.querySelectorAll(`.${OURS}`)) part.remove();
  for (const name of ["data-below", "data-not-drawn"]) {
    for (const part of document.querySelectorAll(`[${name}]`)) part.removeAttribute(name);
  }
  unfit();
  forgetSheets();
}

// Returns whether a part of the page is missing, because the browser has not drawn it yet. Without
// WebGL it never draws a scene, and the page says so.
function isPageBeingDrawn() {
  if (document.querySelector(`${SKELETON}, ${UNFINISHED}`)) return true;
  const figures = [...document.querySelectorAll(FIGURES)];
  return figures.some((figure) => isBeingDrawn(figure) && !figure.querySelector(".no-webgl"));
}

// Writes each sentence of a box below it.
function writeSentences() {
  for (const box of document.querySelectorAll(SENTENCES)) write(sentenceOf(box, "p"), box);
  for (const box of document.querySelectorAll(LABELLED)) {
    const label = element("small", {}, box.getAttribute("aria-label"));
    write(element("p", {}, label, sentenceOf(box, "bdi")), box);
    box.closest(".stHorizontalBlock").toggleAttribute("data-beside", true);
  }
}

function sentenceOf(box, name) {
  return element(name, { dir: "auto", translate: false }, box.value);
}

function write(text, box) {
  text.classList.add(OURS);
  box.closest(".stTextInput, .stTextArea").append(text);
}

// Draws a figure below itself, and marks the captions that are below it.
function drawForPaper(figure) {
  const title = !isWritten(figure);
  for (const caption of captionsBelow(figure)) caption.toggleAttribute("data-below", true);
  const table = figure.querySelector(TABLE);
  for (const picture of drawPages(figure, { title, tallest: TALLEST })) {
    const drawn = element("div", { className: `${OURS} drawn` }, ...pieces(picture));
    if (table) table.before(drawn);
    else figure.append(drawn);
  }
}

// Returns whether a heading of the page already shows the title of a figure. After it may be a
// unit. Long paragraphs between them could leave the heading on another sheet.
function isWritten(figure) {
  const title = titleOf(figure);
  const parts = [...document.querySelectorAll(".stMain :is(h1, h2, h3, .stMarkdown, .figure-bar)")];
  const heading = parts.findLastIndex((part) => {
    const text = part.textContent.trim();
    return part.matches("h1, h2, h3") && (text === title || text.startsWith(`${title} `));
  });
  const between = parts
    .slice(heading + 1, parts.indexOf(figure.querySelector(".figure-bar")))
    .filter((part) => isParagraph(part) && !figure.contains(part) && !part.closest(STORY));
  const height = between.reduce((sum, part) => sum + part.getBoundingClientRect().height, 0);
  return heading >= 0 && height < LONG_PARAGRAPHS;
}

function titleOf(figure) {
  return figure.querySelector(".figure-bar").dataset.title;
}

function isParagraph(part) {
  return part.matches(".stMarkdown") && !part.querySelector('[data-testid="stCaptionContainer"]');
}

// Returns the print rules of all style sheets, and of those that they import.
function rulesForPaper() {
  return [...document.styleSheets].flatMap(printRules).join("\n");
}

function printRules({ cssRules }) {
  return [...cssRules].flatMap((rule) => {
    if (rule.styleSheet) return printRules(rule.styleSheet);
    if (rule.media?.mediaText !== "print") return [];
    return [...rule.cssRules].map(({ cssText }) => cssText);
  });
}
