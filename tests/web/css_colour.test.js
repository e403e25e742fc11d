// Colours of a style sheet as numbers.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeElement, FakePage } from "./page.js";
import { rgbaOf } from "../../web/app/tools/css_colour.js";

test("colours with three or six digits are opaque", () => {
  assert.deepEqual(rgbaOf("#102030"), [16, 32, 48, 1]);
  assert.deepEqual(rgbaOf("#1aF"), [17, 170, 255, 1]);
  assert.deepEqual(rgbaOf("#ABCDEF"), [171, 205, 239, 1]);
});

test("colours that the browser has computed have parts from 0 to 255, or from 0 to 1", () => {
  assert.deepEqual(rgbaOf("rgb(1, 2, 3)"), [1, 2, 3, 1]);
  assert.deepEqual(rgbaOf("rgba(1, 2, 3, 0.5)"), [1, 2, 3, 0.5]);
  assert.deepEqual(rgbaOf("rgb(1 2 3 / 0.25)"), [1, 2, 3, 0.25]);
  assert.deepEqual(rgbaOf("color(srgb 1 0.5 0 / 0.5)"), [255, 128, 0, 0.5]);
  assert.deepEqual(rgbaOf("color(srgb 0 0 1)"), [0, 0, 255, 1]);
});

// A browser ignores a value that is no colour.
const COMPUTED = {
  red: "rgb(255, 0, 0)",
  transparent: "rgba(0, 0, 0, 0)",
  "lab(50 0 0)": "lab(50 0 0)", // none of the notations that we know
};
class BrowserStyle {
  set color(value) {
    this.computed = COMPUTED[value] ?? this.computed;
  }
}
const page = new FakePage();
document.createElement = (name) =>
  Object.assign(new FakeElement(name), { style: new BrowserStyle() });
globalThis.getComputedStyle = ({ style }) => ({ color: style.computed });

test("names of colours are computed by the browser, with one hidden element", () => {
  assert.deepEqual(rgbaOf("red"), [255, 0, 0, 1]);
  assert.deepEqual(rgbaOf("transparent"), [0, 0, 0, 0]);
  assert.deepEqual(
    page.body.children.map(({ localName, hidden }) => [localName, hidden]),
    [["span", true]],
  );
});

test("what is no colour is transparent, also after a colour", () => {
  rgbaOf("red");
  assert.deepEqual(rgbaOf("no colour"), [0, 0, 0, 0]);
  assert.deepEqual(rgbaOf("#123456789"), [0, 0, 0, 0]);
  assert.deepEqual(rgbaOf("lab(50 0 0)"), [0, 0, 0, 0]);
});
