// The page while it is laid out for paper.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import {
  canvasScale,
  drawForPaper,
  isForFile,
  isForPaper,
  layOutForPaper,
} from "../../web/pictures/paper.js";

// A page, and for each redrawing whether it was for paper.
function begun() {
  const page = new FakePage();
  const redrawn = [];
  addEventListener("redraw", () => redrawn.push(isForPaper()));
  return { page, redrawn };
}

test("a canvas has the pixels of the screen for the zoom of the page", () => {
  begun();
  assert.equal(canvasScale({}), 1);
  globalThis.devicePixelRatio = 2;
  assert.equal(canvasScale({}), 2);
  assert.equal(canvasScale({ currentCSSZoom: 1.5 }), 3);
  globalThis.devicePixelRatio = undefined;
  assert.equal(canvasScale({ currentCSSZoom: 0.5 }), 0.5);
});

test("on paper, a canvas has at least three pixels for each of the page", () => {
  const { page } = begun();
  page.root.toggleAttribute("data-paper", true);
  assert.equal(canvasScale({}), 3);
  globalThis.devicePixelRatio = 4;
  assert.equal(canvasScale({}), 4);
});

test("pictures are drawn for paper while a page is printed, and for the screen afterwards", () => {
  const { redrawn } = begun();
  const calls = [];
  layOutForPaper(
    undefined,
    () => calls.push(["paper", isForPaper()]),
    () => calls.push(["screen", isForPaper()]),
  );
  dispatchEvent(new Event("beforeprint"));
  assert.deepEqual([calls, redrawn], [[["paper", true]], [true]]);
  dispatchEvent(new Event("afterprint"));
  assert.deepEqual(
    [calls[1], redrawn],
    [
      ["screen", false],
      [true, false],
    ],
  );
});

test("a signal ends the layout for paper, which can do without functions", () => {
  const { redrawn } = begun();
  const ending = new AbortController();
  layOutForPaper(ending.signal);
  dispatchEvent(new Event("beforeprint"));
  ending.abort();
  dispatchEvent(new Event("afterprint"));
  assert.deepEqual(redrawn, [true]);
});

test("a picture can be drawn as on paper while nothing is printed", () => {
  const { redrawn } = begun();
  assert.equal(
    drawForPaper(() => `paper: ${isForPaper()}`),
    "paper: true",
  );
  assert.deepEqual([isForPaper(), redrawn], [false, [true, false]]);
});

test("a picture for a file is not one for paper", () => {
  const { page } = begun();
  assert.equal(isForFile(), false);
  page.root.toggleAttribute("data-for-file", true);
  assert.deepEqual([isForFile(), isForPaper()], [true, false]);
});
