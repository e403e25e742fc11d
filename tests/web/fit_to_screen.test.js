// The zoom of a presented page. A test gives the size of the page at zoom 1.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakePage } from "./page.js";

mock.timers.enable({ apis: ["setTimeout"] });
const page = new FakePage();
const { root } = page;
globalThis.CSS = { supports: () => true };
globalThis.innerWidth = 1440;
globalThis.innerHeight = 800;
const main = page.add("div", { className: "stMain", scrollTop: 0 });
const block = page.add("div", { className: "stMainBlockContainer" });
let onGrowth = null; // called when the height of the page has changed
globalThis.ResizeObserver = class {
  constructor(act) {
    onGrowth = act;
  }

  observe() {}
};
const { fitSoon, fitToScreen } = await import("../../web/app/tools/fit_to_screen.js");

const zoom = () => Number(root.style["--zoom"]);
const heard = [];
for (const name of ["resize", "redraw"]) addEventListener(name, () => heard.push(name));

// At zoom 1 the page is `height` pixels high. It begins at the top of the window.
function presented(height) {
  root.toggleAttribute("data-present", true);
  block.getBoundingClientRect = () => ({ bottom: height * zoom() - main.scrollTop, right: 1440 });
}

function near(found, expected) {
  assert.ok(Math.abs(found - expected) < 0.015, `${found}, not ${expected}`);
}

test("a low page gets the largest zoom, at which the screen is 720 pixels wide", () => {
  presented(300);
  fitToScreen();
  assert.equal(zoom(), 2);
  assert.ok(root.hasAttribute("data-fits"));
});

test("a high page gets the largest zoom that fits, even if it was scrolled", () => {
  presented(1000);
  fitToScreen();
  near(zoom(), 0.8);
  assert.ok(1000 * zoom() <= 801);
  main.scrollTop = 50;
  fitToScreen();
  near(zoom(), 0.8);
  main.scrollTop = 0;
});

test("one pixel too much does not reduce the zoom", () => {
  presented(400.5);
  fitToScreen();
  assert.equal(zoom(), 2);
  presented(401);
  fitToScreen();
  assert.ok(zoom() < 2);
});

test("the smallest zoom is a third", () => {
  presented(10_000);
  fitToScreen();
  assert.equal(zoom(), 0.35);
});

test("a scrolling box and a picture beyond the edge reduce the zoom", () => {
  presented(300);
  const box = page.add("div", { className: "shapes" });
  Object.defineProperty(box, "scrollWidth", { get: () => 1000 * zoom() });
  box.clientWidth = 1000;
  block.append(box);
  fitToScreen();
  near(zoom(), 1);
  block.replaceChildren();

  const host = document.createElement("div");
  const canvas = document.createElement("canvas");
  canvas.getBoundingClientRect = () => ({ right: 900 * zoom() });
  host.shadowRoot = { querySelectorAll: () => [canvas] };
  block.querySelectorAll = (selector) => (selector === "*" ? [host] : []);
  fitToScreen();
  near(zoom(), 1.6);
  delete block.querySelectorAll;
});

test("charts learn about a new zoom, but not an unchanged one, to avoid an endless loop", () => {
  presented(300);
  fitToScreen();
  heard.length = 0;
  fitToScreen();
  assert.deepEqual(heard, ["redraw"]);
  presented(1000);
  heard.length = 0;
  fitToScreen();
  assert.equal(heard.at(-1), "resize");
  // the largest zoom, 7 halvings, the final zoom
  assert.equal(heard.filter((name) => name === "redraw").length, 9);
});

test("a page becomes smaller when its charts grow, but not larger when they shrink", () => {
  presented(500);
  fitToScreen();
  near(zoom(), 1.6);
  presented(1000);
  onGrowth();
  near(zoom(), 0.8);
  presented(500);
  onGrowth();
  near(zoom(), 0.8);
});

test("a page that is not presented keeps its size", () => {
  presented(300);
  root.toggleAttribute("data-present", false);
  heard.length = 0;
  fitToScreen();
  assert.deepEqual(heard, []);
});

test("many changes cause one fit, 0.15 seconds after the last change", () => {
  presented(300);
  fitToScreen();
  heard.length = 0;
  fitSoon();
  mock.timers.tick(149);
  fitSoon();
  mock.timers.tick(149);
  assert.deepEqual(heard, []);
  mock.timers.tick(1);
  assert.deepEqual(heard, ["redraw"]);
});

test("a page is shown when its visible charts are drawn, or after 8 seconds", () => {
  presented(300);
  const chart = document.createElement("div");
  chart.className = "stVegaLiteChart";
  chart.checkVisibility = () => true;
  block.append(chart);
  const shows = (milliseconds) => {
    root.toggleAttribute("data-fits", false);
    mock.method(performance, "now", () => milliseconds);
    fitToScreen();
    return root.hasAttribute("data-fits");
  };
  assert.equal(shows(8000), false);
  assert.equal(shows(8001), true);
  chart.checkVisibility = () => false; // this chart is never drawn
  assert.equal(shows(0), true);
  chart.checkVisibility = () => true;
  chart.append(document.createElement("svg"));
  assert.equal(shows(0), true);
  const skeleton = document.createElement("div");
  skeleton.setAttribute("data-testid", "stSkeleton");
  block.append(skeleton);
  assert.equal(shows(0), false);
  heard.length = 0;
  block.replaceChildren();
  mock.timers.tick(150); // a timer checks again
  assert.ok(root.hasAttribute("data-fits"));
  mock.restoreAll();
});

test("one pixel of a box or of a picture beyond its edge is no reason to shrink", () => {
  presented(300);
  const box = page.add("div", { className: "shapes", clientWidth: 1000 });
  block.append(box);
  const zoomWith = (scrollWidth) => {
    box.scrollWidth = scrollWidth;
    fitToScreen();
    return zoom();
  };
  assert.deepEqual([zoomWith(1000), zoomWith(1001)], [2, 2]);
  assert.ok(zoomWith(1002) < 2);

  const canvas = document.createElement("canvas");
  const host = document.createElement("div");
  host.attachShadow().append(canvas);
  block.replaceChildren(host);
  const zoomTo = (right) => {
    canvas.getBoundingClientRect = () => ({ right });
    fitToScreen();
    return zoom();
  };
  assert.deepEqual([zoomTo(1440), zoomTo(1441)], [2, 2]);
  assert.ok(zoomTo(1442) < 2);
  block.replaceChildren();
});

test("a map without column labels reduces the zoom, but not to an unreadable size", () => {
  presented(300);
  const canvas = document.createElement("canvas");
  canvas.getBoundingClientRect = () => ({ right: 0 });
  canvas.offsetWidth = 100;
  const host = document.createElement("div");
  host.attachShadow().append(canvas);
  block.replaceChildren(host);
  const zoomWith = (largestLabelled) => {
    canvas.hasAttribute = () => zoom() > largestLabelled; // the attribute is data-unlabelled
    fitToScreen();
    return zoom();
  };
  near(zoomWith(1.5), 1.5);
  assert.equal(zoomWith(0.7), 2); // labels of this size cannot be read: the map stays large
  canvas.offsetWidth = 0; // the map is not shown
  assert.equal(zoomWith(1.5), 2);
  block.replaceChildren();
});
