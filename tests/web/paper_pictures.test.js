// The drawing that replaces a canvas on paper.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeElement, FakePage } from "./page.js";
import { drawingOf, watchPrinting } from "../../web/saved_page/paper_pictures.js";

let written = "";
globalThis.DOMParser = class {
  parseFromString(svg) {
    written = svg;
    return { documentElement: new FakeElement("svg") };
  }
};

const fill = (brush) => brush.fillRect(0, 0, 300, 120);

function drawn({ isOnPaper = false, paint = fill } = {}) {
  const page = new FakePage();
  document.importNode = (node) => node;
  page.root.toggleAttribute("data-paper", isOnPaper);
  globalThis.devicePixelRatio = 2;
  const canvas = new FakeElement("canvas");
  Object.assign(canvas, { width: 600, height: 240, clientWidth: 150, clientHeight: 60 });
  Object.assign(canvas.style, { position: "absolute", zIndex: "1" });
  canvas.paintOn = paint;
  return drawingOf(canvas);
}

test("a drawing has the units of its picture, and the size of the canvas", () => {
  const { style } = drawn();
  assert.match(written, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox/);
  assert.match(written, /viewBox="0 0 300 120"><path d="M0 0h300v120h-300Z"/);
  assert.deepEqual([style.width, style.height], ["150px", "60px"]);
  assert.deepEqual([style.position, style.zIndex, style.inset], ["absolute", "1", "0"]);
});

test("on paper, a canvas has three pixels per page pixel", () => {
  drawn({ isOnPaper: true });
  assert.match(written, /viewBox="0 0 200 80"/);
});

test("the cells of a map overlap by half a pixel", () => {
  const cells = { columns: 1, colours: Uint32Array.of(0xff0000ff) };
  drawn({ paint: (brush) => brush.drawImage({ cells }, 0, 0, 10, 5) });
  assert.match(written, /<path d="M0 0H1.05v1.1H0Z"/);
});

test("only pictures of ours that are visible are replaced, inside of components too", () => {
  const page = new FakePage();
  document.importNode = (node) => node;
  watchPrinting();
  const shadow = page.add("div").attachShadow();
  const canvas = (parent, name, properties) => {
    const made = Object.assign(new FakeElement("canvas"), { className: name, ...properties });
    parent.append(made);
  };
  const ours = { paintOn() {}, clientWidth: 100, clientHeight: 50, width: 100, height: 50 };
  canvas(page.body, "one", ours);
  canvas(shadow, "two", ours);
  canvas(page.body, "hidden", { ...ours, clientWidth: 0 });
  canvas(page.body, "chart", { ...ours, paintOn: undefined });
  const left = () =>
    [page.body, shadow]
      .flatMap((root) => root.querySelectorAll("canvas"))
      .map((each) => each.className);
  dispatchEvent(new Event("beforeprint"));
  assert.deepEqual(left(), ["hidden", "chart"]);
  dispatchEvent(new Event("afterprint"));
  assert.deepEqual(left(), ["one", "hidden", "chart", "two"]);
});
