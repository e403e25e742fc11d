// What the app prints: its figures as drawings, and the sentences of its boxes.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeElement, FakePage } from "./page.js";
import { setLightColours } from "../../web/app/tools/light_colours.js";
import { watchPrinting } from "../../web/app/tools/print.js";
import { printed, TALLEST } from "../../web/app/tools/print_pieces.js";

globalThis.Node = { ELEMENT_NODE: 1, TEXT_NODE: 3 };
FakeElement.prototype.nodeType = 1;
FakeElement.prototype.getBoundingClientRect = function place() {
  const { left, top, width, height } = this.box;
  const box = { left, top, width, height, right: left + width, bottom: top + height };
  return { ...box, toJSON: () => box };
};
FakeElement.prototype.cloneNode = function cloneNode() {
  const copy = new FakeElement(this.localName);
  for (const [name, value] of this.attributes) copy.setAttribute(name, value);
  return copy;
};
globalThis.DOMParser = class {
  parseFromString(text) {
    const svg = new FakeElement("svg");
    svg.text = text;
    svg.append(new FakeElement("rect"), new FakeElement("g"));
    return { documentElement: svg };
  }
};

// A page with its block of figures; the signal ends watching.
function begun() {
  const page = new FakePage();
  document.head = page.add("head");
  document.styleSheets = [];
  document.importNode = (node) => node;
  globalThis.getComputedStyle = ({ style }) => ({
    opacity: "1",
    color: "rgb(0, 0, 0)",
    backgroundColor: "rgb(255, 255, 255)",
    fontFamily: "serif",
    outlineStyle: "none",
    ...style,
  });
  setLightColours({ css: "", ink: "", swaps: {} });
  const app = page.add("div", { className: "stApp stMain" });
  const main = add(app, "div", { className: "stMainBlockContainer" });
  const ending = new AbortController();
  watchPrinting(ending.signal);
  const print = () => dispatchEvent(new Event("beforeprint"));
  const end = () => dispatchEvent(new Event("afterprint"));
  return { page, app, main, ending, print, end };
}

function add(parent, name, properties = {}) {
  const made = Object.assign(document.createElement(name), properties);
  parent.append(made);
  return made;
}

// Adds a figure 680 pixels wide, with parts that are given by top, width and height.
function addFigure(main, { title = "Heads", parts = [[0, 680, 100]], facts = "facts" } = {}) {
  const figure = add(main, "div", { className: "st-key-figure-heads", clientWidth: 680 });
  const inner = add(figure, "div");
  const bar = add(inner, "div", { className: "figure-bar" });
  bar.dataset.title = title;
  add(bar, "p", { className: "caption" });
  add(add(bar, "p", { className: "provenance" }), "span").textContent = facts;
  for (const [top, width, height] of parts) {
    const part = add(figure, "div", { className: "stVegaLiteChart", offsetHeight: height });
    part.box = { left: 0, top, width, height };
  }
  return figure;
}

const drawings = (figure) => figure.querySelectorAll(".drawn").map((box) => box.children);
const rounded = (text) => text?.replace(/\d+\.\d+/g, (n) => String(Math.round(10 * n) / 10));
const sizes = (svgs) => svgs.map((svg) => rounded(svg.getAttribute("viewBox")));

test("a page of paper is 18 wide for 23 high", () => {
  assert.equal(TALLEST, 23 / 18);
});

test("a figure is drawn below itself while the page is printed", () => {
  const { page, main, print, end } = begun();
  const figure = addFigure(main);
  print();
  const [[svg, ...others]] = drawings(figure);
  assert.deepEqual(others, []);
  assert.match(svg.text, />Heads</);
  assert.match(svg.text, />facts</);
  assert.equal(page.root.hasAttribute("data-for-file"), false); // only while it is drawn
  print(); // a second preview does not add a second drawing
  assert.equal(drawings(figure).length, 1);
  end();
  assert.deepEqual(drawings(figure), []);
});

test("the title of a figure is left out if a heading of the page is the same", () => {
  const { main, print } = begun();
  add(main, "h2").textContent = " Heads ";
  const [same, other] = [addFigure(main), addFigure(main, { title: "Lines" })];
  print();
  assert.doesNotMatch(drawings(same)[0][0].text, /<text[^>]*>Heads</);
  assert.match(drawings(other)[0][0].text, /<text[^>]*>Lines</);
});

test("a heading with long paragraphs between it and its figure does not replace the title", () => {
  const titled = (height, isCaption) => {
    const { main, print } = begun();
    add(main, "h2").textContent = "Heads";
    const text = add(main, "div", { className: "stMarkdown" });
    if (isCaption) add(text, "p").setAttribute("data-testid", "stCaptionContainer");
    text.box = { left: 0, top: 0, width: 680, height };
    const figure = addFigure(main);
    print();
    return /<text[^>]*>Heads</.test(drawings(figure)[0][0].text);
  };
  assert.equal(titled(80, false), true);
  assert.equal(titled(79, false), false);
  assert.equal(titled(80, true), false);
});

test("a page that is no longer watched is printed as it is", () => {
  const { main, ending, print } = begun();
  const figure = addFigure(main);
  ending.abort();
  print();
  assert.deepEqual(drawings(figure), []);
});

test("a page that is printed too early says so", () => {
  const { main, print, end } = begun();
  addFigure(main);
  print();
  assert.equal(main.hasAttribute("data-not-drawn"), false);
  end();
  const later = add(main, "div");
  later.setAttribute("data-testid", "stSkeleton"); // a part that Streamlit still loads
  print();
  assert.equal(main.hasAttribute("data-not-drawn"), true);
  end();
  assert.equal(main.hasAttribute("data-not-drawn"), false);
  later.remove();
  const early = add(main, "div", { className: "st-key-figure-early" }); // without its bar
  print();
  assert.equal(main.hasAttribute("data-not-drawn"), true);
  early.remove();
  print();
  assert.equal(main.hasAttribute("data-not-drawn"), false);
  addFigure(main).querySelector(".stVegaLiteChart").className = "stPlotlyChart";
  print();
  assert.equal(main.hasAttribute("data-not-drawn"), true);
  main
    .querySelector(".stPlotlyChart")
    .append(Object.assign(document.createElement("div"), { className: "no-webgl" }));
  print();
  assert.equal(main.hasAttribute("data-not-drawn"), false);
});

test("a worksheet is printed without the page", () => {
  const { page, main, print } = begun();
  const figure = addFigure(main);
  page.add("article", { className: "paper-sheet" });
  print();
  assert.deepEqual(drawings(figure), []);
});

test("sentences are written below their boxes, in their own direction", () => {
  const { main, print, end } = begun();
  const key = add(main, "div", { className: "st-key-choice-sentence" });
  const box = add(key, "div", { className: "stTextArea" });
  add(box, "textarea", { value: "It rains." });
  add(add(main, "div", { className: "st-key-other" }), "input", { value: "no" });
  print();
  const [sentence] = box.querySelectorAll(".paper-part");
  assert.equal(sentence.textContent, "It rains.");
  assert.deepEqual([sentence.dir, sentence.translate], ["auto", false]);
  end();
  assert.deepEqual(box.querySelectorAll(".paper-part"), []);
});

test("further sentences are written side by side, each with its label", () => {
  const { main, print, end } = begun();
  const row = add(main, "div", { className: "stHorizontalBlock" });
  const key = add(row, "div", { className: "st-key-masks-other-2" });
  const box = add(key, "div", { className: "stTextInput" });
  const input = add(box, "input", { value: "I see." });
  input.setAttribute("type", "text");
  input.setAttribute("aria-label", "Sentence 2");
  // a list that can be searched also has an input
  const list = add(add(main, "div", { className: "st-key-positions-waves" }), "input", {});
  list.setAttribute("type", "text");
  print();
  const [{ children }] = box.querySelectorAll(".paper-part");
  const texts = children.map(({ localName, textContent }) => [localName, textContent]);
  assert.deepEqual(texts, [
    ["small", "Sentence 2"],
    ["bdi", "I see."],
  ]);
  assert.equal(row.hasAttribute("data-beside"), true);
  end();
  assert.deepEqual(box.querySelectorAll(".paper-part"), []);
});

test("a table that is wider than the paper is turned", () => {
  const { main, print, end } = begun();
  const table = (scrollWidth) =>
    add(main, "div", { className: "token-table", scrollWidth, clientWidth: 680 });
  const [wide, fitting] = [table(681), table(680)];
  const own = table(900);
  add(own, "table", { className: "paper-table" }); // one for paper exists
  print();
  const isTurned = () => [wide, fitting, own].map((each) => each.hasAttribute("data-turned"));
  assert.deepEqual(isTurned(), [true, false, false]);
  end();
  assert.deepEqual(isTurned(), [false, false, false]);
});

test("a long table that is turned becomes several tables with the names of its rows", () => {
  const partsOf = (tokens) => {
    const { main, print, end } = begun();
    const box = add(main, "div", { className: "token-table", scrollWidth: 900, clientWidth: 680 });
    const fill = (table) => {
      const row = add(table, "tr");
      const texts = ["name", ...Array.from({ length: tokens }, (_, n) => String(n))];
      for (const textContent of texts) add(row, "td", { textContent });
      return table;
    };
    const table = fill(add(box, "table"));
    table.cloneNode = () => fill(document.createElement("table"));
    print();
    const isParted = box.hasAttribute("data-parted");
    const [, ...parts] = box.children;
    const texts = parts.map((part) => part.children[0].children.map((cell) => cell.textContent));
    end();
    assert.deepEqual([box.children.length, box.hasAttribute("data-parted")], [1, false]);
    assert.equal(isParted, parts.length > 0);
    return texts.map(([name, first, ...others]) => [name, first, others.at(-1)]);
  };
  assert.deepEqual(partsOf(18), []);
  const [first, second, third] = [
    ["name", "0", "8"],
    ["name", "9", "17"],
    ["name", "18", "24"],
  ];
  assert.deepEqual(partsOf(25), [first, second, third]);
});

// A row of columns, each with a chart of this width, or with several; null has none.
function rowOf(...widths) {
  const { main, print, end } = begun();
  const row = add(main, "div", { className: "stHorizontalBlock" });
  for (const clientWidth of widths) {
    const column = add(row, "div", { className: "stColumn" });
    for (const width of [clientWidth ?? []].flat()) {
      add(column, "svg", { className: "marks", clientWidth: width });
    }
  }
  add(row, "p");
  print();
  const isBeside = row.hasAttribute("data-beside");
  end();
  assert.equal(row.hasAttribute("data-beside"), false);
  const shares = row
    .querySelectorAll(".stColumn")
    .map(({ style }) => style.getPropertyValue("--chart-width"));
  return isBeside && shares.map(Number);
}

test("numbers stay side by side, unless a chart is with them", () => {
  const { main, print, end } = begun();
  const rowOfNumbers = (...others) => {
    const row = add(main, "div", { className: "stHorizontalBlock" });
    const column = add(row, "div", { className: "stColumn" });
    for (const className of ["stMetric", ...others]) add(column, "div", { className });
    return row;
  };
  const rows = [[], ["stVegaLiteChart"], ["stBidiComponent"]].map((kinds) =>
    rowOfNumbers(...kinds),
  );
  print();
  const areBeside = () => rows.map((row) => row.hasAttribute("data-beside"));
  assert.deepEqual(areBeside(), [true, false, false]);
  end();
  assert.deepEqual(areBeside(), [false, false, false]);
});

test("the letters of a description do not shrink to less than 8 pixels", () => {
  const sizeAfter = (top) => {
    const { main, print } = begun();
    main.box = { left: 0, top: 0, width: 680, height: 2000 };
    const figure = addFigure(main);
    const { parseFromString } = DOMParser.prototype;
    DOMParser.prototype.parseFromString = function parsed(text) {
      const made = parseFromString.call(this, text);
      made.documentElement.box = { left: 0, top, width: 680, height: 500 };
      const line = new FakeElement("text");
      line.setAttribute("font-size", "12");
      made.documentElement.append(line);
      const { matches } = FakeElement.prototype;
      made.documentElement.matches = function isMatched(selector) {
        return selector === ":only-child" || matches.call(this, selector);
      };
      return made;
    };
    print();
    DOMParser.prototype.parseFromString = parseFromString;
    const [[svg]] = drawings(figure);
    return [svg.style.maxHeight, Number(svg.querySelector("text").getAttribute("font-size"))];
  };
  assert.deepEqual(sizeAfter(610), ["350px", 12]);
  assert.deepEqual(sizeAfter(660), ["300px", 8 / 0.6]);
});

test("charts side by side stay so if they fit at three quarters of their size", () => {
  assert.deepEqual(rowOf(450, 456), [450, 456]); // 0.75 of 906 pixels are 679.5 of 680
  assert.equal(rowOf(450, 457), false);
  assert.equal(rowOf(300, null), false);
  assert.equal(rowOf(300, [150, 150]), false); // below each other, a page may end between them
  assert.equal(rowOf(300), false);
});

test("each line of a draft begins with the names of its rows, on paper only", () => {
  const { main, print, end } = begun();
  const draft = add(main, "table", { className: "checked-draft" });
  for (const [text, top] of [
    ["names", 0],
    ["Je", 0],
    ["vois", 90],
    ["un", 90],
    ["chat", 180],
  ]) {
    const row = add(draft, "tr", { textContent: text });
    row.box = { left: 0, top, width: 50, height: 80 };
    row.cloneNode = () => Object.assign(document.createElement("tr"), { textContent: text });
  }
  const texts = () => draft.children.map(({ textContent }) => textContent);
  const before = texts();
  print();
  const lines = [["names", "Je"], "", ["names", "vois", "un"], "", ["names", "chat"]];
  assert.deepEqual(texts(), lines.flat()); // "" ends a line
  end();
  assert.deepEqual(texts(), before);
});

test("a page may end between the parts of a figure, each is a piece with its description", () => {
  const { main, print } = begun();
  const figure = addFigure(main, {
    title: "Two",
    parts: [
      [0, 680, 100],
      [110, 680, 100],
    ],
  });
  print();
  const [pieces] = drawings(figure);
  // a title of 26.6 pixels, 16 below it; facts of 16.8 pixels with 16 above them
  assert.deepEqual(sizes(pieces), ["0 0 680 152.6", "0 152.6 680 133.4"]);
  assert.deepEqual(
    pieces.map((svg) => [svg.getAttribute("width"), rounded(svg.getAttribute("height"))]),
    [
      ["680", "152.6"],
      ["680", "133.4"],
    ],
  );
  const [whole, copy] = pieces;
  const [content] = whole.children;
  assert.deepEqual(
    content.children.map(({ localName }) => localName),
    ["g"], // without the background of the figure
  );
  assert.match(content.getAttribute("id"), /^whole-picture-\d+$/);
  assert.equal(copy.children[0].namespaceURI, "http://www.w3.org/2000/svg");
  assert.equal(copy.children[0].getAttribute("href"), `#${content.getAttribute("id")}`);
});

test("two figures that are cut have ids of their own", () => {
  const { main, print } = begun();
  const parts = [
    [0, 680, 100],
    [110, 680, 100],
  ];
  const figures = [addFigure(main, { parts }), addFigure(main, { parts })];
  print();
  const ids = figures.map((figure) => drawings(figure)[0][0].children[0].getAttribute("id"));
  assert.notEqual(ids[0], ids[1]);
});

test("a chart much wider than the paper is turned, or cut where a page is too short", () => {
  const { main, print } = begun();
  const piecesOf = (width) => {
    const figure = addFigure(main, { title: "A", parts: [[0, width, 100]], facts: "" });
    print();
    return drawings(figure)[0];
  };
  assert.deepEqual(sizes(piecesOf(1133)), [undefined]); // at 60 % it fits
  // title 26.6 and gap 16 above the chart, of 100 pixels: 142.6
  for (const width of [1134, 1450]) {
    const [chart, ...others] = piecesOf(width);
    assert.deepEqual([others, sizes([chart])], [[], [`0 0 143 ${width}`]]);
    const share = 870 / width; // of the height of a page, without a heading
    const size = ["width", "height"].map((name) => Number(chart.getAttribute(name)));
    assert.deepEqual(size.map(Math.round), [143 * Math.min(1, share), 870].map(Math.round));
    const [content] = chart.children;
    assert.equal(content.getAttribute("transform"), `translate(0 ${width}) rotate(-90)`);
    assert.equal(content.children.length, 1);
  }
  const strips = (...lefts) => ["0 0 680 42.6", ...lefts.map((x) => `${x} 42.6 680 100`)];
  assert.deepEqual(sizes(piecesOf(1451)), strips(0, 600, 1200));
  assert.deepEqual(sizes(piecesOf(1880)), strips(0, 600, 1200));
  assert.deepEqual(sizes(piecesOf(1881)), strips(0, 600, 1200, 1800));
});

// Draws a chart 1600 pixels wide with an axis of 50 pixels, and labels at these places below it.
function chartOf(labels, title, legend) {
  const { main, print } = begun();
  const figure = addFigure(main, { title: "A", parts: [[0, 1600, 100]], facts: "" });
  const [chart] = figure.querySelectorAll(".stVegaLiteChart");
  const part = (left, top, width, height = 10) =>
    Object.assign(new FakeElement("path"), { box: { left, top, width, height } });
  const found = {
    ".background": [part(50, 0, 1550, 90)],
    ".role-axis-label": [part(0, 40, 20), ...labels.map((x) => part(x - 10, 90, 20))],
    ".role-axis-title": [part(0, 20, 10, 50), ...(title ? [part(...title)] : [])],
    ".role-legend": legend ? [part(...legend)] : [],
  };
  chart.querySelectorAll = (selector) =>
    Object.entries(found).find(([end]) => selector.includes(end))?.[1] ?? [];
  print();
  return drawings(figure)[0];
}

test("every piece of a chart has its vertical axis", () => {
  const [title, first, ...others] = chartOf([]);
  assert.deepEqual(
    [title, first].map(({ children }) => children.length),
    [1, 1],
  );
  // a piece has 50 of the axis and 630 of the chart, of which it shares 80 with the one before
  assert.deepEqual(sizes(others), Array(2).fill("0 42.6 680 100"));
  for (const [n, { children }] of others.entries()) {
    // the axis ends 6 pixels below the chart of 90, and 4 before it
    assert.deepEqual(sizes(children), ["0 42.6 46 96", `${50 + 550 * (n + 1)} 42.6 630 100`]);
    assert.deepEqual(
      children.map((view) => view.getAttribute("x")),
      ["0", "50"],
    );
    const [[axis], [content]] = children.map((view) => view.children);
    assert.equal(axis.getAttribute("href"), content.getAttribute("href"));
  }
});

test("every piece of a chart has the legend above the chart, if there is room for it", () => {
  const views = (...legend) => chartOf([], null, legend).map(({ children }) => children);
  const [, first, ...others] = views(60, -25, 620, 20);
  assert.equal(first.length, 1); // it shows its part of the whole chart
  for (const [, , legend] of others) {
    assert.deepEqual([legend.getAttribute("x"), ...sizes([legend])], ["60", "60 17.6 620 20"]);
  }
  const lengths = (...legend) => views(...legend).map((children) => children.length);
  assert.deepEqual(lengths(60, -25, 621, 20), [1, 1, 2, 2]); // wider than a piece
  assert.deepEqual(lengths(60, 40, 100, 20), [1, 1, 2, 2]); // not above the chart
});

test("a chart is cut between the labels of its axis, but not in the title of the axis", () => {
  const labels = Array.from({ length: 15 }, (_, n) => 100 + 100 * n);
  const cuts = (title) => {
    const [, first, ...others] = chartOf(labels, title);
    return [sizes([first]), ...others.map(({ children: [, content] }) => sizes([content]))].flat();
  };
  assert.deepEqual(cuts(), ["0 42.6 650 100", "650 42.6 600 100", "1250 42.6 350 100"]);
  assert.deepEqual(cuts([600, 95, 60]), [
    "0 42.6 550 100",
    "550 42.6 600 100",
    "1150 42.6 450 100",
  ]);
});

// Draws a tree whose steps have texts from left to right. Returns its pieces.
function treeOf(width, ...texts) {
  const { main, print } = begun();
  const figure = addFigure(main, { title: "A", parts: [[0, width, 100]], facts: "" });
  const [chart] = figure.querySelectorAll(".stVegaLiteChart");
  const nodes = texts.map(([left, right]) =>
    Object.assign(new FakeElement("text"), {
      box: { left, top: 0, width: right - left, height: 20 },
    }),
  );
  chart.querySelectorAll = (selector) => (selector.includes(".mark-text") ? nodes : []);
  print();
  return drawings(figure)[0];
}

test("a tree is cut between its steps, and repeats nothing", () => {
  const pieces = treeOf(900, [0, 300], [0, 200], [320, 640], [660, 900]);
  // a strip ends 2 pixels after the longest text that fits on the paper
  assert.deepEqual(sizes(pieces), ["0 0 680 42.6", "0 42.6 642 100", "642 42.6 258 100"]);
  assert.deepEqual(
    pieces.map(({ children }) => children.length),
    [1, 1, 1],
  );
});

test("the title of a chart that is cut is above its first strip, and its facts below the last", () => {
  const { main, print } = begun();
  const figure = addFigure(main, { title: "A", parts: [[0, 1600, 100]] });
  print();
  const [pieces] = drawings(figure);
  const places = pieces.map((svg) => svg.getAttribute("viewBox").split(" ").map(Math.round));
  assert.deepEqual(places, [
    [0, 0, 680, 43],
    ...[0, 600, 1200].map((x) => [x, 43, 680, 100]),
    [0, 143, 680, 33], // a gap of 16 pixels and a line of 16.8
  ]);
  const kinds = pieces.map((svg) => ["title", "facts"].find((kind) => svg.matches(`.${kind}`)));
  assert.deepEqual(kinds, ["title", undefined, undefined, undefined, "facts"]);
});

test("strips shrink to 85 % if they are fewer then, all of them", () => {
  const widths = (width) =>
    treeOf(width, [0, 550], [570, 1180], [1200, width])
      .slice(1)
      .map((svg) => Math.round(Number(svg.getAttribute("width"))));
  assert.deepEqual(widths(1352), [469, 680]); // 552 and 800
  assert.deepEqual(widths(1353), [552, 630, 171]);
});

test("a tree shrinks to 80 % before it is cut", () => {
  const steps = [
    [0, 300],
    [320, 640],
  ];
  assert.equal(treeOf(850, ...steps, [660, 850]).length, 1);
  assert.equal(treeOf(851, ...steps, [660, 851]).length, 3); // with its title
});

test("a tree with a step wider than the paper is cut like any chart", () => {
  assert.deepEqual(sizes(treeOf(1800, [0, 300], [320, 1130], [1150, 1800])), [
    "0 0 680 42.6",
    "0 42.6 680 100",
    "600 42.6 680 100",
    "1200 42.6 680 100",
  ]);
});

test("the last two rows of a table are one piece", () => {
  const { main, print } = begun();
  const figure = addFigure(main, { title: "A", parts: [], facts: "" });
  const part = add(figure, "div", { className: "stHtml", offsetHeight: 100 });
  part.box = { left: 0, top: 0, width: 680, height: 100 };
  const table = add(part, "table");
  for (const top of [30, 50, 70, 90]) {
    add(add(table, "tr"), "td").box = { left: 0, top, width: 50, height: 10 };
  }
  print();
  const [pieces] = drawings(figure);
  // a title of 26.6 pixels and 16 below it
  assert.deepEqual(sizes(pieces), ["0 0 680 92.6", "0 92.6 680 20", "0 112.6 680 30.4"]);
});

test("a page may end between the steps of an opened cell, but not in a table of a step", () => {
  const { main, print } = begun();
  const figure = addFigure(main, { title: "A", parts: [], facts: "" });
  const part = add(figure, "div", { className: "stHtml", offsetHeight: 300 });
  part.box = { left: 0, top: 0, width: 680, height: 300 };
  const steps = add(part, "ol", { className: "cell" });
  for (const top of [0, 150]) {
    const step = add(steps, "li");
    step.box = { left: 0, top, width: 680, height: 140 };
    for (const n of [1, 2, 3]) {
      add(step, "td").box = { left: 0, top: top + 30 * n, width: 50, height: 20 };
    }
  }
  print();
  // a title of 26.6 pixels and 16 below it
  // it ends 1 pixel above the border of a step
  assert.deepEqual(sizes(drawings(figure)[0]), ["0 0 680 191.6", "0 191.6 680 151.4"]);
});

test("the story of a step stays with its picture, which needs no title then", () => {
  const { main, print } = begun();
  add(main, "h2").textContent = "Heads";
  const story = add(main, "div", { className: "st-key-qkv-story" });
  const text = add(story, "div", { className: "stMarkdown" });
  text.box = { left: 0, top: 0, width: 680, height: 200 };
  const figure = addFigure(main);
  print();
  assert.doesNotMatch(drawings(figure)[0][0].text, /<text[^>]*>Heads</);
});

test("a chart that is also high is not turned: it would be too small to read", () => {
  const { main, print } = begun();
  const piecesOf = (height) => {
    const figure = addFigure(main, { title: "A", parts: [[0, 1200, height]], facts: "" });
    print();
    return drawings(figure)[0].length;
  };
  // with the title, 42.6 pixels more; at 0.6 the chart is as wide as the paper
  assert.deepEqual([piecesOf(1090), piecesOf(1091)], [1, 3]); // a title and strips
});

// Draws figures whose drawings are at these places on paper. Returns their greatest heights.
function fitted(...places) {
  return fittedWith(places, []);
}

// The same, with texts after the pictures, given by top and height.
function fittedWith(places, texts, { hasName = false, asPieces = false } = {}) {
  const { page, main, print } = begun();
  if (hasName) page.add("div", { className: "st-key-menu" });
  main.box = { left: 0, top: 50, width: 680, height: 2000 };
  document.styleSheets = [
    {
      cssRules: [
        { media: { mediaText: "print" }, cssRules: [{ cssText: "a {}" }, { cssText: "b {}" }] },
        { media: { mediaText: "screen" }, cssRules: [{ cssText: "c {}" }] },
        { cssText: "d {}" },
        {
          media: { mediaText: "" },
          styleSheet: {
            cssRules: [{ media: { mediaText: "print" }, cssRules: [{ cssText: "e {}" }] }],
          },
        },
      ],
    },
  ];
  const styles = [];
  const { append } = document.body;
  document.body.append = function appended(node) {
    if (node.localName === "style") styles.push(node);
    append.call(this, node);
  };
  const figures = places.map(({ pieces = 1, wide = 680 }) =>
    addFigure(main, { parts: Array.from({ length: pieces }, (_, n) => [110 * n, wide, 100]) }),
  );
  for (const { top, height } of texts) {
    const text = add(main, "div", { className: "stElementContainer" });
    text.box = { left: 0, top: 50 + top, width: 680, height };
  }
  const { parseFromString } = DOMParser.prototype;
  const left = places.map(({ top, height }) => ({ left: 0, top: 50 + top, width: 680, height }));
  DOMParser.prototype.parseFromString = function parsed(text) {
    const made = parseFromString.call(this, text);
    made.documentElement.box = left.shift();
    return made;
  };
  const { matches } = FakeElement.prototype;
  FakeElement.prototype.matches = function isMatched(selector) {
    if (selector !== ":only-child") return matches.call(this, selector);
    return this.parentNode.children.length === 1;
  };
  print();
  DOMParser.prototype.parseFromString = parseFromString;
  FakeElement.prototype.matches = matches;
  assert.deepEqual(
    styles.map(({ textContent }) => textContent),
    ["a {}\nb {}\ne {}"], // the page is measured as it will be printed
  );
  assert.equal(page.body.contains(styles[0]), false);
  const drawn = figures.map((figure) => drawings(figure)[0]);
  return drawn.map((pieces) => (asPieces ? sizes(pieces) : pieces[0].style.maxHeight));
}

test("a picture that is a little too tall for the first page shrinks to it", () => {
  // 960 pixels of a page, of which 460 are left
  assert.deepEqual(fitted({ top: 500, height: 460 }), [undefined]);
  assert.deepEqual(fitted({ top: 500, height: 461 }), ["460px"]);
  assert.deepEqual(fitted({ top: 500.5, height: 600 }), ["459px"]);
  assert.deepEqual(fitted({ top: 510, height: 750 }), ["450px"]); // to 60 %, but not further
  assert.deepEqual(fitted({ top: 510, height: 751 }), [undefined]);
});

// The greatest height of a picture, and which of the texts after it stay on its page. The picture
// ends 20 pixels above the first text. A text is given by its height and whether it is a caption.
function withTexts(top, height, ...texts) {
  const { main, print } = begun();
  main.box = { left: 0, top: 0, width: 680, height: 2000 };
  const figure = addFigure(add(main, "div"), { facts: "" });
  let end = top + height + 20;
  const added = texts.map(([size, isCaption]) => {
    const text = add(main, "div", { className: "stElementContainer" });
    if (isCaption) add(text, "p", { className: "guide" });
    text.box = { left: 0, top: end, width: 680, height: size };
    end += size;
    return text;
  });
  const { parseFromString } = DOMParser.prototype;
  DOMParser.prototype.parseFromString = function parsed(text) {
    const made = parseFromString.call(this, text);
    made.documentElement.box = { left: 0, top, width: 680, height };
    return made;
  };
  print();
  DOMParser.prototype.parseFromString = parseFromString;
  const kept = added.map((text) => text.hasAttribute("data-with-picture"));
  return [drawings(figure)[0][0].style.maxHeight, ...kept];
}

test("a picture on the first page makes room for the captions below it", () => {
  // far below is a text, so that these are not the last texts of the page
  const far = [900, false];
  // 960 pixels of a page; 460 for the picture, 20 between, 40 and 20 for the captions
  assert.deepEqual(withTexts(500, 380, [40, true], [20, true], far), [
    undefined,
    false,
    false,
    false,
  ]);
  assert.deepEqual(withTexts(500, 381, [40, true], [20, true], far), ["380px", true, true, false]);
  assert.deepEqual(withTexts(500, 460, [40, true], far), ["400px", true, false]);
  assert.deepEqual(withTexts(500, 460, [40, false], far), [undefined, false, false]);
  // captions higher than 100 pixels may be on the next page
  assert.deepEqual(withTexts(500, 460, [80, true], far), ["360px", true, false]);
  assert.deepEqual(withTexts(500, 460, [81, true], far), [undefined, false, false]);
});

test("the name of the app takes 25 pixels of the first page", () => {
  assert.deepEqual(fittedWith([{ top: 500, height: 460 }], [], { hasName: true }), ["435px"]);
});

test("only the first picture that reaches the second page shrinks", () => {
  const places = [
    { top: 0, height: 400 },
    { top: 500, height: 500 },
    { top: 1000, height: 50 },
    { top: 700, height: 300 },
  ];
  assert.deepEqual(fitted(...places), [undefined, "460px", undefined, undefined]);
});

test("the last picture shrinks a little for the texts after it", () => {
  const shrunk = (top, height, ...texts) => fittedWith([{ top, height }], texts)[0];
  // 960 pixels of the first page; the text ends 90 pixels below the picture
  assert.equal(shrunk(310, 600, { top: 920, height: 80 }), "560px");
  assert.equal(shrunk(10, 900), undefined);
  // on another page: 90 pixels for a heading
  assert.equal(shrunk(1110, 900, { top: 2020, height: 80 }), "780px");
  assert.equal(shrunk(1110, 700, { top: 1820, height: 80 }), undefined); // it has room
  // to 75 %, but not further
  const texts = [
    { top: 1880, height: 20 },
    { top: 1910, height: 260 },
  ];
  assert.equal(shrunk(1110, 760, ...texts), "570px");
  assert.equal(shrunk(1109, 761, ...texts), undefined);
  // texts higher than 300 pixels may be on a page of their own
  assert.equal(shrunk(1110, 700, { top: 1820, height: 291 }), undefined);
});

test("a turned chart shrinks to the first page at 60 % of its size on the screen", () => {
  assert.deepEqual(fitted({ top: 510, height: 700, wide: 1133 }), ["450px"]); // it is not turned
  assert.deepEqual(fitted({ top: 240, height: 870, wide: 1200 }), ["720px"]);
  assert.deepEqual(fitted({ top: 241, height: 870, wide: 1200 }), [undefined]);
});

test("a turned chart that is too long for the first page is cut if its first strip fits", () => {
  // title 26.6, gap 16, chart 100, gap 16, facts 16.8: 176 pixels
  const strips = (top, wide = 1300) =>
    fittedWith([{ top, height: 870, wide }], [], { asPieces: true })[0];
  assert.deepEqual(strips(180), ["0 0 176 1300"]);
  const first = ["0 0 680 42.6", "0 42.6 680 100"]; // its title and the first strip
  const cut = [...first, "600 42.6 680 100", "1200 42.6 680 100", "0 142.6 680 33.4"];
  assert.deepEqual(strips(181), cut);
  assert.deepEqual(strips(817), cut);
  assert.deepEqual(strips(818), ["0 0 176 1300"]);
});

test("a turned chart is cut if the texts after it would leave it little room", () => {
  const place = { top: 1110, height: 870, wide: 1300 };
  const count = (height) =>
    fittedWith([place], [{ top: 2000, height }], { asPieces: true })[0].length;
  // with a text after it, it is 816 pixels high, or less than 1.2 times the width of the paper
  assert.deepEqual([count(34), count(35)], [1, 5]);
});

test("a row of a table at the end of the first page keeps its size", () => {
  // 119 and 120 pixels are left
  assert.deepEqual(fitted({ top: 841, height: 125, pieces: 2 }), [undefined]);
  assert.deepEqual(fitted({ top: 840, height: 125, pieces: 2 }), ["120px"]);
});

test("a piece of a picture shrinks less, and the strips of a wide chart keep their scale", () => {
  assert.deepEqual(fitted({ top: 510, height: 600, pieces: 2 }), ["450px"]); // to 75 %
  assert.deepEqual(fitted({ top: 510, height: 601, pieces: 2 }), [undefined]);
  assert.deepEqual(fitted({ top: 510, height: 500, wide: 1600 }), [undefined]);
});

test("the lines of a draft keep their size", () => {
  const piecesOf = (...classes) => {
    const { main, print } = begun();
    const parts = [0, 110].map((top) => [top, 680, 100]);
    const figure = addFigure(main, { parts });
    for (const className of classes) add(add(figure, "table", { className }), "tr");
    const { parseFromString } = DOMParser.prototype;
    DOMParser.prototype.parseFromString = function parsed(text) {
      const made = parseFromString.call(this, text);
      made.documentElement.box = { left: 0, top: 800, width: 680, height: 180 };
      return made;
    };
    print();
    DOMParser.prototype.parseFromString = parseFromString;
    return drawings(figure)[0].map(({ style }) => style.maxHeight);
  };
  assert.equal(piecesOf()[0], "160px");
  assert.deepEqual(piecesOf("checked-draft"), [undefined, undefined]);
});

test("what shows nothing after the last part of a page is left out", () => {
  const { main, print, end } = begun();
  const row = add(main, "div");
  const last = add(row, "div", { className: "stElementContainer" });
  last.box = { left: 0, top: 0, width: 680, height: 100 };
  const empty = [add(row, "div", { className: "stElementContainer" }), add(main, "div")];
  print();
  const isLeftOut = (part) => part.hasAttribute("data-left-out");
  assert.deepEqual([row, last, ...empty].map(isLeftOut), [false, false, true, true]);
  end();
  assert.deepEqual(empty.map(isLeftOut), [false, false]);
});

test("a printed picture has no background of its own", () => {
  begun();
  const node = printed({ svg: "<svg/>" });
  assert.deepEqual(
    node.children.map(({ localName }) => localName),
    ["g"],
  );
});
