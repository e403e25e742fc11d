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

test("a palette goes from the first colour to the last one", () => {
  const colours = palette(STYLE, "sequential");
  assert.equal(colours.length, 256);
  assert.equal(colours[0], 0xff000000); // alpha, blue, green, red
  assert.equal(colours[255], 0xffffffff);
  assert.equal(colours[128], 0xff808080);
});

test("weights begin with the first colour, signed numbers have 0 in the middle", () => {
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
