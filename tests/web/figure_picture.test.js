// A figure in a file and on paper: where its title, its parts and its facts are.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeElement, FakePage } from "./page.js";
import { drawFigure, drawPages } from "../../web/app/tools/figure_picture.js";

globalThis.Node = { ELEMENT_NODE: 1, TEXT_NODE: 3 };
FakeElement.prototype.nodeType = 1;
FakeElement.prototype.contains = (node) => node === undefined;
const page = new FakePage();
const app = page.add("div", { className: "stApp" });
const STYLE = {
  opacity: "1",
  color: "rgb(0, 0, 0)",
  backgroundColor: "rgb(255, 255, 255)",
  fontFamily: "serif",
  outlineStyle: "none",
};
globalThis.getComputedStyle = ({ style }) => ({ ...STYLE, ...style });
const { getBoundingClientRect } = FakeElement.prototype;
FakeElement.prototype.getBoundingClientRect = function place() {
  const box = getBoundingClientRect.call(this);
  return { ...box, toJSON: () => box };
};

// A part is a plain rectangle of the page.
function partAt([left, top, width, height], column = "only") {
  const part = new FakeElement("div");
  Object.assign(part, { box: { left, top, width, height }, offsetHeight: height });
  part.closest = (selector) => (selector === ".stColumn" ? column : null);
  return part;
}

function figureOf(parts, { title = "Title", facts = "facts" } = {}) {
  const figure = new FakeElement("div");
  app.replaceChildren(figure);
  const bar = Object.assign(new FakeElement("div"), { className: "figure-bar" });
  bar.dataset.title = title;
  const caption = Object.assign(new FakeElement("p"), { className: "caption" });
  caption.append("a < b");
  bar.append(caption);
  const fact = new FakeElement("span");
  fact.append(facts);
  bar.querySelector = () => caption;
  bar.querySelectorAll = () => (facts ? [fact] : []);
  figure.append(bar);
  figure.querySelector = () => bar;
  figure.querySelectorAll = () => parts;
  figure.clientWidth = 500;
  return figure;
}

const moves = (svg) => [...svg.matchAll(/translate\((.*?)\)/g)].map(([, at]) => at);
const textsOf = (svg) =>
  [...svg.matchAll(/<text x="(\S+)" y="(\S+)".*?>(.*?)<\/text>/g)].map((found) => found.slice(1));

test("a file has title, parts and facts below each other, with a margin of 24 pixels", async () => {
  const { svg, width, height, title, caption } = await drawFigure(
    figureOf([partAt([50, 300, 400, 100])]),
  );
  assert.equal(width, 400 + 2 * 24);
  // Title 1.4 · 19 = 26.6 pixels, facts 1.4 · 12 = 16.8, 16 between them and the parts
  assert.equal(height, Math.ceil(24 + 26.6 + 16 + 100 + 16 + 16.8 + 24));
  assert.deepEqual(textsOf(svg), [
    ["24", "45.28", "Title"], // 24 + 0.8 · 26.6
    ["24", String(Math.round(100 * (66.6 + 100 + 16 + 0.8 * 16.8)) / 100), "facts"],
  ]);
  assert.deepEqual(moves(svg), ["-26 66.6", "0 0"]); // the part begins at 50 on the page
  assert.ok(svg.includes("<desc>a &lt; b</desc>"));
  assert.deepEqual([title, caption], ["Title", "a < b"]);
});

test("a small figure has room for its title in a file, a figure without facts ends with its parts", async () => {
  const { width, height } = await drawFigure(figureOf([partAt([0, 0, 10, 100])], { facts: "" }));
  assert.equal(width, 360 + 48);
  assert.equal(height, Math.ceil(24 + 26.6 + 16 + 100 + 24));
});

test("parts below each other keep at most 16 pixels between them", async () => {
  const parts = [partAt([0, 0, 100, 50]), partAt([0, 60, 100, 50]), partAt([0, 200, 100, 50])];
  const { svg } = await drawFigure(figureOf(parts));
  assert.deepEqual(moves(svg).slice(1), ["0 0", "0 60", "0 126"]);
});

test("parts side by side stay so, and one below both is below the higher one", async () => {
  const parts = [partAt([0, 0, 100, 50]), partAt([110, 0, 100, 80]), partAt([0, 90, 210, 50])];
  const { svg, width } = await drawFigure(figureOf(parts));
  assert.deepEqual(moves(svg).slice(1), ["0 0", "0 0", "0 90"]);
  assert.equal(width, 360 + 48);
});

test("on paper a figure is as wide as on the page, without a margin", () => {
  const figure = figureOf([partAt([50, 300, 400, 100])]);
  const [{ svg, width, height }] = drawPages(figure, { title: true, tallest: 9 });
  assert.deepEqual([width, height], [500, Math.ceil(26.6 + 16 + 100 + 16 + 16.8)]);
  assert.equal(textsOf(svg)[0][0], "0");
  const [plain] = drawPages(figure, { title: false, facts: false, tallest: 9 });
  assert.deepEqual([plain.height, textsOf(plain.svg)], [100, []]);
});

test("a figure too high for a page is a picture for each column, with title and facts once", () => {
  const figure = figureOf([partAt([0, 0, 200, 500], "left"), partAt([250, 0, 200, 400], "right")]);
  assert.equal(drawPages(figure, { title: true, tallest: 576 / 500 }).length, 1); // just fits
  const pages = drawPages(figure, { title: true, tallest: 575 / 500 });
  assert.deepEqual(
    pages.map(({ svg }) => textsOf(svg).map(([, , text]) => text)),
    [["Title"], ["facts"]],
  );
});

const classed = (className, box) => Object.assign(partAt(box), { className });

test("a page may end above a row of charts with its headings, but not inside it", () => {
  const charts = [0, 100].flatMap((top) =>
    [0, 250].flatMap((left) => [
      classed("stHeading", [left, top, 200, 20]),
      classed("stVegaLiteChart", [left, top + 20, 200, 60]),
    ]),
  );
  const seamsOf = (parts) =>
    drawPages(figureOf(parts), { title: false, facts: false, tallest: 9 })[0].seams;
  assert.deepEqual(seamsOf(charts), [96]); // at most 16 pixels below 80
  assert.deepEqual(seamsOf(charts.filter(({ className }) => className !== "stHeading")), [76]);
});

test("on paper the title of a chart that is wider than the page is broken at its end", () => {
  const figure = figureOf([partAt([0, 0, 2000, 100])], { title: "word ".repeat(15) });
  const [{ svg }] = drawPages(figure, { title: true, facts: false, tallest: 9 });
  assert.equal(textsOf(svg).length, 2); // 75 letters of 10 pixels on a page of 500
});

test("a figure that shows nothing has no page", () => {
  assert.deepEqual(drawPages(figureOf([partAt([0, 0, 100, 1])]), { title: true, tallest: 1 }), []);
});
