// A browser that adds noise to what a page reads from a canvas.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeBrush, FakePage } from "./page.js";
import {
  checkCanvases,
  checkPixel,
  GuardedCanvasError,
} from "../../web/app/tools/guarded_canvas.js";

// A brush whose upper left pixel has this colour. It notes which pixels are read.
function brushWith(colour) {
  const read = [];
  const getImageData = (...box) => {
    read.push(box);
    return { data: [...colour, 255] };
  };
  return { read, getImageData };
}

test("the pixel at the upper left is read", () => {
  const brush = brushWith([1, 2, 3]);
  checkPixel(brush, [1, 2, 3]);
  assert.deepEqual(brush.read, [[0, 0, 1, 1]]);
});

test("a colour may differ by 3 of 255 in each part, but not by more", () => {
  checkPixel(brushWith([97, 103, 100]), [100, 100, 100]);
  for (const colour of [
    [96, 100, 100],
    [100, 104, 100],
    [100, 100, 104],
  ]) {
    assert.throws(() => checkPixel(brushWith(colour), [100, 100, 100]), GuardedCanvasError);
  }
});

// Checks a canvas of a page on which a painted pixel is read with this difference in its red.
function checked(noise) {
  new FakePage();
  const filled = [];
  FakeBrush.prototype.getImageData = function getImageData() {
    const [{ box, fillStyle }] = this.all("fillRect");
    filled.push(box);
    const [red, ...others] = fillStyle.match(/\d+/g).map(Number);
    return { data: [red + noise, ...others, 255] };
  };
  let canvas = null;
  document.createElement = (
    (create) => (name) =>
      (canvas = create(name))
  )(document.createElement);
  checkCanvases();
  return [filled, canvas.localName, canvas.width, canvas.height];
}

test("a small canvas of the page is painted and read", () => {
  assert.deepEqual(checked(0), [[[0, 0, 1, 1]], "canvas", 1, 1]);
  assert.throws(() => checked(10), GuardedCanvasError);
});

test("the colour that is painted is none that a guard returns by chance", (context) => {
  const fill = context.mock.method(FakeBrush.prototype, "fillRect", function rect(...box) {
    this.note("fillRect", { box });
  });
  checked(0);
  assert.equal(fill.mock.calls[0].this.fillStyle, "rgb(18,52,86)");
});
