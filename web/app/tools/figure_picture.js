import { Drawing } from "./drawing.js";
import { figureOnPage } from "./figure_on_page.js";
import { forFile } from "./light_colours.js";
import { escapeXml, format2, paintAttributes, svgElement } from "./svg.js";
import { PAPER_OVERLAP } from "./svg_brush.js";
import { measureText } from "./text_ruler.js";
import { waitFor } from "./wait_for.js";

const PARTS =
  ".stVegaLiteChart, .stPlotlyChart, .stBidiComponent, .stHtml, .stHeading, .stMetric," +
  ".stMarkdown:not(:has(table, [data-testid=stCaptionContainer]))";
const TABLES = ".stMarkdown:has(table)"; // paper has them as they are: see print.js
const CAPTIONS = ".stMarkdown:has([data-testid=stCaptionContainer])";
const HEADINGS =
  ".stHeading, .stMetric, .stMarkdown:not(:has([data-testid=stCaptionContainer])), " +
  ".stHtml:has(.gloss)";
const PICTURES = ".stVegaLiteChart, .stPlotlyChart, .stBidiComponent, .stHtml:has(td)";
const BOXES =
  "figure, td:not(.cell td, [data-parted] td), [data-part], .cell > li," +
  ".checked-draft tr:not([data-line-end])";
const PLOTS = "svg.marks .role-frame.root > g > .background"; // what the axes of a chart enclose
const CHART_TEXTS = "svg.marks .role-mark.mark-text text"; // without its axes and legends
const AXIS_LABELS = "svg.marks .role-axis-label text";
const AXIS_TITLES = "svg.marks .role-axis-title text";
const LEGENDS = "svg.marks .role-legend";
const LOWEST_LABEL = 6; // pixels of the label of 0 that are below a chart
const AFTER_TEXT = 2; // pixels between a text of a chart and the edge of a piece of it
const MARGIN = 24; // pixels around the picture in a file
const GAP = 16; // pixels between its parts
const TITLE_SIZE = 19; // pixels, font size of the title
const LINE_SIZE = 12; // pixels, font size of the line below
const LINE_HEIGHT = 1.4; // times the font size
const MIN_WIDTH = 360; // pixels of the picture in a file, without its margin
// Milliseconds to wait for the figure. A scene in three dimensions needs seconds where the
// processor draws it, and more while other programs are at work.
const DRAWN_WITHIN = 30_000;

/**
 * Draws a figure with its title above and its description below. The caption is in the metadata
 * of the file, but not in the picture.
 *
 * @param {Element} figure
 * @param {number} [overlap] pixels by which the cells of a map overlap
 * @returns {Promise<object>} `svg`; `width` and `height` in pixels; `title`; `caption`;
 *   `background`, its colour
 */
export async function drawFigure(figure, overlap = 0) {
  const selector = `${PARTS}, ${TABLES}`;
  const neverComes = figureOnPage(figure).querySelector(".no-webgl"); // a scene without WebGL
  const within = neverComes ? 0 : DRAWN_WITHIN;
  const parts = await waitFor(() => shownParts(figureOnPage(figure), selector), within);
  return forFile(() => drawParts(figureOnPage(figure), parts, { overlap }));
}

/**
 * Draws a figure in its current state for paper, with its captions. If it is too tall for a page,
 * each of its columns becomes a picture of its own.
 *
 * Each picture has `seams`, in pixels from its top: there a page may end. They are between the
 * charts, matrices and rows of a table that are below each other. Its `parts` are between `top` and
 * `bottom`, without title and description. Its `axis` is the width of the labels at the left of its
 * only chart, which end at `axisBottom`; 0 for anything else. Its `gaps`, in pixels from its left,
 * are where a chart may be cut: between the labels of its horizontal axis, or, without axes,
 * between its texts. Its `legend` is the box of the legend above its only chart, or null.
 *
 * @param {Element} figure
 * @param {object} paper
 * @param {boolean} paper.title whether to draw its title above it
 * @param {boolean} [paper.facts] whether to draw its description below it
 * @param {number} paper.tallest height of a page divided by its width
 * @returns {object[]} see `drawFigure`; empty if no part of the figure is visible
 */
export function drawPages(figure, { title, facts = true, tallest }) {
  const parts = shownParts(figure, `${PARTS}, ${CAPTIONS}`);
  if (!parts) return [];
  const whole = drawParts(figure, parts, { withTitle: title, withFacts: facts, isOnPage: true });
  if (whole.height <= tallest * whole.width) return [whole];
  const columns = [...Map.groupBy(parts, (part) => part.closest(".stColumn")).values()];
  return columns.map((column, n) =>
    drawParts(figure, column, {
      withTitle: title && !n,
      withFacts: facts && n === columns.length - 1,
      isOnPage: true,
    }),
  );
}

/**
 * Returns whether the browser is still drawing a figure.
 *
 * @param {Element} figure
 * @returns {boolean}
 */
export function isBeingDrawn(figure) {
  return ![...figure.querySelectorAll(PICTURES)].every(isDrawn);
}

// Draws parts of a figure. A picture on paper has no margin, because the page has one. It is at
// least as wide as the figure, so that the description below it takes few lines.
function drawParts(
  figure,
  nodes,
  { withTitle = true, withFacts = true, isOnPage = false, overlap = PAPER_OVERLAP },
) {
  const bar = figure.querySelector(".figure-bar");
  const { title } = bar.dataset;
  const parts = arrange(nodes, withTitle ? title : "", overlap);
  const margin = isOnPage ? 0 : MARGIN;
  const narrowest = isOnPage ? figure.clientWidth : MIN_WIDTH;
  const width = Math.ceil(Math.max(parts.width, narrowest)) + 2 * margin;
  const style = getComputedStyle(figure.closest(".stApp"));
  const caption = bar.querySelector(".caption").textContent;
  const facts = [...bar.querySelectorAll(".provenance span")].map(fieldOf).join(" · ");
  const room = width - 2 * margin;

  // A chart may be much wider than a page. The texts above and below it are not.
  const textWidth = isOnPage ? Math.min(room, narrowest) : room;
  const titleBox = { left: margin, top: margin, width: textWidth };
  const head = paragraph(withTitle ? title : "", TITLE_SIZE, 600, titleBox, style);
  const partsTop = margin + gapped(head.height);
  const move = `translate(${format2(margin - parts.left)} ${format2(partsTop)})`;
  const drawn = svgElement("g", { transform: move }, parts.drawn);
  const factsBox = { left: margin, top: partsTop + parts.height + GAP, width: textWidth };
  const foot = paragraph(withFacts ? facts : "", LINE_SIZE, null, factsBox, style);
  const height = Math.ceil(partsTop + parts.height + gapped(foot.height) + margin);

  const attributes = [
    'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"',
    `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`,
    `font-family="${escapeXml(style.fontFamily)}"`,
    `style="white-space: pre; color: ${style.color}"`,
  ];
  const ground = paintAttributes("fill", style.backgroundColor);
  const svg = `<?xml version="1.0" encoding="UTF-8"?>
<svg ${attributes.join(" ")}>
<title>${escapeXml(title)}</title>
<desc>${escapeXml(caption)}</desc>
${svgElement("rect", { width: "100%", height: "100%", ...ground })}
${[...head.lines, drawn].join("\n")}
${foot.lines.join("\n")}
</svg>
`;
  const seams = parts.seams.map((y) => partsTop + y);
  const between = { top: partsTop, bottom: partsTop + parts.height };
  const background = style.backgroundColor;
  const { axis, gaps } = parts;
  const axisBottom = partsTop + parts.axisBottom;
  const legend = parts.legend && { ...parts.legend, y: partsTop + parts.legend.y };
  const places = { seams, parts: between, axis, axisBottom, gaps, legend };
  return { svg, width, height, ...places, title, caption, background };
}

// Returns the height of a text and of the gap between it and the picture; 0 without a text.
function gapped(height) {
  return height && height + GAP;
}

// Breaks a text into lines in a box, and returns them with their total height.
// Without a font weight, the text is fainter than the title.
function paragraph(text, size, weight, { left, top, width }, style) {
  const look = weight ? { "font-weight": weight } : { opacity: 0.8 };
  const font = `${weight ?? 400} ${size}px ${style.fontFamily}`;
  const paint = paintAttributes("fill", style.color);
  const texts = text ? wrap(text, width, (line) => measureText(font, line).width) : [];
  const lines = texts.map((line, n) => {
    const y = top + (n + 0.8) * LINE_HEIGHT * size;
    const attributes = { x: left, y, "font-size": size, ...look, ...paint };
    return svgElement("text", attributes, escapeXml(line));
  });
  return { lines, height: lines.length * LINE_HEIGHT * size };
}

// Returns the name and value of a fact.
// Unicode isolates around a right-to-left value preserve the direction of the text around it.
function fieldOf(span) {
  const value = span.querySelector("bdi");
  const text = span.textContent.trim();
  if (!value || getComputedStyle(value).direction !== "rtl") return text;
  return text.replace(value.textContent, (isolated) => `\u2067${isolated}\u2069`);
}

// Returns the visible parts of a figure; null if there are none, for example while it is redrawn,
// and while a scene in three dimensions is not drawn.
function shownParts(figure, selector) {
  const bar = figure.querySelector(".figure-bar");
  const parts = [...figure.querySelectorAll(selector)];
  const shown = parts.filter((part) => !part.contains(bar) && part.offsetHeight > 1);
  return shown.length && shown.every(isDrawn) ? shown : null;
}

// Plotly makes the canvas of a scene before it can draw in it, and before it has a height.
function isDrawn(part) {
  if (!part.matches(".stPlotlyChart")) return true;
  const { _fullLayout: layout } = part.querySelector(".js-plotly-plot") ?? {};
  const isReady = layout && (!layout.scene || layout.scene._scene?.glplot);
  return Boolean(isReady && part.offsetHeight > 1);
}

// Draws the parts below each other, without the controls between them.
// A part that scrolls is drawn in its full width.
function arrange(nodes, title, overlap) {
  const parts = nodes.map((node) => ({ ...node.getBoundingClientRect().toJSON(), node }));
  const done = [];
  for (const part of parts.sort((one, other) => one.top - other.top)) {
    const y = topOf(part, done);
    const drawing = new Drawing(0, part.top, title, overlap);
    const content = drawing.node(part.node);
    // pixels above its content, which are cut off
    const empty = isAlone(part, parts) && content ? drawing.up : 0;
    const transform = `translate(0 ${format2(y - empty)})`;
    const drawn = svgElement("g", { transform }, content);
    const right = Math.max(part.right, drawing.right);
    // on the page a part may be much wider than what it shows
    const end = drawing.right;
    done.push({ ...part, y, empty, drawn, right, end, height: drawing.bottom - empty });
  }
  const left = Math.min(...done.map((part) => part.left));
  return {
    drawn: done.map((part) => part.drawn).join("\n"),
    left,
    width: Math.max(...done.map((part) => part.end)) - left,
    height: Math.max(...done.map((part) => part.y + part.height)),
    seams: seamsOf(done),
    ...cutsOf(done, left),
  };
}

// Returns the width of the labels at the left of the only chart, where they end below, where the
// chart may be cut, and its legend.
function cutsOf(parts, left) {
  const nodes = parts.map((part) => part.node);
  const plots = boxesIn(nodes, PLOTS);
  const [plot] = plots;
  const axis = plots.length === 1 ? plot.left - left : 0;
  const legend = legendOf(parts, left);
  if (!axis) {
    return { axis, axisBottom: 0, gaps: nodes.length === 1 ? gapsOf(nodes, left) : [], legend };
  }
  const { y, empty, top } = parts.find(({ node }) => node.querySelector(PLOTS));
  const axisBottom = plot.bottom + LOWEST_LABEL + y - empty - top;
  // texts above the chart stay whole
  return { axis, axisBottom, gaps: nodes.length === 1 ? ticksOf(nodes, left, plot) : [], legend };
}

// Returns the box of the legend above the only chart; null without one.
function legendOf(parts, left) {
  const [{ node, y, empty, top }] = parts;
  const [legend, ...others] = boxesIn([node], LEGENDS);
  const content = boxesIn([node], `${PLOTS}, ${CHART_TEXTS}`).map((box) => box.top);
  const isAbove = legend && legend.bottom < Math.min(...content) + 1;
  if (!isAbove || parts.length > 1 || others.length) return null;
  const { width, height } = legend;
  return { x: legend.left - left, y: legend.top + y - empty - top, width, height };
}

function boxesIn(nodes, selector) {
  const found = nodes.flatMap((node) => [...node.querySelectorAll(selector)]);
  return found.map((part) => part.getBoundingClientRect());
}

// Returns the middles between the labels of the horizontal axis. Its title and a legend stay whole.
function ticksOf(nodes, left, plot) {
  const isBelow = ({ top }) => top > plot.bottom - 1;
  const whole = [...boxesIn(nodes, AXIS_TITLES).filter(isBelow), ...boxesIn(nodes, LEGENDS)];
  const middles = boxesIn(nodes, AXIS_LABELS)
    .filter(isBelow)
    .map((label) => (label.left + label.right) / 2)
    .sort((one, other) => one - other);
  return middles
    .slice(1)
    .map((middle, n) => (middles[n] + middle) / 2)
    .filter((x) => whole.every((box) => x < box.left || x > box.right))
    .map((x) => x - left);
}

// Returns where texts of a chart end and other texts begin only further right.
function gapsOf(nodes, left) {
  const boxes = boxesIn(nodes, CHART_TEXTS);
  const [first, ...others] = boxes.sort((one, other) => one.left - other.left);
  const gaps = [];
  let end = first?.right;
  for (const box of others) {
    if (box.left > end + AFTER_TEXT) gaps.push(end + AFTER_TEXT - left);
    end = Math.max(end, box.right);
  }
  return gaps;
}

// Returns the heights at which a page may end, in pixels from the top of the drawing.
// A heading stays with the picture below it, and a caption with the picture above it.
function seamsOf(parts) {
  const boxes = parts.flatMap(boxesOf);
  const tops = [];
  let isAfterHeading = true; // whether there is a heading above, and no picture since
  let topAfterHeading = 0; // of the picture below the last heading; others may be beside it
  for (const part of parts) {
    const isPicture = part.node.matches(PICTURES);
    const isHeading = part.node.matches(HEADINGS);
    const starts = boxesOf(part)
      .filter(({ isLastRow }) => !isLastRow)
      .map(({ top }) => top);
    if (isPicture && isAfterHeading) topAfterHeading = Math.min(...starts);
    if (isPicture || (isHeading && !isAfterHeading)) {
      tops.push(...starts.filter((y) => y > topAfterHeading + 1));
    }
    isAfterHeading = !isPicture && (isAfterHeading || isHeading);
  }
  const isBetween = (y) => boxes.every(({ top, bottom }) => y < top + 1 || y > bottom - 1);
  return [...new Set(tops)].filter(isBetween).sort((one, other) => one - other);
}

// Returns the top and the bottom, in the drawing, of each matrix, row of a table and step of an
// opened cell in a part; those of the whole part if it has none.
function boxesOf({ node, top, y, empty, height }) {
  const roots = [node, ...node.querySelectorAll("*")].flatMap(({ shadowRoot }) => shadowRoot ?? []);
  const inner = [node, ...roots].flatMap((root) => [...root.querySelectorAll(BOXES)]);
  if (!inner.length) return [{ top: y, bottom: y + height }];
  const boxes = inner.map((part) => part.getBoundingClientRect());
  const shift = y - empty - top; // from the screen to the drawing
  // the border of a step begins at its top, and would shine through
  const gaps = inner.map(({ localName }) => (localName === "li" ? 1 : 0));
  return boxes.map((box, n) => ({
    top: box.top + shift - gaps[n],
    bottom: box.bottom + shift,
    isLastRow: isInLastRow(inner[n]),
  }));
}

// Returns whether a cell is in the last of several rows of a table. It is not alone on a page.
function isInLastRow(cell) {
  if (cell.localName !== "td") return false;
  const cells = [...(cell.closest("table")?.querySelectorAll("td") ?? [cell])];
  const { top } = cell.getBoundingClientRect();
  return cells.every((other) => other.getBoundingClientRect().top < top + 1);
}

// Returns whether no other part is beside this part.
// Parts that are side by side keep their heights.
function isAlone(part, parts) {
  return parts.every(
    (other) => other === part || other.top >= part.bottom || part.top >= other.bottom,
  );
}

// Returns where a part begins in the drawing: below all parts that are above it on the page. Only a
// usual gap remains where the page has controls between them. Columns that the page aligns at their
// bottoms begin at different heights.
function topOf(part, done) {
  const above = done.filter(({ left, right }) => left < part.right - 1 && part.left < right - 1);
  const ends = above.map((other) => {
    const gap = Math.min(GAP, Math.max(0, part.top - other.bottom));
    return other.y + other.height + gap;
  });
  return Math.max(0, loweredBy(part), ...ends);
}

// Returns how far the content of a part's column is below the top of the column.
function loweredBy({ node }) {
  const column = node.closest(".stColumn");
  const content = column?.querySelector(".stVerticalBlock > *");
  if (!content) return 0;
  return content.getBoundingClientRect().top - column.getBoundingClientRect().top;
}

/**
 * Breaks a text into lines: Chinese between any two characters, other scripts at spaces, and words
 * of more than 40 letters anywhere.
 *
 * @param {string} text
 * @param {number} width of a line
 * @param {(line: string) => number} widthOf
 * @returns {string[]}
 */
export function wrap(text, width, widthOf) {
  const pieces = text.match(
    /[\u2e80-\u9fff\uff00-\uffef]|\s+|[^\s\u2e80-\u9fff\uff00-\uffef]{1,40}/gu,
  );
  const lines = [""];
  for (const piece of pieces ?? []) {
    const line = lines.at(-1);
    if (line && widthOf(line + piece) > width) lines.push(piece.trimStart());
    else lines[lines.length - 1] += line ? piece : piece.trimStart();
  }
  return lines;
}
