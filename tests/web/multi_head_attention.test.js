// Two heads of two dimensions. A query and a key of the same token have the score ln 3.

import assert from "node:assert/strict";
import test from "node:test";

import { MultiHeadAttention } from "../../web/one_file/model/multi_head_attention.js";

const A = Math.sqrt(Math.SQRT2 * Math.log(3)); // A² / √2 = ln 3, the score after scaling

function near(found, expected) {
  assert.equal(found.length, expected.length);
  [...found].forEach((value, n) => {
    assert.ok(Math.abs(value - expected[n]) < 1e-6, `${n}: ${found}`);
  });
}

function identity(scale = 1) {
  const numbers = Float32Array.from({ length: 16 }, (_, n) => (n % 5 ? 0 : scale));
  return { shape: [4, 4], numbers };
}

// For an input of A, a value is 10, and the output matrix doubles what the heads give.
function attention() {
  const parameters = {
    "a.w_q.weight": identity(),
    "a.w_k.weight": identity(),
    "a.w_v.weight": identity(10 / A),
    "a.w_o.weight": identity(2),
  };
  return new MultiHeadAttention(parameters, "a", { n_heads: 2 });
}

// In the first head the tokens differ; in the second head the first token has no direction.
const X = Float32Array.of(A, 0, 0, 0, 0, A, 0, A);
const WEIGHTS = [0.75, 0.25, 0.25, 0.75, 0.5, 0.5, 0.25, 0.75]; // 3 : 1, or equal

test("each head has its own weights, from the softmax of scaled scores", () => {
  const [out, seen] = attention().forward(X, {});
  near(seen.weights, WEIGHTS);
  near(out, [15, 5, 0, 10, 5, 15, 0, 15]);
  near(seen.q, X);
  near(seen.k, X);
  near(seen.v, [10, 0, 0, 0, 0, 10, 0, 10]);
});

test("a head that is switched off keeps its weights, but adds nothing", () => {
  const off = attention();
  off.off = new Set([0]);
  const [out, seen] = off.forward(X, {});
  near(seen.weights, WEIGHTS);
  near(out, [0, 0, 0, 10, 0, 0, 0, 15]);
});

test("tokens one after another see themselves and those before them", () => {
  const cache = {};
  const model = attention();
  const [first, seen] = model.forward(X.subarray(0, 4), cache);
  near(seen.weights, [1, 1]);
  near(first, [20, 0, 0, 0]);
  const [second, later] = model.forward(X.subarray(4), cache);
  near(later.weights, [0.25, 0.75, 0.25, 0.75]);
  near(second, [5, 15, 0, 15]);
  near(cache.k, X);
});

test("keys and values of a memory are computed once", () => {
  const cache = {};
  const model = attention();
  const [out] = model.forward(X.subarray(0, 4), cache, X);
  near(out, [15, 5, 0, 10]);
  const other = Float32Array.of(9, 9, 9, 9);
  const [same, seen] = model.forward(X.subarray(4), cache, other);
  near(same, [5, 15, 0, 15]);
  near(seen.k, X);
});
