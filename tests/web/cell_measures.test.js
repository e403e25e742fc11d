// The cells of a map, with numbers that one can follow: two heads of one dimension each.

import assert from "node:assert/strict";
import test from "node:test";

import { measureCells, sourceShares } from "../../web/one_file/model/cell_measures.js";

function near(found, expected) {
  assert.equal(found.length, expected.length);
  [...found].forEach((value, n) => {
    assert.ok(Math.abs(value - expected[n]) < 1e-6, `${n}: ${found}`);
  });
}

const floats = (rows) => Float32Array.from(rows.flat());

function attention({ weight = [1, 0, 0, 1], off = [], isPreNorm = true, norm = null } = {}) {
  const w_o = { rows: 2, weight: Float32Array.from(weight) };
  return { sublayer: { heads: 2, off: new Set(off), w_o }, isPreNorm, norm };
}

// The first head writes into the first dimension, the second head into the second one.
// The result of each row is its input plus what both heads add.
const SEEN = {
  v: floats([
    [1, 2],
    [3, 4],
  ]),
  weights: floats([
    [1, 0],
    [0.5, 0.5],
    [1, 0],
    [0.25, 0.75],
  ]),
  before: floats([
    [1, 1],
    [2, 0],
  ]),
  sum: floats([
    [2, 3],
    [4, 3.5],
  ]),
  after: floats([
    [2, 3],
    [4, 3.5],
  ]),
};

test("weights have their mean as the last map", () => {
  const { maps, kept } = measureCells("weights", "cross", SEEN, attention());
  near(maps, [1, 0, 0.5, 0.5, 1, 0, 0.25, 0.75, 1, 0, 0.375, 0.625]);
  near(kept, [0, 0]);
});

// The first head adds (3, 4) times its value, the second head (0, 1) times its value.
const NORMS = {
  v: floats([
    [1, 2],
    [2, -4],
    [0, 1],
  ]),
  weights: floats([
    [0.5, 0.5, 0],
    [1, 0, 0],
    [0, 0.25, 0.75],
    [0.5, 0.25, 0.25],
  ]),
  before: new Float32Array(4),
  sum: new Float32Array(4),
  after: new Float32Array(4),
};

test("value norms are the lengths of weighted values, of each head and of their sum", () => {
  const { maps } = measureCells("value_norms", "cross", NORMS, attention({ weight: [3, 0, 4, 1] }));
  near(maps.subarray(0, 6), [2.5, 5, 0, 5, 0, 0]);
  near(maps.subarray(6, 12), [0, 1, 0.75, 1, 1, 0.25]);
  // lengths of the sums (1.5, 2), (3, 4 - 1), (0, 0.75); (3, 4 + 1), (0, -1), (0, 0.25)
  near(maps.subarray(12), [2.5, Math.sqrt(18), 0.75, Math.sqrt(34), 1, 0.25]);
});

test("heads of two dimensions have two columns of the output each", () => {
  // one token with the values 1, 2, 3 and 4; the output adds up those of each head
  const weight = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0];
  const w_o = { rows: 4, weight: Float32Array.from(weight) };
  const residual = { sublayer: { heads: 2, off: new Set(), w_o } };
  const seen = { v: floats([[1, 2, 3, 4]]), weights: Float32Array.of(1, 1) };
  const zero = new Float32Array(4);
  const all = { ...seen, before: zero, sum: zero, after: zero };
  const { maps } = measureCells("value_norms", "cross", all, residual);
  near(maps, [3, 7, Math.sqrt(58)]);
});

test("a head that is switched off adds nothing", () => {
  const off = attention({ weight: [3, 0, 4, 1], off: [0] });
  const { maps } = measureCells("value_norms", "cross", NORMS, off);
  near(maps.subarray(0, 6), [0, 0, 0, 0, 0, 0]);
  near(maps.subarray(12), [0, 1, 0.75, 1, 1, 0.25]);
});

test("in self-attention the token itself has its input, too", () => {
  const { maps, kept } = measureCells("contributions", "decoder_self", SEEN, attention());
  // sums of the parts: of row 0, 5 and 0; of row 1, 0.5 + 0.5 and 1.5 + 3 + 2
  near(maps.subarray(8), [1, 0, 1 / 7.5, 6.5 / 7.5]);
  near(maps.subarray(0, 4), [1 / 5, 0, 0.5 / 7.5, 1.5 / 7.5]);
  near(maps.subarray(4, 8), [2 / 5, 0, 0.5 / 7.5, 3 / 7.5]);
  near(kept, [0, 0]);
});

test("in cross-attention the input has a share of its own", () => {
  const { maps, kept } = measureCells("contributions", "cross", SEEN, attention());
  near(maps.subarray(8), [3 / 5, 0, 1 / 7.5, 4.5 / 7.5]);
  near(kept, [2 / 5, 2 / 7.5]);
});

test("value norms do not count the input", () => {
  const { maps } = measureCells("value_norms", "decoder_self", SEEN, attention());
  near(maps.subarray(8, 10), [Math.sqrt(5), 0]);
});

test("what leads away from the result has no share", () => {
  // the first head adds -1 to the result (1, 3), which would be longer without it
  const seen = { ...SEEN, v: floats([[-1, 2]]), weights: Float32Array.of(1, 1) };
  const row = { before: Float32Array.of(2, 1), sum: Float32Array.of(1, 3) };
  const all = { ...seen, ...row, after: Float32Array.of(1, 3) };
  const { maps, kept } = measureCells("contributions", "cross", all, attention());
  // the head of the first dimension: 4 - 5 < 0; both: (1 - 2) + 2 = 1; the input: (1 - 1) + 1 = 1
  near(maps, [0, 2 / 2, 1 / 2]);
  near(kept, [1 / 2]);
});

test("a part that is larger than the result counts less", () => {
  const row = { v: floats([[3, 0]]), weights: Float32Array.of(1, 1) };
  const ends = { before: Float32Array.of(0, 0), sum: Float32Array.of(2, 0) };
  const all = { ...row, ...ends, after: Float32Array.of(2, 0) };
  const { maps, kept } = measureCells("contributions", "cross", all, attention());
  near(maps, [1, 0, 1]); // 2 - |2 - 3| = 1; no other part has more
  near(kept, [0]);
});

test("if nothing leads to the result, the input has the whole share", () => {
  const zero = { ...SEEN, after: new Float32Array(4) };
  const cross = measureCells("contributions", "cross", zero, attention());
  near(cross.maps, Array(12).fill(0));
  near(cross.kept, [1, 1]);
  const self = measureCells("contributions", "decoder_self", zero, attention());
  near(self.maps, [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1]);
  near(self.kept, [0, 0]);
});

test("a norm after the sum is applied to each part, as it was for its row", () => {
  const sums = [];
  const frozen = (sum) => {
    sums.push([...sum]);
    return (part) => part.map((value) => value * sum[0]);
  };
  const norm = { frozen };
  const doubled = {
    ...SEEN,
    after: floats([
      [4, 6],
      [16, 14],
    ]),
  }; // 2 and 4 times the sum
  const post = attention({ isPreNorm: false, norm });
  const { maps, kept } = measureCells("contributions", "cross", doubled, post);
  near(maps.subarray(8), [3 / 5, 0, 1 / 7.5, 4.5 / 7.5]);
  near(kept, [2 / 5, 2 / 7.5]);
  assert.deepEqual(sums, [
    [2, 3],
    [4, 3.5],
  ]);
});

test("the maps of single heads can be left empty", () => {
  const { maps } = measureCells("contributions", "cross", SEEN, attention(), { eachHead: false });
  near(maps, [0, 0, 0, 0, 0, 0, 0, 0, 3 / 5, 0, 1 / 7.5, 4.5 / 7.5]);
});

test("the share from the source grows from layer to layer", () => {
  const model = { attentions: () => [attention(), attention()] };
  const seen = (n) => ({ decoder_self: Array(n).fill(SEEN), cross: Array(n).fill(SEEN) });
  // all that is not kept by the input, which has nothing of the source yet
  near(sourceShares(model, seen(1)), [3 / 5, 5.5 / 7.5]);
  // of what is kept, the shares of the tokens from which it comes
  const first = 3 / 5;
  const second = first / 7.5 + (5.5 / 7.5) * (6.5 / 7.5);
  near(sourceShares(model, seen(2)), [3 / 5 + (2 / 5) * first, 5.5 / 7.5 + (2 / 7.5) * second]);
});
