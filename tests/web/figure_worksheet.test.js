// The worksheet of a figure of the app: its sentences, its explanation, and its maps.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeElement, FakePage } from "./page.js";
import { setLightColours } from "../../web/app/tools/light_colours.js";
import { askForFigureWorksheet } from "../../web/app/tools/figure_worksheet.js";

globalThis.Node = { ELEMENT_NODE: 1, TEXT_NODE: 3 };
FakeElement.prototype.nodeType = 1;
FakeElement.prototype.getBoundingClientRect = function place() {
  const { left, top, width, height } = this.box;
  const box = { left, top, width, height, right: left + width, bottom: top + height };
  return { ...box, toJSON: () => box };
};
FakeElement.prototype.cloneNode = function cloneNode(isDeep) {
  const copy = Object.assign(new FakeElement(this.localName), { className: this.className });
  if (isDeep) copy.append(...this.childNodes.map((child) => child.cloneNode?.(true) ?? child));
  return copy;
};
FakeElement.prototype.showModal = function showModal() {};
FakeElement.prototype.close = function close() {};
const drawn = [];
globalThis.DOMParser = class {
  parseFromString(text) {
    drawn.push(text);
    const svg = new FakeElement("svg");
    svg.append(new FakeElement("rect"));
    return { documentElement: svg };
  }
};

// Asks for the worksheet of a figure with maps in components, each with room for these parts.
function asked({ rooms = [{ numbers: true, lines: true }], above = [], below = [] } = {}) {
  const page = new FakePage();
  document.head = page.add("head");
  document.importNode = (node) => node;
  drawn.length = 0;
  globalThis.print = () => {};
  globalThis.getComputedStyle = ({ style }) => ({
    opacity: "1",
    color: "rgb(0, 0, 0)",
    backgroundColor: "rgb(255, 255, 255)",
    fontFamily: "serif",
    outlineStyle: "none",
    ...style,
  });
  setLightColours({ css: "", ink: "", swaps: {} });
  page.body.className = "stApp";
  for (const texts of above) addCaption(page, texts);
  const box = page.add("div");
  box.setAttribute("data-testid", "stLayoutWrapper");
  for (const texts of below) addCaption(page, texts);
  const figure = add(box, "div", "st-key-figure-heads");
  figure.clientWidth = 400;
  const bar = add(figure, "div", "figure-bar");
  const sentences = { sentence: "It rains.", target: "Il pleut." };
  Object.assign(bar.dataset, { title: "Heads", attention: "cross", ...sentences });
  add(bar, "p", "caption");
  add(add(bar, "p", "provenance"), "span").append("the facts");
  const leftOut = [];
  for (const room of rooms) {
    const part = add(figure, "div", "stBidiComponent");
    Object.assign(part, { offsetHeight: 50, box: { left: 0, top: 0, width: 400, height: 50 } });
    const canvas = new FakeElement("canvas");
    canvas.leaveOut = (parts) => leftOut.push(parts.join());
    canvas.room = () => ({ ...room, isForFile: page.root.hasAttribute("data-for-file") });
    canvas.paintOn = () => {};
    part.attachShadow().append(canvas, new FakeElement("canvas"));
  }
  askForFigureWorksheet(figure, { sheet_asks_cross: "Which words?" });
  const boxes = page.body
    .querySelectorAll("dialog input")
    .map(({ name, disabled }) => name + (disabled ? " too small" : ""));
  page.body.querySelector("button.print").click();
  return { page, boxes, leftOut, sheet: page.body.querySelector(".paper-sheet") };
}

function add(parent, name, className = "") {
  const made = Object.assign(new FakeElement(name), { className });
  parent.append(made);
  return made;
}

// Adds a caption of the page, of texts and hints.
function addCaption(page, texts) {
  const box = page.add("div");
  const caption = add(box, "div");
  caption.setAttribute("data-testid", "stCaptionContainer");
  for (const text of [texts].flat()) {
    const isHint = text.startsWith("Click");
    add(caption, "span", isHint ? "hint" : "").append(text);
  }
}

test("one map can be printed with numbers and as an empty grid", () => {
  assert.deepEqual(asked().boxes, ["map", "numbers", "grid", "lines"]);
  const small = asked({ rooms: [{ numbers: false, lines: false }] });
  assert.deepEqual(small.boxes, ["map", "numbers too small", "grid too small", "lines"]);
});

test("of several maps no grid is offered, but numbers if one of them has room", () => {
  const room = (numbers) => ({ numbers, lines: true });
  assert.deepEqual(asked({ rooms: [room(false), room(true)] }).boxes, ["map", "numbers", "lines"]);
  const { boxes } = asked({ rooms: [room(false), room(false)] });
  assert.deepEqual(boxes, ["map", "numbers too small", "lines"]);
});

test("for a figure without a map, neither numbers nor a grid are offered", () => {
  assert.deepEqual(asked({ rooms: [] }).boxes, ["map", "lines"]);
});

test("the question of the sheet is that of the figure's attention", () => {
  const [question, title] = asked().sheet.children;
  assert.deepEqual([question.textContent, title.textContent], ["Which words?", "Heads"]);
});

test("captions above the figure explain it, in their order and without hints", () => {
  const { sheet } = asked({
    above: ["Far away.", "Rows look.", ["Columns are seen.", "Click on a cell."], "Click only."],
    below: ["Not this."],
  });
  const legend = sheet.querySelector(".legend").textContent;
  assert.equal(legend, "Far away. Rows look. Columns are seen.");
});

test("a figure without captions above it is explained by those below it", () => {
  const { sheet } = asked({ below: ["Rows look.", "Columns are seen."] });
  assert.equal(sheet.querySelector(".legend").textContent, "Rows look. Columns are seen.");
  assert.equal(asked().sheet.querySelector(".legend"), null);
});

test("the map is drawn without its title, and the empty grid also without its facts", () => {
  const { leftOut, page } = asked();
  assert.deepEqual(leftOut, ["notes", "", "cells,numbers", ""]); // restored after each drawing
  assert.equal(drawn.length, 2);
  for (const svg of drawn) assert.doesNotMatch(svg, /<text[^>]*>Heads</);
  assert.match(drawn[0], />the facts</);
  assert.doesNotMatch(drawn[1], />the facts</);
  assert.equal(page.root.hasAttribute("data-for-file"), false);
});
