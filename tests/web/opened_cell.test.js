// The calculation of a cell: q · k = 0.5 · 2 + (-1) · 1 + 0.25 · 4 + 1 · 1 = 2.

import assert from "node:assert/strict";
import test from "node:test";

import { pageOfPictures } from "./saved_pictures.js";
import { OpenedCell } from "../../web/one_file/page/opened_cell.js";

const CELL = {
  row: 0,
  column: 1,
  query: Float32Array.of(0.5, -1, 0.25, 1),
  key: Float32Array.of(2, 1, 4, 1),
  scores: Float32Array.of(-3, 1, NaN),
  weights: Float32Array.of(0.25, 0.75, 0),
};

function opened(changes = {}) {
  const page = pageOfPictures();
  const node = page.add("section", { hidden: true });
  node.append(document.createElement("h2"));
  const say = (name, values) => (values ? `${name}: ${Object.values(values).join()}` : name);
  const cell = new OpenedCell(node, say);
  cell.show({ ...CELL, ...changes }, ["il", "court"], ["he", "runs", "on"], "en");
  const [product] = cell.product.maps;
  const [scores, weights] = cell.row.maps;
  return { cell, node, product, scores, weights };
}

test("the title of a calculation names the query, the key and the weight", () => {
  const { node } = opened();
  assert.equal(node.querySelector("h2").textContent, "cell.title: il,runs,0.7500");
  assert.equal(node.hidden, false);
  assert.deepEqual(document.scrolledTo, [node, { block: "nearest", behavior: "smooth" }]);
});

test("query and key are multiplied number by number, and the sum divided by √4", () => {
  const { product } = opened();
  const { matrix } = product;
  assert.deepEqual([matrix.rows, matrix.columns], [3, 4]);
  assert.deepEqual([...matrix.values], [0.5, -1, 0.25, 1, 2, 1, 4, 1, 1, -1, 1, 1]);
  assert.deepEqual(matrix.rowLabels, ["cell.query", "cell.key", "cell.product"]);
  assert.equal(matrix.caption, "cell.sum 2.000, / √4 = 1.000");
  assert.deepEqual([matrix.scale, matrix.limit], ["signed", 4]); // the largest number
});

test("a negative sum has a minus sign", () => {
  const { product } = opened({ key: Float32Array.of(-2, 1, -4, -1) });
  assert.equal(product.matrix.caption, "cell.sum −4.000, / √4 = −2.000");
});

test("the scores of the row become weights, with the cell outlined among them", () => {
  const { cell, scores, weights } = opened();
  assert.deepEqual([...scores.matrix.values], [-3, 1, NaN]);
  assert.deepEqual([scores.matrix.scale, scores.matrix.limit], ["signed", 3]);
  assert.deepEqual([...weights.matrix.values], [0.25, 0.75, 0]);
  assert.deepEqual([weights.matrix.scale, weights.matrix.limit], ["weights", 1]);
  assert.deepEqual(cell.row.payload.clicked, [1, 0, 1]);
  assert.equal(cell.product.payload.clicked, null);
  assert.deepEqual(scores.matrix.columnLabels, ["he", "runs", "on"]);
  assert.deepEqual(scores.matrix.languages, [null, "en"]);
});

test("small numbers have strong colours, too", () => {
  const { scores } = opened({ scores: Float32Array.of(0.25, -0.5, NaN) });
  assert.equal(scores.matrix.limit, 0.5);
});

test("a calculation can be hidden again", () => {
  const { cell, node } = opened();
  cell.hide();
  assert.equal(node.hidden, true);
});
