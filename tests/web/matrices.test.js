// Matrices side by side, and below each other on paper where they would lack numbers.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { Matrices } from "../../web/pictures/matrices.js";

globalThis.innerHeight = 900;
FakePage.prototype.draw = function draw({
  columns,
  width,
  count = 2,
  isOnPaper = true,
  ...others
}) {
  this.root.toggleAttribute("data-paper", isOnPaper);
  const matrix = {
    rows: 2,
    columns,
    groups: 1,
    group: null,
    large: false,
    spread: false,
    directions: ["ltr", "ltr"],
    rowLabels: [],
    columnLabels: [],
    notes: [],
    covered: [],
    frames: [],
    values: new Float32Array(2 * columns),
    scale: "weights",
    limit: 1,
    title: "m",
    caption: "",
    languages: [null, null],
    inFull: {},
    ...others,
  };
  const picture = new Matrices(this.body);
  picture.root.clientWidth = width;
  picture.root.getRootNode = () => ({});
  picture.style = null;
  for (const name of ["row", "root"]) picture[name].offsetWidth = 0;
  const matrices = Array.from({ length: count }, () => matrix);
  picture.show({
    matrices,
    operators: Array(count - 1).fill("="),
    largest: 44,
    links: [],
    texts: {},
  });
  for (const map of picture.maps) map.operator.offsetWidth = 0;
  picture.draw();
  return picture.maps.map(({ layout }) => layout.cellWidth);
};

function cellsOf(options) {
  const page = new FakePage();
  globalThis.getComputedStyle = () => ({
    fontSize: "14px",
    fontFamily: "serif",
    getPropertyValue: () => '["#000000", "#ffffff"]',
  });
  document.createElement = ((create) => (name) => {
    const made = create(name);
    const brush = made.getContext();
    brush.createImageData = (w, h) => ({ data: { buffer: new ArrayBuffer(4 * w * h) } });
    brush.putImageData = () => {};
    return made;
  })(document.createElement);
  return page.draw(options).map(Math.round);
}

test("on paper matrices with numbers in their cells stay side by side", () => {
  // 4 pixels beside each matrix: 2 · 4 columns share 640 - 8 pixels, and a cell has 44 at most
  assert.deepEqual(cellsOf({ columns: 4, width: 640 }), [44, 44]);
});

test("cells below 30 pixels have no numbers, so matrices go below each other if they gain them", () => {
  assert.deepEqual(cellsOf({ columns: 12, width: 640 }), [44, 44]); // 26 side by side
  assert.deepEqual(cellsOf({ columns: 12, width: 640, isOnPaper: false }), [26, 26]);
});

test("where no number would be gained they stay side by side", () => {
  assert.deepEqual(cellsOf({ columns: 30, width: 640 }), [11, 11]); // 21 below each other
});

test("a single matrix has its page alone anyway", () => {
  assert.deepEqual(cellsOf({ columns: 24, width: 640, count: 1 }), [27]);
});
