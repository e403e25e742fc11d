// Defines what the app prints: every figure as in a saved file, and no controls.

import { element } from "../../pictures/elements.js";
import { layOutForPaper } from "../../pictures/paper.js";
import { drawPages, isBeingDrawn } from "./figure_picture.js";
import { forFile } from "./light_colours.js";
import { asNode } from "./svg.js";

const FIGURES = '[class*="st-key-figure-"]:has(> * .figure-bar)';
const SENTENCES = ":is(.st-key-choice-sentence, .st-key-choice-second) :is(input, textarea)";
// Boxes whose labels say what a sentence is
const LABELLED = ":is([class*=st-key-masks-other-], [class*=st-key-positions-]) input[type=text]";
const WORDS = ".token-table:not(:has(.paper-table))"; // tables with a column for each token
const SKELETON = '.stMain [data-testid="stSkeleton"]'; // Streamlit shows it instead of a part
const DRAFT = ".checked-draft"; // its columns continue on further lines
// Rows of numbers with their captions, without charts
const NUMBERS =
  ".stMain .stHorizontalBlock:has(> .stColumn .stMetric)" +
  ":not(:has(.stVegaLiteChart, .stBidiComponent))";
const TABLE = ":scope > .stElementContainer:has(.stMarkdown table)"; // printed as it is
const CAPTION = ".stElementContainer:has([data-testid=stCaptionContainer], .guide)";
const FACTS = 'text[font-size="12"]'; // lines of the description in a picture
const STORY = ".st-key-qkv-story"; // print.css keeps it whole, with its heading and its picture
const OURS = "paper-part"; // class of everything that is only for paper
const ADDED = `.${OURS}, [data-line-end], [data-again], [data-part]`;
/** The height of a picture on a page divided by its width: see print.css. */
export const TALLEST = 23 / 18;
const PAPER_WIDTH = 680; // pixels, as in print.css
const PAGE_HEIGHT = 960; // pixels of Letter between the margins; A4 is higher
const SMALLEST = 0.75; // how far charts side by side may shrink, relative to the screen
const LEAST_WIDE = 0.6; // how far a wide chart may shrink before it is turned
const LEAST_TREE = 0.8; // how far a tree may shrink before it is cut between its steps
const LEAST_STRIP = 0.85; // how far the strips of a chart may shrink so that they are fewer
const LEAST_FILLING = 0.6; // how far a picture may shrink so that it fits on the first page
const LEAST_PIECE = 0.75; // the same for one of several pieces, beside larger ones
const LEAST_WITH_TEXT = 0.75; // how far the last picture may shrink for the texts after it
const LONGEST_ENDING = 300; // pixels of the texts after the last picture that stay with it
const HIGHEST_CAPTIONS = 100; // pixels of the captions that stay with the picture above them
const LEAST_LETTERS = 8; // pixels of the letters of a description in a picture that shrinks
const LEAST_GAIN = 1.2; // how much larger a chart has to be turned than not turned
const LEAST_TURNED = 0.6; // how far a chart may shrink when it is turned
const LEAST_ROOM = 120; // pixels of the first page for which a picture shrinks
const LONG_PARAGRAPHS = 80; // pixels of paragraphs between a heading and its picture
const NAME_HEIGHT = 25; // pixels of the name of the app above a printed page, as measured
const HEADING = 90; // pixels of a page above a picture, for the heading that stays with it
const MOST_TOKENS = 18; // in a transposed table, which has a row for each
const TOKENS_OF_A_PART = 12; // of a longer table
const MARK = 4; // pixels by which the first mark of a chart may reach over its axis
// Pixels that neighbouring pieces of a wide chart share, so that one of them has each label whole.
const OVERLAP = 80;

let cuts = 0; // number of pictures that were cut, which makes their ids unique
let turns = new Map(); // the turned drawings, each with its picture

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
  turns = new Map();
  if (document.querySelector(".paper-sheet")) return; // a worksheet is printed without the page
  for (const box of document.querySelectorAll(SENTENCES)) write(sentenceOf(box, "p"), box);
  for (const box of document.querySelectorAll(LABELLED)) {
    const label = element("small", {}, box.getAttribute("aria-label"));
    write(element("p", {}, label, sentenceOf(box, "bdi")), box);
    box.closest(".stHorizontalBlock").toggleAttribute("data-beside", true);
  }
  const page = document.querySelector(".stMainBlockContainer");
  page.toggleAttribute("data-not-drawn", isPageBeingDrawn());
  keepChartsBeside();
  turnWideTables();
  for (const draft of document.querySelectorAll(DRAFT)) repeatNames(draft);
  forFile(() => {
    for (const figure of document.querySelectorAll(FIGURES)) {
      const title = !isWritten(figure);
      for (const caption of captionsBelow(figure)) caption.toggleAttribute("data-below", true);
      const table = figure.querySelector(TABLE);
      for (const picture of drawPages(figure, { title, tallest: TALLEST })) {
        const drawn = element("div", { className: `${OURS} drawn` }, ...pieces(picture));
        if (table) table.before(drawn);
        else figure.append(drawn);
      }
    }
  });
  const printStyles = element("style", {}, rulesForPaper()); // to measure the page as printed
  document.body.append(printStyles); // after all others
  fillFirstPage();
  keepEnding();
  printStyles.remove();
}

// Returns whether a part of the page is missing, because the browser has not drawn it yet. Without
// WebGL it never draws a scene, and the page says so.
function isPageBeingDrawn() {
  if (document.querySelector(SKELETON)) return true;
  const figures = [...document.querySelectorAll(FIGURES)];
  return figures.some((figure) => isBeingDrawn(figure) && !figure.querySelector(".no-webgl"));
}

function sentenceOf(box, name) {
  return element(name, { dir: "auto", translate: false }, box.value);
}

// Writes a text below the box that it is typed into.
function write(text, box) {
  text.classList.add(OURS);
  box.closest(".stTextInput, .stTextArea").append(text);
}

// A table that is wider than the paper is transposed. A long one becomes several tables, because
// only the sheet with its beginning would name its columns.
function turnWideTables() {
  for (const box of document.querySelectorAll(WORDS)) {
    const isWide = box.scrollWidth > box.clientWidth;
    box.toggleAttribute("data-turned", isWide);
    if (isWide) partTable(box);
  }
}

function partTable(box) {
  const table = box.querySelector("table");
  const [, ...cells] = table?.querySelector("tr")?.children ?? []; // without the name of the row
  const tokens = cells.length;
  if (tokens <= MOST_TOKENS) return;
  const length = Math.ceil(tokens / Math.ceil(tokens / TOKENS_OF_A_PART));
  for (let start = 0; start < tokens; start += length) {
    const part = table.cloneNode(true);
    part.toggleAttribute("data-part", true);
    for (const row of part.querySelectorAll("tr")) {
      const [, ...others] = row.children;
      others.splice(start, length);
      for (const cell of others) cell.remove();
    }
    box.append(part);
  }
  box.toggleAttribute("data-parted", true);
}

// Begins each further line of a draft with the names of its rows.
function repeatNames(draft) {
  const [names, ...positions] = draft.querySelectorAll("tr");
  const topOf = (part) => part.getBoundingClientRect().top;
  let lineTop = topOf(names);
  for (const position of positions) {
    if (topOf(position) > lineTop + 1) {
      const end = element("tr"); // the names would not begin a line if there was room before it
      end.toggleAttribute("data-line-end", true);
      const again = names.cloneNode(true);
      again.toggleAttribute("data-again", true);
      position.before(end, again);
      lineTop = topOf(position);
    }
  }
}

// Returns a picture as one or more SVG elements. A page may end between two of them, but not inside
// one. A chart that is much wider than the paper is turned. If it does not fit on a page then, it
// is cut into pieces that are as wide as the paper. A tree can be cut between its steps, so it is
// cut sooner.
function pieces(picture) {
  const whole = printed(picture);
  const isTree = !picture.axis && startsAtGaps(picture)?.length > 1;
  if (isTree && LEAST_TREE * picture.width > PAPER_WIDTH) {
    return cut(whole, besideEachOther(picture), "strip");
  }
  const isTooWide = LEAST_WIDE * picture.width > PAPER_WIDTH;
  if (isTooWide && LEAST_TURNED <= shareTurned(picture)) return [turned(whole, picture)];
  if (isTooWide) return cut(whole, besideEachOther(picture), "strip");
  const boxes = belowEachOther(picture);
  return boxes.length === 1 ? [whole] : cut(whole, boxes);
}

// Cuts a picture into these boxes.
function cut(whole, boxes, ...names) {
  const id = `whole-picture-${(cuts += 1)}`;
  const content = svgNode("g", { id });
  content.append(...whole.childNodes);
  whole.append(content);
  const copies = boxes.slice(1).map((box) => {
    const copy = whole.cloneNode();
    copy.append(...viewsOf(id, box));
    return copy;
  });
  const drawings = [whole, ...copies];
  drawings.forEach((svg, n) => {
    const { x, y, width, height: h, axis = 0, share = 1, text } = boxes[n];
    const w = axis + width;
    svg.classList.add("piece", ...names);
    if (text) svg.classList.add(text);
    svg.setAttribute("viewBox", `${axis ? 0 : x} ${y} ${w} ${h}`);
    svg.setAttribute("width", share * w);
    svg.setAttribute("height", share * h);
  });
  return drawings;
}

// Turns a picture to the left, so that a reader turns the paper to the right.
function turned(svg, picture) {
  const { width, height } = picture;
  turns.set(svg, picture);
  const content = svgNode("g", { transform: `translate(0 ${width}) rotate(-90)` });
  content.append(...svg.childNodes);
  svg.append(content);
  const share = shareTurned({ width, height });
  svg.classList.add("turned");
  svg.setAttribute("viewBox", `0 0 ${height} ${width}`);
  svg.setAttribute("width", share * height);
  svg.setAttribute("height", share * width);
  return svg;
}

// How large a turned picture is on a page, relative to the screen.
function shareTurned({ width, height }) {
  return Math.min(1, (PAGE_HEIGHT - HEADING) / width, PAPER_WIDTH / height);
}

// Each piece has the vertical axis of a chart: the first has it in its place. The title above them
// and the description below them are pieces of their own, which are as wide as the paper.
function besideEachOther(picture) {
  const { width, height, parts, axis, axisBottom } = picture;
  const size = { y: parts.top, width: PAPER_WIDTH, height: parts.bottom - parts.top };
  const gaps = startsAtGaps(picture);
  const starts = gaps ?? startsWithOverlap(picture);
  const boxes = starts.map((x, n) => {
    const axisHere = n ? axis : 0;
    const end = gaps ? (gaps[n + 1] ?? width) : x + PAPER_WIDTH - axisHere;
    return { ...size, x, width: end - x, axis: axisHere, axisBottom };
  });
  const widest = Math.max(PAPER_WIDTH, ...boxes.map((box) => box.axis + box.width));
  for (const box of boxes) box.share = PAPER_WIDTH / widest;
  const title = { ...size, x: 0, y: 0, height: parts.top, text: "title" };
  const facts = { ...size, x: 0, y: parts.bottom, height: height - parts.bottom, text: "facts" };
  return [title, ...boxes, facts].filter((box) => box.height >= 1);
}

// Returns where the pieces of a chart begin that has gaps: between its steps, such as a tree, or
// between the labels of its horizontal axis. They repeat nothing but the vertical axis. If the gaps
// are further apart than the paper is wide, it returns null.
function startsAtGaps(picture) {
  const [whole, smaller] = [1, LEAST_STRIP].map((share) => startsWithin(picture, share));
  return smaller?.length < (whole?.length ?? Infinity) ? smaller : whole;
}

function startsWithin({ width, axis, gaps }, share) {
  const starts = [0];
  const end = () => starts.at(-1) + PAPER_WIDTH / share - (starts.length > 1 ? axis : 0);
  while (width > end()) {
    const next = gaps.findLast((x) => x > starts.at(-1) && x <= end());
    if (!next) return null;
    starts.push(next);
  }
  return starts;
}

function startsWithOverlap({ width, axis }) {
  const step = PAPER_WIDTH - OVERLAP - axis;
  const n = Math.ceil((width - OVERLAP - axis) / step);
  return Array.from({ length: n }, (_, index) => index && axis + index * step);
}

function belowEachOther({ width, height, seams }) {
  const edges = [0, ...seams, height];
  return edges.slice(1).map((end, n) => ({ x: 0, y: edges[n], width, height: end - edges[n] }));
}

// Returns what a piece shows of a picture: a box of it, and the axis of a chart at its left.
function viewsOf(id, { x, y, width, height, axis = 0, axisBottom }) {
  const drawing = () => svgNode("use", { href: `#${id}` });
  if (!axis) return [drawing()];
  const view = (at, from, w, h) => {
    const viewBox = `${from} ${y} ${w} ${h}`;
    const inner = svgNode("svg", { x: at, y, width: w, height: h, viewBox });
    inner.append(drawing());
    return inner;
  };
  return [view(0, 0, axis - MARK, axisBottom - y), view(axis, x, width, height)];
}

function svgNode(name, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

// Returns where the first page begins, in pixels of the screen. Only the browser's own layout for
// paper, which comes later, puts the name of the app above the page.
function firstPageTop() {
  const { top } = document.querySelector(".stMainBlockContainer").getBoundingClientRect();
  return document.querySelector(".st-key-menu") ? top - NAME_HEIGHT : top;
}

// A picture that is a little too tall for the rest of the first page shrinks to it. Otherwise it
// would be on the second page, and the first would be nearly empty. For the same reason a chart
// that is too long for it when turned is cut instead. If possible, the captions of the picture are
// on the first page, too.
function fillFirstPage() {
  const start = firstPageTop();
  for (const svg of document.querySelectorAll(".drawn > svg")) {
    const { top, bottom, height } = svg.getBoundingClientRect();
    const room = PAGE_HEIGHT - (top - start);
    const figure = svg.closest(FIGURES);
    const isLast = svg === [...figure.querySelectorAll(".drawn > svg")].at(-1);
    const captions = isLast ? captionsBelow(figure).filter(isShown) : [];
    const end = captions.at(-1)?.getBoundingClientRect().bottom ?? bottom;
    const roomAbove = room - (end - bottom);
    if (roomAbove >= height) continue;
    const least = leastHeight(svg, height);
    if (end - bottom <= HIGHEST_CAPTIONS && roomAbove >= Math.max(LEAST_ROOM, least)) {
      shrink(svg, roomAbove);
      for (const caption of captions) caption.toggleAttribute("data-with-picture", true);
      break;
    }
    if (room >= height) continue;
    if (room < LEAST_ROOM) break; // a row of a table keeps the width of those above it
    if (room >= least) shrink(svg, room);
    else if (turns.has(svg) && turns.get(svg).parts.bottom <= room) cutTurned(svg);
    break;
  }
}

function shrink(svg, room) {
  const share = room / svg.getBoundingClientRect().height;
  svg.style.maxHeight = `${Math.floor(room)}px`;
  for (const line of svg.children) {
    if (line.matches(FACTS)) line.setAttribute("font-size", Math.max(12, LEAST_LETTERS / share));
  }
}

// Returns the captions of a figure that are below it on the page.
function captionsBelow(figure) {
  let part = figure;
  while (part && !part.nextElementSibling) part = part.parentNode;
  const captions = [];
  for (
    let next = part?.nextElementSibling;
    next?.matches(CAPTION);
    next = next.nextElementSibling
  ) {
    captions.push(next);
  }
  return captions;
}

// Cuts a chart into strips instead of turning it.
function cutTurned(svg) {
  const picture = turns.get(svg);
  svg.replaceWith(...cut(printed(picture), besideEachOther(picture), "strip"));
}

// Returns how low a picture on paper may become. The strips of a wide chart have one scale, and so
// have the lines of a draft: they keep their size.
function leastHeight(svg, height) {
  const isLine = svg.matches(".piece") && svg.closest(FIGURES).querySelector(DRAFT);
  if (svg.matches(".strip") || isLine) return height;
  if (svg.matches(".turned")) return LEAST_TURNED * svg.getAttribute("viewBox").split(" ")[3];
  return (svg.matches(":only-child") ? LEAST_FILLING : LEAST_PIECE) * height;
}

// Marks the last part of the page, which should not be alone on the last sheet. A few texts after
// the last picture stay with it, and it shrinks a little if they do not fit on one sheet.
function keepEnding() {
  const parts = [...document.querySelectorAll(".stMain :is(.stElementContainer, .drawn)")];
  const shown = parts.filter(isShown);
  const last = shown.at(-1);
  if (!last) return;
  last.toggleAttribute("data-last", true);
  leaveOutAfter(last);
  const picture = [...document.querySelectorAll(".drawn > svg")].at(-1);
  if (!picture) return;

  const start = firstPageTop();
  const { top, bottom, height } = picture.getBoundingClientRect();
  const ending = last.getBoundingClientRect().bottom - bottom;
  if (ending > LONGEST_ENDING) return;
  for (const part of shown.slice(shown.indexOf(picture.parentNode) + 1)) {
    part.toggleAttribute("data-with-picture", true);
  }
  // on the first page, or else on a page of its own
  const rooms = [top - start, HEADING].map((above) => PAGE_HEIGHT - above - ending);
  const least = Math.max(LEAST_ROOM, LEAST_WITH_TEXT * height);
  const room = rooms.find((each) => each >= least);
  if (!ending || !(room < height)) return;
  if (turns.has(picture) && room < LEAST_GAIN * PAPER_WIDTH) cutTurned(picture);
  else shrink(picture, room);
}

function isShown(part) {
  return part.getBoundingClientRect().height > 0;
}

// Leaves out the rest of the page and of the app, which shows nothing: the space around it could
// make a blank sheet.
function leaveOutAfter(last) {
  for (let part = last; !part.matches(".stApp"); part = part.parentNode) {
    const beside = [...part.parentNode.children];
    for (const empty of beside.slice(beside.indexOf(part) + 1)) {
      empty.toggleAttribute("data-left-out", true);
    }
  }
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

// Vega does not draw a chart again before the page is printed. Charts that are side by side stay so
// if they fit: below each other, each would leave the paper at its side empty. Each column has the
// share of its chart, so that all letters have one size. A column of several charts would be so
// high that it shrinks to the rest of its page: below each other, a page may end between them.
function keepChartsBeside() {
  for (const row of document.querySelectorAll(NUMBERS)) row.toggleAttribute("data-beside", true);
  for (const row of document.querySelectorAll(".stMain .stHorizontalBlock")) {
    const columns = [...row.children].filter((part) => part.matches(".stColumn"));
    const chartsOf = columns.map((column) => [...column.querySelectorAll("svg.marks")]);
    const charts = chartsOf.flat();
    const width = charts.reduce((sum, chart) => sum + chart.clientWidth, 0);
    const hasOneEach = chartsOf.every(({ length }) => length === 1);
    const isBeside = hasOneEach && SMALLEST * width <= PAPER_WIDTH;
    if (columns.length < 2 || !isBeside) continue;
    row.toggleAttribute("data-beside", true);
    columns.forEach((column, n) => {
      column.style.setProperty("--chart-width", charts[n].clientWidth);
    });
  }
}

function titleOf(figure) {
  return figure.querySelector(".figure-bar").dataset.title;
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

function isParagraph(part) {
  return part.matches(".stMarkdown") && !part.querySelector('[data-testid="stCaptionContainer"]');
}

function clearPaper() {
  for (const part of document.querySelectorAll(ADDED)) part.remove();
  for (const name of [
    "data-beside",
    "data-turned",
    "data-parted",
    "data-below",
    "data-last",
    "data-left-out",
    "data-not-drawn",
    "data-with-picture",
  ]) {
    for (const part of document.querySelectorAll(`[${name}]`)) part.removeAttribute(name);
  }
}

/**
 * Makes an SVG element from a picture. It shrinks if it is wider than the paper.
 *
 * @param {{svg: string}} picture
 * @returns {SVGSVGElement}
 */
export function printed({ svg }) {
  const node = asNode(svg);
  node.querySelector("rect").remove(); // remove its background, because the page already has one
  return node;
}
