// Cuts a picture for paper into pieces that are as wide as the paper, or turns it.

import { asNode } from "./svg.js";

/** The height of a picture on a page divided by its width: see print.css. */
export const TALLEST = 23 / 18;

/** Pixels between the margins of a page, as in print.css. */
export const PAPER_WIDTH = 680;

/** Pixels of Letter between the margins; A4 is higher. */
export const PAGE_HEIGHT = 960;

/** Pixels of a page above a picture, for the heading that stays with it. */
export const HEADING = 90;

/** How far a chart may shrink when it is turned. */
export const LEAST_TURNED = 0.6;

const LEAST_WIDE = 0.6; // how far a wide chart may shrink before it is turned
const LEAST_TREE = 0.8; // how far a tree may shrink before it is cut between its steps
const LEAST_STRIP = 0.85; // how far the strips of a chart may shrink so that they are fewer
const MARK = 4; // pixels by which the first mark of a chart may reach over its axis
// Pixels that neighbouring pieces of a wide chart share, so that one of them has each label whole.
const OVERLAP = 80;

const turns = new WeakMap(); // the turned drawings, each with its picture
let cuts = 0; // number of pictures that were cut, which makes their ids unique

/**
 * Returns a picture as one or more SVG elements. A page may end between two of them, but not inside
 * one. A chart that is much wider than the paper is turned. If it does not fit on a page then, it
 * is cut into strips that are as wide as the paper. A tree can be cut between its steps, so it is
 * cut sooner.
 *
 * @param {object} picture see `drawPages` in figure_picture.js
 * @returns {SVGSVGElement[]}
 */
export function pieces(picture) {
  const isTree = !picture.axis && startsAtGaps(picture)?.length > 1;
  if (isTree && LEAST_TREE * picture.width > PAPER_WIDTH) return strips(picture);
  const isTooWide = LEAST_WIDE * picture.width > PAPER_WIDTH;
  if (isTooWide && LEAST_TURNED <= shareTurned(picture)) return [turned(picture)];
  if (isTooWide) return strips(picture);
  const boxes = belowEachOther(picture);
  return boxes.length === 1 ? [printed(picture)] : cut(printed(picture), boxes);
}

/**
 * Returns the picture of a turned drawing; undefined for any other drawing.
 *
 * @param {SVGSVGElement} svg
 * @returns {object | undefined} see `drawPages` in figure_picture.js
 */
export function turnedPicture(svg) {
  return turns.get(svg);
}

/**
 * Cuts a turned chart into strips instead of turning it.
 *
 * @param {SVGSVGElement} svg
 */
export function cutTurned(svg) {
  svg.replaceWith(...strips(turns.get(svg)));
}

function strips(picture) {
  return cut(printed(picture), besideEachOther(picture), "strip");
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
function turned(picture) {
  const { width, height } = picture;
  const svg = printed(picture);
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

// Each piece has the vertical axis of a chart, and its legend if there is room for it, because it
// may be on another sheet: the first has them in their places. The title above them
// and the description below them are pieces of their own, which are as wide as the paper.
function besideEachOther(picture) {
  const { width, height, parts, axis, axisBottom, legend } = picture;
  const size = { y: parts.top, width: PAPER_WIDTH, height: parts.bottom - parts.top };
  const gaps = startsAtGaps(picture);
  const starts = gaps ?? startsWithOverlap(picture);
  const boxes = starts.map((x, n) => {
    const axisHere = n ? axis : 0;
    const end = gaps ? (gaps[n + 1] ?? width) : x + PAPER_WIDTH - axisHere;
    const hasLegend = n && legend && legend.x + legend.width <= axisHere + end - x;
    return { ...size, x, width: end - x, axis: axisHere, axisBottom, legend: hasLegend && legend };
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

// Returns what a piece shows of a picture: a box of it, the axis of a chart at its left, and the
// legend above.
function viewsOf(id, { x, y, width, height, axis = 0, axisBottom, legend }) {
  const drawing = () => svgNode("use", { href: `#${id}` });
  const view = (at, box) => {
    const viewBox = `${box.x} ${box.y} ${box.width} ${box.height}`;
    const inner = svgNode("svg", { ...box, x: at, viewBox });
    inner.append(drawing());
    return inner;
  };
  const legends = legend ? [view((axis ? 0 : x) + legend.x, legend)] : [];
  if (!axis) return [drawing(), ...legends];
  const labels = { x: 0, y, width: axis - MARK, height: axisBottom - y };
  return [view(0, labels), view(axis, { x, y, width, height }), ...legends];
}

function svgNode(name, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
