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

test("letters have the colour with more contrast, as WCAG measures it", () => {
  const colour = (r, g, b) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  const letters = (...channels) => readableOn(colour(...channels));
  // Contrasts of white and of black. Grey 122: 4.29 and 4.22; grey 123: 4.23 and 4.28
  assert.equal(letters(122, 122, 122), "#ffffff");
  assert.equal(letters(123, 123, 123), "#14161c");
  assert.equal(letters(58, 166, 221), "#14161c"); // 2.7 and 6.6: a blue of the maps
  assert.equal(letters(255, 0, 0), "#14161c"); // 4.0 and 4.5
  assert.equal(letters(0, 255, 0), "#14161c"); // 1.4 and 13.2
  assert.equal(letters(0, 0, 255), "#ffffff"); // 8.6 and 2.1
  assert.equal(letters(0, 142, 0), "#ffffff"); // 4.31 and 4.20
  assert.equal(letters(0, 144, 0), "#14161c"); // 4.21 and 4.30
});
