// A figure in a file and on paper: the positions of its title, its parts and its description.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeElement, FakePage } from "./page.js";
import { drawFigure, drawPages, isBeingDrawn } from "../../web/app/tools/figure_picture.js";
import { PAPER_OVERLAP } from "../../web/app/tools/svg_brush.js";

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

// A column of the page whose content begins below its top.
function columnAt(top, contentTop = top) {
  const column = Object.assign(new FakeElement("div"), { box: { left: 0, top } });
  const content = Object.assign(new FakeElement("div"), { box: { left: 0, top: contentTop } });
  column.querySelector = () => content;
  return column;
}

// A part is a plain rectangle of the page.
function partAt([left, top, width, height], column = null) {
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
  figure.querySelector = (selector) => (selector === ".no-webgl" ? null : bar);
  figure.querySelectorAll = () => parts;
  figure.clientWidth = 500;
  return figure;
}

const moves = (svg) => [...svg.matchAll(/translate\((.*?)\)/g)].map(([, at]) => at);
const textsOf = (svg) =>
  [...svg.matchAll(/<text x="(\S+)" y="(\S+)".*?>(.*?)<\/text>/g)].map((found) => found.slice(1));

test("a file has title, parts and description below each other, in a margin", async () => {
  const { svg, width, height, title, caption } = await drawFigure(
    figureOf([partAt([50, 300, 400, 100])]),
  );
  assert.equal(width, 400 + 2 * 24);
  // Title 1.4 · 19 = 26.6 pixels, description 1.4 · 12 = 16.8, gaps of 16 around the parts
  assert.equal(height, Math.ceil(24 + 26.6 + 16 + 100 + 16 + 16.8 + 24));
  assert.deepEqual(textsOf(svg), [
    ["24", "45.28", "Title"], // 24 + 0.8 · 26.6
    ["24", String(Math.round(100 * (66.6 + 100 + 16 + 0.8 * 16.8)) / 100), "facts"],
  ]);
  assert.deepEqual(moves(svg), ["-26 66.6", "0 0"]); // on the page, the part begins at 50
  assert.ok(svg.includes("<desc>a &lt; b</desc>"));
  assert.deepEqual([title, caption], ["Title", "a < b"]);
});

test("a file has the tables of its figure, which paper has as they are", async () => {
  const asked = [];
  const figure = figureOf([partAt([0, 0, 400, 100])]);
  const { querySelectorAll } = figure;
  figure.querySelectorAll = (selector) => {
    asked.push(selector);
    return querySelectorAll(selector);
  };
  await drawFigure(figure);
  drawPages(figure, { title: true, tallest: 2 });
  const hasTables = (selector) => selector.endsWith(", .stMarkdown:has(table)");
  assert.deepEqual([asked[0], asked.at(-1)].map(hasTables), [true, false]);
});

test("a small figure in a file is as wide as its title; it may have no facts", async () => {
  const { width, height } = await drawFigure(figureOf([partAt([0, 0, 10, 100])], { facts: "" }));
  assert.equal(width, 360 + 48);
  assert.equal(height, Math.ceil(24 + 26.6 + 16 + 100 + 24));
});

test("a file ends at the right where its picture ends, not where the page ends", async () => {
  const part = partAt([50, 0, 1200, 100]);
  part.style.backgroundColor = "rgba(0, 0, 0, 0)";
  part.append(partAt([60, 0, 500, 100]));
  const { width } = await drawFigure(figureOf([part]));
  assert.equal(width, 10 + 500 + 2 * 24);
});

test("parts one below the other have gaps of at most 16 pixels", async () => {
  const parts = [partAt([0, 0, 100, 50]), partAt([0, 60, 100, 50]), partAt([0, 200, 100, 50])];
  const { svg } = await drawFigure(figureOf(parts));
  assert.deepEqual(moves(svg).slice(1), ["0 0", "0 60", "0 126"]);
});

test("parts side by side stay so, and the next part is below the higher one", async () => {
  const parts = [partAt([0, 0, 100, 50]), partAt([110, 0, 100, 80]), partAt([0, 90, 210, 50])];
  const { svg, width } = await drawFigure(figureOf(parts));
  assert.deepEqual(moves(svg).slice(1), ["0 0", "0 0", "0 90"]);
  assert.equal(width, 360 + 48);
});

test("columns that the page aligns at their bottoms stay so", async () => {
  const [low, high] = [columnAt(100, 130), columnAt(100)];
  const parts = [
    partAt([0, 130, 100, 20], low),
    partAt([0, 160, 100, 50], low),
    partAt([110, 100, 100, 50], high),
    partAt([110, 160, 100, 50], high),
  ];
  const { svg } = await drawFigure(figureOf(parts));
  assert.deepEqual(moves(svg).slice(1), ["0 0", "0 30", "0 60", "0 60"]); // from top to bottom
});

test("on paper, a figure has its width on the page and no margin", () => {
  const figure = figureOf([partAt([50, 300, 400, 100])]);
  const [{ svg, width, height }] = drawPages(figure, { title: true, tallest: 9 });
  assert.deepEqual([width, height], [500, Math.ceil(26.6 + 16 + 100 + 16 + 16.8)]);
  assert.equal(textsOf(svg)[0][0], "0");
  const [plain] = drawPages(figure, { title: false, facts: false, tallest: 9 });
  assert.deepEqual([plain.height, textsOf(plain.svg)], [100, []]);
});

test("a figure too high for a page becomes a picture for each column, with one title", () => {
  const figure = figureOf([
    partAt([0, 0, 200, 500], columnAt(0)),
    partAt([250, 0, 200, 400], columnAt(0)),
  ]);
  // this height just fits
  assert.equal(drawPages(figure, { title: true, tallest: 576 / 500 }).length, 1);
  const pages = drawPages(figure, { title: true, tallest: 575 / 500 });
  assert.deepEqual(
    pages.map(({ svg }) => textsOf(svg).map(([, , text]) => text)),
    [["Title"], ["facts"]],
  );
  assert.deepEqual(
    pages.map(({ width }) => width),
    [500, 500], // without a margin
  );
});

test("the cells of a map overlap on paper and in a PDF, but not in an SVG", async () => {
  const canvas = Object.assign(partAt([0, 0, 10, 10]), { localName: "canvas", width: 10 });
  const cells = { columns: 1, colours: Uint32Array.of(0xff0000ff) };
  canvas.paintOn = (brush) => brush.drawImage({ cells }, 0, 0, 10, 10);
  const figure = figureOf([canvas]);
  const touching = /<path d="M0 0H1v1H0Z"/;
  const overlapping = /<path d="M0 0H1.05v1.05H0Z"/; // by half a pixel
  assert.match((await drawFigure(figure)).svg, touching);
  assert.match((await drawFigure(figure, PAPER_OVERLAP)).svg, overlapping);
  assert.match(drawPages(figure, { title: false, tallest: 9 })[0].svg, overlapping);
});

const classed = (className, box) => Object.assign(partAt(box), { className });

test("a page can end above a row of charts with its headings, but not within the row", () => {
  const charts = [0, 100].flatMap((top) =>
    [0, 250].flatMap((left) => [
      classed("stHeading", [left, top, 200, 20]),
      classed("stVegaLiteChart", [left, top + 20, 200, 60]),
    ]),
  );
  const seamsOf = (parts) =>
    drawPages(figureOf(parts), { title: false, facts: false, tallest: 9 })[0].seams;
  assert.deepEqual(seamsOf(charts), [96]); // at most 16 pixels below the chart, which ends at 80
  assert.deepEqual(seamsOf(charts.filter(({ className }) => className !== "stHeading")), [76]);
});

test("on paper, the title of a chart wider than the page is broken into lines", () => {
  const figure = figureOf([partAt([0, 0, 2000, 100])], { title: "word ".repeat(15) });
  const [{ svg }] = drawPages(figure, { title: true, facts: false, tallest: 9 });
  assert.equal(textsOf(svg).length, 2); // 75 letters of 10 pixels, and a page of 500
});

test("a figure without visible parts has no page", () => {
  assert.deepEqual(drawPages(figureOf([partAt([0, 0, 100, 1])]), { title: true, tallest: 1 }), []);
});

test("a scene in three dimensions is drawn once Plotly can draw in its canvas", () => {
  const part = partAt([0, 0, 100, 50]);
  part.className = "stPlotlyChart";
  const pages = (plot) => {
    part.querySelector = () => plot;
    const figure = figureOf([part]);
    const { length } = drawPages(figure, { title: true, tallest: 9 });
    assert.equal(isBeingDrawn(figure), length === 0);
    return length;
  };
  assert.equal(pages(null), 0);
  assert.equal(pages({}), 0);
  assert.equal(pages({ _fullLayout: { scene: {} } }), 0);
  assert.equal(pages({ _fullLayout: { scene: { _scene: {} } } }), 0);
  assert.equal(pages({ _fullLayout: { scene: { _scene: { glplot: {} } } } }), 1);
  assert.equal(pages({ _fullLayout: {} }), 1); // a chart without a scene
});

test("a scene without a height is still being drawn", () => {
  const part = partAt([0, 0, 100, 1]);
  part.className = "stPlotlyChart";
  part.querySelector = () => ({ _fullLayout: { scene: { _scene: { glplot: {} } } } });
  assert.equal(isBeingDrawn(figureOf([part, partAt([0, 60, 100, 20])])), true);
});

test("a figure that shows nothing for 30 seconds cannot be drawn", async (context) => {
  let now = 0;
  context.mock.method(performance, "now", () => now);
  const drawn = drawFigure(figureOf([partAt([0, 0, 100, 1])]));
  let isOver = false;
  drawn.catch(() => (isOver = true));
  for (const [time, ends] of [
    [29_999, false],
    [30_000, true],
  ]) {
    now = time;
    page.frame(16);
    await new Promise((done) => setTimeout(done));
    assert.equal(isOver, ends);
  }
});

test("a scene that a browser without WebGL never draws is not waited for", async () => {
  const figure = figureOf([partAt([0, 0, 100, 1])]);
  const { querySelector } = figure;
  figure.querySelector = (selector) => selector === ".no-webgl" || querySelector(selector);
  await assert.rejects(drawFigure(figure), /not there/);
});

test("a part of two pixels is drawn", () => {
  const [{ height }] = drawPages(figureOf([partAt([0, 0, 100, 2])]), { title: false, tallest: 9 });
  assert.equal(height, Math.ceil(2 + 16 + 16.8));
});

test("a file has the fonts and colours of the page, a bold title and fainter facts", async () => {
  const { svg, background, parts } = await drawFigure(figureOf([partAt([0, 0, 400, 100])]));
  assert.ok(
    svg.startsWith(
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ' +
        'width="448" height="224" viewBox="0 0 448 224" font-family="serif" ' +
        'style="white-space: pre; color: rgb(0, 0, 0)">\n<title>Title</title>',
    ),
  );
  assert.match(svg, /<rect width="100%" height="100%" fill="rgb\(255, 255, 255\)"><\/rect>/);
  assert.match(svg, /font-size="19" font-weight="600" fill="rgb\(0, 0, 0\)">Title</);
  assert.match(svg, /font-size="12" opacity="0.8" fill="rgb\(0, 0, 0\)">facts</);
  assert.equal(background, "rgb(255, 255, 255)");
  assert.deepEqual(
    Object.values(parts).map((y) => Math.round(10 * y)),
    [666, 1666],
  );
});

test("a title of 36 letters fits into the narrowest file, one of 37 does not", async () => {
  const linesOf = async (title) => {
    const { svg } = await drawFigure(figureOf([partAt([0, 0, 10, 10])], { title, facts: "" }));
    return textsOf(svg).map(([, , line]) => line);
  };
  const word = "abcdefghij klmnopqrst uvwxyzabcd ";
  assert.deepEqual(await linesOf(`${word}efg`), [`${word}efg`]); // 360 pixels
  assert.deepEqual(await linesOf(`${word}efgh`), [word, "efgh"]);
});

test("facts are measured in the usual weight, a title in its own", async () => {
  const fonts = new Set();
  const brush = document.createElement("canvas").getContext("2d").constructor.prototype;
  const { measureText } = brush;
  brush.measureText = function measured(text) {
    fonts.add(this.font);
    return measureText.call(this, text);
  };
  await drawFigure(figureOf([partAt([0, 0, 10, 10])], { title: "a b", facts: "c d" }));
  brush.measureText = measureText;
  assert.deepEqual([...fonts], ["600 19px serif", "400 12px serif"]);
});

test("a fact from right to left is isolated from the text around it", async () => {
  const factIn = async (direction) => {
    const figure = figureOf([partAt([0, 0, 10, 10])]);
    const value = new FakeElement("bdi");
    value.append("אב");
    value.style.direction = direction;
    const [fact] = figure.querySelector().querySelectorAll();
    fact.textContent = "";
    fact.append("model: ", value);
    const { svg } = await drawFigure(figure);
    return textsOf(svg).at(-1)[2];
  };
  assert.equal(await factIn("rtl"), "model: \u2067אב\u2069");
  assert.equal(await factIn("ltr"), "model: אב");
});

// A part with a rectangle in it.
function painted(box, inner) {
  const part = partAt(box);
  part.style.backgroundColor = "rgba(0, 0, 0, 0)";
  const [left, top, width, height] = inner;
  const child = Object.assign(new FakeElement("p"), { box: { left, top, width, height } });
  child.style.backgroundColor = "rgb(1, 2, 3)";
  part.append(child);
  return part;
}

test("empty space above and below what is drawn is left out", async () => {
  const figure = () => figureOf([painted([0, 300, 400, 100], [10, 330, 50, 20])], { facts: "" });
  const { svg, height } = await drawFigure(figure());
  assert.deepEqual(moves(svg)[1], "0 -30");
  assert.match(svg, /<rect x="10" y="30" width="50" height="20"/);
  assert.equal(height, Math.ceil(24 + 26.6 + 16 + 20 + 24));
});

test("empty space stays if another part is beside it", async () => {
  const high = painted([0, 0, 100, 100], [10, 30, 50, 20]);
  const movesWith = async (...box) => {
    const { svg } = await drawFigure(figureOf([high, partAt(box)]));
    return moves(svg)[1];
  };
  assert.equal(await movesWith(110, 50, 100, 100), "0 0");
  assert.equal(await movesWith(110, 99, 100, 100), "0 0");
  assert.equal(await movesWith(110, 100, 100, 100), "0 -30"); // the other part is only below
  const low = painted([0, 100, 100, 100], [10, 130, 50, 20]);
  const { svg } = await drawFigure(figureOf([low, partAt([110, 0, 100, 100])]));
  assert.equal(moves(svg)[1 + 1], "0 -30"); // the other part is only above
});

test("parts are drawn from top to bottom, in whatever order the page has them", async () => {
  const { svg } = await drawFigure(figureOf([partAt([0, 60, 100, 50]), partAt([0, 0, 100, 50])]));
  assert.deepEqual(moves(svg).slice(1), ["0 0", "0 60"]);
});

test("a figure reaches from its leftmost to its rightmost part, scrolled ones too", async () => {
  const { svg, width } = await drawFigure(
    figureOf([partAt([50, 0, 400, 50]), partAt([20, 60, 300, 50]), partAt([90, 120, 410, 50])]),
  );
  assert.deepEqual([moves(svg)[0], width], ["4 66.6", 500 - 20 + 48]); // from 20 to 500
  const scrolling = painted([0, 0, 400, 100], [0, 0, 700, 50]);
  assert.equal((await drawFigure(figureOf([scrolling]))).width, 700 + 48);
});

test("parts that share one pixel of the page are beside each other", async () => {
  const lastMove = async (...parts) => {
    const { svg } = await drawFigure(figureOf(parts.map((box) => partAt(box))));
    return moves(svg).at(-1);
  };
  assert.equal(await lastMove([0, 0, 100, 50], [99, 60, 100, 50]), "0 0");
  assert.equal(await lastMove([0, 0, 100, 50], [98, 60, 100, 50]), "0 60");
  assert.equal(await lastMove([99, 0, 100, 50], [0, 60, 100, 50]), "0 0");
  assert.equal(await lastMove([98, 0, 100, 50], [0, 60, 100, 50]), "0 60");
});

// The seams of parts that are given by their classes and boxes, the first one at 300 on the page.
function seamsIn(...parts) {
  const made = parts.map(([className, top, height, ...inner]) => {
    const part = classed(className, [0, 300 + top, 400, height]);
    for (const [from, size, root = part] of inner) {
      const figure = new FakeElement("figure");
      figure.box = { left: 0, top: 300 + from, width: 400, height: size };
      (root === part ? part : part.attachShadow()).append(figure);
    }
    return part;
  });
  const options = { title: false, facts: false, tallest: 9 };
  return drawPages(figureOf(made), options)[0].seams;
}

test("a page may end between the matrices of a component", () => {
  const matrices = ["stBidiComponent", 0, 200, [0, 50], [60, 50], [120, 50]];
  assert.deepEqual(seamsIn(matrices), [60, 120]);
  assert.deepEqual(seamsIn(["stBidiComponent", 0, 200, [0, 50, "shadow"]]), []);
});

test("a page may not end within a matrix that is beside another one", () => {
  const component = (...second) => ["stBidiComponent", 0, 200, [0, 50], second];
  assert.deepEqual(seamsIn(component(51, 50)), [51]);
  assert.deepEqual(seamsIn(component(50, 50)), [50]);
  assert.deepEqual(seamsIn(component(49.5, 50)), [49.5]);
  assert.deepEqual(seamsIn(component(49, 50)), []);
  assert.deepEqual(seamsIn(component(1, 50)), []); // beside the first one
  assert.deepEqual(seamsIn(component(2, 50)), []);
});

test("a heading stays with the picture below it, a caption with the one above it", () => {
  const chart = (top) => ["stVegaLiteChart", top, 40];
  assert.deepEqual(seamsIn(["stHeading", 0, 20], chart(20), chart(70)), [70]);
  assert.deepEqual(seamsIn(chart(0), ["stHeading", 50, 20], chart(70), chart(120)), [50, 120]);
  assert.deepEqual(seamsIn(["stHeading", 0, 20], ["stHeading", 20, 20], chart(40)), []);
  assert.deepEqual(seamsIn(chart(0), ["other", 40, 20], chart(60)), [60]);
});

test("a text about the picture below it stays with that picture", () => {
  const charts = [0, 60].map((top) => classed("stVegaLiteChart", [0, 300 + top, 400, 40]));
  const text = classed("stHtml", [0, 340, 400, 20]);
  text.append(Object.assign(new FakeElement("p"), { className: "gloss" }));
  const figure = figureOf([charts[0], text, charts[1]]);
  const [{ seams }] = drawPages(figure, { title: false, facts: false, tallest: 9 });
  assert.deepEqual(seams, [40]);
});

test("seams are in order, whatever part they come from", () => {
  const parts = [
    ["stBidiComponent", 0, 100, [0, 20], [80, 20]],
    ["stVegaLiteChart", 100, 40],
  ];
  assert.deepEqual(seamsIn(...parts), [80, 100]);
});
