// Texts that are filled, cut, broken into lines, or written as XML.

import assert from "node:assert/strict";
import test from "node:test";

import { wrap } from "../../web/app/tools/figure_picture.js";
import { anchorAttributes, escapeXml, format2, svgElement } from "../../web/app/tools/svg.js";
import { fitLabel } from "../../web/pictures/fit_label.js";
import { fill } from "../../web/pictures/texts.js";

const BRUSH = { measureText: (text) => ({ width: 10 * text.length }) };

test("the placeholders of a text are filled", () => {
  assert.equal(fill("layer {layer}, head {head}", { layer: 2, head: 3 }), "layer 2, head 3");
});

test("a label that is too long ends with an ellipsis, and letters keep their accents", () => {
  assert.equal(fitLabel(BRUSH, "student", 70), "student");
  assert.equal(fitLabel(BRUSH, "students", 70), "studen…");
  assert.equal(fitLabel(BRUSH, "e\u0301e\u0301e\u0301", 30), "e\u0301…");
});

test("lines break at spaces, and between any two Chinese characters", () => {
  const widthOf = (line) => line.length;
  assert.deepEqual(wrap("to be or not", 6, widthOf), ["to be ", "or not"]);
  assert.deepEqual(wrap("我爱你们", 2, widthOf), ["我爱", "你们"]);
});

test("an SVG element leaves out empty attributes", () => {
  const attributes = { x: 1.234, opacity: "", fill: undefined };
  assert.equal(svgElement("text", attributes, "a"), '<text x="1.23">a</text>');
  assert.equal(format2(-0.999), "-1");
});

test("a visitor's text becomes XML that every program can read", () => {
  assert.equal(escapeXml('<a & "b">\u0000'), "&lt;a &amp; &quot;b&quot;&gt;\ufffd");
});

test("a text from right to left has its anchor at the other end", () => {
  assert.deepEqual(anchorAttributes("left", "ltr"), { "text-anchor": "start" });
  assert.deepEqual(anchorAttributes("left", "rtl"), { direction: "rtl", "text-anchor": "end" });
  assert.deepEqual(anchorAttributes("middle", "ltr"), { "text-anchor": "middle" });
});

test("words of one letter stay, words of more than 40 letters are broken", () => {
  const widthOf = (line) => line.length;
  assert.deepEqual(wrap("a b c", 9, widthOf), ["a b c"]);
  const lengths = (n) => wrap("x".repeat(n), 30, widthOf).map((line) => line.length);
  assert.deepEqual(lengths(40), [40]);
  assert.deepEqual(lengths(41), [40, 1]);
});
