// On paper, which is narrower than a screen: what stays side by side, and what takes several lines.

import { element } from "../../pictures/elements.js";
import { PAPER_WIDTH } from "./print_pieces.js";

const WORDS = ".token-table:not(:has(.paper-table))"; // tables with a column for each token
const DRAFT = ".checked-draft"; // its columns continue on further lines
// Rows of numbers with their captions, without charts
const NUMBERS =
  ".stMain .stHorizontalBlock:has(> .stColumn .stMetric)" +
  ":not(:has(.stVegaLiteChart, .stBidiComponent))";
const ADDED = "[data-line-end], [data-again], [data-part]"; // the parts that are added
const SMALLEST = 0.75; // how far charts side by side may shrink, relative to the screen
const MOST_TOKENS = 18; // in a transposed table, which has a row for each
const TOKENS_OF_A_PART = 12; // of a longer table

/** Lays out columns, tables and drafts for the width of the paper. */
export function fitToPaper() {
  keepNumbersBeside();
  keepChartsBeside();
  turnWideTables();
  for (const draft of document.querySelectorAll(DRAFT)) repeatNames(draft);
}

/** Takes away what `fitToPaper` has added to the page. */
export function unfit() {
  for (const part of document.querySelectorAll(ADDED)) part.remove();
  for (const name of ["data-beside", "data-turned", "data-parted"]) {
    for (const part of document.querySelectorAll(`[${name}]`)) part.removeAttribute(name);
  }
}

function keepNumbersBeside() {
  for (const row of document.querySelectorAll(NUMBERS)) row.toggleAttribute("data-beside", true);
}

// Vega does not draw a chart again before the page is printed. Charts that are side by side stay so
// if they fit: below each other, each would leave the paper at its side empty. Each column has the
// share of its chart, so that all letters have one size. A column of several charts would be so
// high that it shrinks to the rest of its page: below each other, a page may end between them.
function keepChartsBeside() {
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
