// The colours of numbers, and of the letters on them.

import assert from "node:assert/strict";
import test from "node:test";

import { ColourScale, cssColour, readableOn } from "../../web/pictures/colour_scale.js";
import { palette, scaleOf } from "../../web/pictures/colours.js";

const COLOURS = {
  "--st-chart-sequential-colors": '["#000000", "#ffffff"]',
  "--st-chart-diverging-colors": '["#0000ff", "#ffffff", "#ff0000"]',
};
const STYLE = { getPropertyValue: (name) => COLOURS[name] ?? "" };

test("a scale is read from the theme", () => {
  assert.deepEqual(scaleOf(STYLE, "diverging"), ["#0000ff", "#ffffff", "#ff0000"]);
  assert.deepEqual(scaleOf(STYLE, "categorical"), []);
});

test("a palette goes from the first colour of the scale to its last colour", () => {
  const colours = palette(STYLE, "sequential");
  assert.equal(colours.length, 256);
  assert.equal(colours[0], 0xff000000); // in the order alpha, blue, green, red
  assert.equal(colours[255], 0xffffffff);
  assert.equal(colours[128], 0xff808080);
});

test("weights begin with the first colour, and signed numbers have 0 in the middle", () => {
  const weights = new ColourScale(STYLE, { scale: "weights", limit: 2 });
  assert.deepEqual(
    [0, 2, 9].map((n) => cssColour(weights.of(n))),
    ["rgb(0,0,0)", "rgb(255,255,255)", "rgb(255,255,255)"],
  );
  const signed = new ColourScale(STYLE, { scale: "signed", limit: 2 });
  assert.equal(cssColour(signed.of(-2)), "rgb(0,0,255)");
  assert.equal(cssColour(signed.of(2)), "rgb(255,0,0)");
});

test("letters are black on light colours and white on dark ones", () => {
  assert.equal(readableOn(0xffffffff), "#14161c");
  assert.equal(readableOn(0xff000000), "#ffffff");
});

test("signed numbers are on both sides of the middle, in proportion to the limit", () => {
  const signed = new ColourScale(STYLE, { scale: "signed", limit: 2 });
  assert.equal(cssColour(signed.of(0)), "rgb(255,254,254)"); // the first one after the middle
  // half of the limit is three quarters of the scale: index 191 of 255
  assert.equal(cssColour(signed.of(1)), "rgb(255,128,128)");
  assert.equal(cssColour(signed.of(-1)), "rgb(128,128,255)");
  const weights = new ColourScale(STYLE, { scale: "weights", limit: 2 });
  assert.equal(cssColour(weights.of(1)), "rgb(128,128,128)");
});

test("green is brighter to the eye than red, and red than blue", () => {
  const [red, green, blue] = [0xff0000ff, 0xff00ff00, 0xffff0000];
  assert.deepEqual([red, green, blue].map(readableOn), ["#ffffff", "#14161c", "#ffffff"]);
  // 0.299 + 0.114 of 255 is 105, 0.299 + 0.587 is 226, 0.587 + 0.114 is 179
  assert.equal(readableOn(0xffff00ff), "#ffffff");
  assert.equal(readableOn(0xff00ffff), "#14161c");
  assert.equal(readableOn(0xffffff00), "#14161c");
});

test("letters become black above a brightness of 140", () => {
  const grey = (n) => ((255 << 24) | (n << 16) | (n << 8) | n) >>> 0;
  assert.deepEqual(
    [139, 140, 141].map((n) => readableOn(grey(n))),
    ["#ffffff", "#ffffff", "#14161c"],
  );
  // each part counts with its weight: 0.299, 0.587 and 0.114 of what it has above 140
  const colour = (r, g, b) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  assert.equal(readableOn(colour(140 + 60, 140 - 30, 140)), "#14161c"); // 17.9 - 17.6
  assert.equal(readableOn(colour(140 + 60, 140 - 31, 140)), "#ffffff"); // 17.9 - 18.2
  assert.equal(readableOn(colour(140, 140 - 10, 140 + 52)), "#14161c"); // 5.93 - 5.87
  assert.equal(readableOn(colour(140, 140 - 10, 140 + 51)), "#ffffff"); // 5.81 - 5.87
});
