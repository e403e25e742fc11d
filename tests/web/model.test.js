// The parts of the model of the one file. tests/reference/test_one_file.py compares the whole model
// with PyTorch.

import assert from "node:assert/strict";
import test from "node:test";

import { concatenate, softmax } from "../../web/one_file/model/arrays.js";
import { positionalEncoding } from "../../web/one_file/model/embedding.js";
import { FeedForward } from "../../web/one_file/model/feed_forward.js";
import { best, oneAfterAnother } from "../../web/one_file/model/greedy.js";
import { LayerNorm } from "../../web/one_file/model/layer_norm.js";
import { Linear } from "../../web/one_file/model/linear.js";
import { unpackWeights } from "../../web/one_file/model/weights.js";
import { inWords } from "../../web/one_file/model/word_maps.js";
import { argmax } from "../../web/pictures/arithmetic.js";

const near = (found, expected) => {
  assert.equal(found.length, expected.length);
  [...found].forEach((value, n) => assert.ok(Math.abs(value - expected[n]) < 1e-6, `${found}`));
};

function parameter(rows, columns, valueOf) {
  const numbers = Float32Array.from({ length: rows * columns }, (_, n) => valueOf(n));
  return { shape: [rows, columns], numbers };
}

test("a linear layer computes x Wᵀ + b for any number of rows", () => {
  for (const rows of [4, 5, 6, 7, 9]) {
    const weight = parameter(rows, 3, (n) => n % 5);
    const bias = { numbers: Float32Array.from({ length: rows }, (_, r) => r) };
    const linear = new Linear({ "a.weight": weight, "a.bias": bias }, "a");
    const x = Float32Array.of(1, 2, 3, -1, 0, 1);
    const expected = [0, 1].flatMap((t) =>
      Array.from({ length: rows }, (_, r) =>
        [0, 1, 2].reduce((sum, i) => sum + x[3 * t + i] * weight.numbers[3 * r + i], r),
      ),
    );
    near(linear.forward(x), expected);
  }
});

test("the feed-forward network applies ReLU", () => {
  const identity = parameter(4, 4, (n) => Number(n % 5 === 0));
  const network = new FeedForward({ "f.w_1.weight": identity, "f.w_2.weight": identity }, "f");
  near(network.forward(Float32Array.of(1, -2, 3, -4))[0], [1, 0, 3, 0]);
});

test("layer norm gives the mean β and the standard deviation γ", () => {
  const gamma = { numbers: Float32Array.of(2, 2) };
  const beta = { numbers: Float32Array.of(5, 5) };
  const norm = new LayerNorm({ "n.weight": gamma, "n.bias": beta }, "n");
  const [low, high] = norm.forward(Float32Array.of(-10, 30));
  assert.ok(Math.abs(low - 3) < 1e-4 && Math.abs(high - 7) < 1e-4);
});

test("a norm of small numbers does not blow them up", () => {
  const norm = new LayerNorm(
    {
      "n.weight": { numbers: Float32Array.of(1, 1) },
      "n.bias": { numbers: Float32Array.of(0, 0) },
    },
    "n",
  );
  // variance 0.000004, to which 0.00001 is added: 0.002 / √0.000014
  near(norm.forward(Float32Array.of(-0.002, 0.002)), [-0.5345225, 0.5345225]);
});

test("positions are sines and cosines side by side", () => {
  near(positionalEncoding(0, 4), [0, 1, 0, 1]);
  near(positionalEncoding(3, 4), [Math.sin(3), Math.cos(3), Math.sin(0.03), Math.cos(0.03)]);
});

test("softmax sums to 1, also for large scores", () => {
  const row = Float64Array.of(1000, 1000 + Math.log(3));
  softmax(row);
  near(row, [0.25, 0.75]);
});

test("arrays are concatenated", () => {
  assert.deepEqual(concatenate([1], Float32Array.of(2, 3)), Float32Array.of(1, 2, 3));
});

test("of equal numbers, the first counts as the largest", () => {
  assert.equal(argmax([1, 3, 3, 2]), 1);
});

test("candidates are sorted by probability, and the chosen token is among them", () => {
  const logits = Float32Array.of(0, 5, 1, 4, 3, 2);
  const ids = (taken) => best(logits, taken).map(([id]) => id);
  assert.deepEqual(ids(1), [1, 3, 4, 5]);
  assert.deepEqual(ids(0), [1, 3, 4, 0]);
  const total = Math.exp(0) + Math.exp(5) + Math.exp(1) + Math.exp(4) + Math.exp(3) + Math.exp(2);
  assert.ok(Math.abs(best(logits, 1)[0][1] - Math.exp(5) / total) < 1e-12);
});

test("rows of single tokens become one map, with 0 for later tokens", () => {
  const step = (weights, length) => ({
    q: Float32Array.of(1, 1), // d_model is 2
    k: new Float32Array(2 * length),
    v: new Float32Array(2 * length),
    weights: Float32Array.from(weights),
    before: Float32Array.of(length, 0),
    sum: Float32Array.of(length, 0),
    after: Float32Array.of(length, 0),
  });
  // Two heads: the first token sees only itself, the second token sees both.
  const all = oneAfterAnother([step([1, 1], 1), step([0.25, 0.75, 0.5, 0.5], 2)]);
  assert.deepEqual([...all.weights], [1, 0, 0.25, 0.75, 1, 0, 0.5, 0.5]);
  assert.deepEqual([...all.before], [1, 0, 2, 0]);
});

test("word maps sum over the subwords of a key and average over the subwords of a query", () => {
  const map = Float32Array.of(0.5, 0.25, 0.25, 0.125, 0.5, 0.375); // 2 queries, 3 keys
  near(inWords(map, [2, 3], [[0, 1]], [[0], [1, 2]]), [0.3125, 0.6875]);
});

test("several maps are merged one after the other", () => {
  const maps = Float32Array.of(1, 0, 0.5, 0.5, 0, 1, 0.25, 0.75); // 2 maps, 2 queries, 2 keys
  near(inWords(maps, [2, 2], [[0, 1]], [[0], [1]]), [0.75, 0.25, 0.125, 0.875]);
  near(inWords(maps, [2, 2], [[0], [1]], [[0, 1]]), [1, 1, 1, 1]);
});

test("each 128 numbers of a row have a scale of their own", () => {
  const [rows, columns] = [2, 130];
  const bytes = new Uint8Array(4 + 4 * 4 + rows * columns).fill(1);
  const view = new DataView(bytes.buffer);
  [1, 2, 3, 4].forEach((scale, n) => view.setFloat32(4 + 4 * n, scale, true)); // after 4 bytes
  const { w } = unpackWeights({ w: { shape: [rows, columns], at: 4 } }, bytes);
  assert.deepEqual(
    [0, 127, 128, 129, 130, 257, 258, 259].map((n) => w.numbers[n]),
    [1, 1, 2, 2, 3, 3, 4, 4],
  );
});

test("weights are int8 numbers times the scale of their group", () => {
  const bytes = new Uint8Array(8 + 4 + 3);
  const view = new DataView(bytes.buffer);
  view.setFloat32(0, 1.5, true); // a vector with two numbers
  view.setFloat32(4, -2, true);
  view.setFloat32(8, 0.5, true); // a matrix with one row: first its scale, then its numbers
  bytes.set(Int8Array.of(2, -4, 127), 12);
  const contents = {
    bias: { shape: [2], at: 0 },
    weight: { shape: [1, 3], at: 8 },
    shared: { same: "weight" },
  };
  const { bias, weight, shared } = unpackWeights(contents, bytes);
  near(bias.numbers, [1.5, -2]);
  near(weight.numbers, [1, -2, 63.5]);
  assert.equal(shared, weight);
});
