// A translator with a tiny model, whose matrices are identities, and a tiny vocabulary.

import assert from "node:assert/strict";
import test from "node:test";

import { Answering } from "../../web/one_file/model/answering.js";

const BYTES = Array.from({ length: 256 }, (_, byte) =>
  byte === 32 ? "Ġ" : String.fromCodePoint(byte),
);
const TOKENS = ["<pad>", "<bos>", "<eos>", ...BYTES, "ca", "cat", "Ġcat"];
const SPECIAL = { pad_id: 0, bos_id: 1, eos_id: 2 };
const ID = (token) => TOKENS.indexOf(token);

// Packs numbers as the file has them. Each matrix of 4 columns has the scale 1.
function packed() {
  const bytes = [];
  const floats = (...numbers) => bytes.push(...new Uint8Array(Float32Array.from(numbers).buffer));
  const contents = {};
  const matrix = (name, rows, valueOf) => {
    contents[name] = { shape: [rows, 4], at: bytes.length };
    floats(...Array(rows).fill(1));
    for (let n = 0; n < 4 * rows; n++) bytes.push(valueOf(Math.floor(n / 4), n % 4) & 255);
  };
  const vector = (name, value) => {
    contents[name] = { shape: [4], at: bytes.length };
    floats(value, value, value, value);
  };
  matrix("identity", 4, (row, column) => Number(row === column));
  matrix("unembed.weight", TOKENS.length, (row) => Number(row === ID("!"))); // never the end
  matrix("src_embedding.tokens.weight", TOKENS.length, (row, column) => ((row * 7) >> column) % 3);
  contents["tgt_embedding.tokens.weight"] = { same: "src_embedding.tokens.weight" };
  vector("one", 1);
  vector("zero", 0);
  const attentions = { encoder: ["self"], decoder: ["self", "cross"] };
  for (const [stack, names] of Object.entries(attentions)) {
    for (const block of [0, 1].map((n) => `${stack}.blocks.${n}`)) {
      for (const name of names) {
        for (const part of ["q", "k", "v", "o"]) {
          contents[`${block}.${name}_attention.w_${part}.weight`] = { same: "identity" };
        }
      }
      for (const n of [1, 2])
        contents[`${block}.feed_forward.w_${n}.weight`] = { same: "identity" };
      for (const name of [...names, "ffn"]) {
        contents[`${block}.${name}_residual.norm.weight`] = { same: "one" };
        contents[`${block}.${name}_residual.norm.bias`] = { same: "zero" };
      }
    }
  }
  return { contents, weights: btoa(String.fromCharCode(...bytes)) };
}

const OPTIONS = { cells: "weights", unit: "subwords", rows: "written" };
const CHOSEN = { 0: ID("Ġcat"), 1: ID("ca"), 2: SPECIAL.eos_id };

// Starts a model, and returns a function that asks it and returns all of its answers.
function begun() {
  const posted = [];
  const answering = new Answering((answer) => posted.push(answer));
  answering.receive({
    ...packed(),
    config: { n_layers: 2, n_heads: 2, d_model: 4, norm: "post", max_length: 6 },
    vocabulary: {
      tokens: TOKENS,
      bytes: BYTES,
      merges: ["c a", "ca t", "Ġ cat"],
      normalizer: [["^(?=[^])", " "]],
      words: " ?\\p{L}+",
      decoder: [],
      special: SPECIAL,
      plain: [],
      in_chinese: [],
      invisible: [],
    },
  });
  return (more = {}, options = {}) => {
    posted.length = 0;
    const question = { n: 7, text: "cat ca", chosen: CHOSEN, off: [], ...more };
    answering.receive({ ...question, options: { ...OPTIONS, ...options } });
    return [...posted];
  };
}

const answerTo = (...question) => begun()(...question).at(-1);

test("the tokens of both sentences are named, and the text grows word by word", () => {
  const posted = begun()();
  assert.deepEqual(
    posted.map(({ soFar }) => soFar),
    ["cat", "catca", "catca", undefined],
  );
  const { n, text, source, target, taken } = posted.at(-1);
  assert.ok(posted.every((each) => each.n === 7));
  assert.deepEqual([n, text], [7, "catca"]);
  assert.deepEqual(source, ["<bos>", "cat", "␣", "·ca", "<eos>"]);
  assert.deepEqual(target, ["<bos>", "cat", "·ca", "<eos>"]);
  assert.deepEqual(taken, [ID("Ġcat"), ID("ca"), SPECIAL.eos_id]);
});

test("each step has four candidates, with their labels, probabilities and ids", () => {
  const { candidates } = answerTo();
  assert.deepEqual([candidates.length, candidates[0].length], [3, 4]);
  assert.deepEqual([candidates[0][3][0], candidates[0][3][2]], ["cat", ID("Ġcat")]);
  const [[, best], [, second]] = candidates[0];
  assert.ok(best >= second && best < 1);
});

test("a text that is empty or too long for the model is a problem", () => {
  const ask = begun();
  assert.deepEqual(ask({ text: "  " }), [{ n: 7, problem: "empty" }]);
  const problem = { n: 7, problem: "too_long", length: 7, max_length: 6 };
  assert.deepEqual(ask({ text: "cat cat cat cat cat" }), [problem]);
  assert.equal(ask({ text: "cat cat cat cat" }).at(-1).problem, undefined); // just fits
});

test("a question that differs only in its maps is not translated again", () => {
  const ask = begun();
  ask();
  assert.equal(ask({}, { cells: "contributions" }).length, 1);
  assert.equal(ask({ chosen: { ...CHOSEN, 1: ID("cat") } }).length, 4);
  assert.equal(ask({ off: [["cross", 0, 0]] }).length, 4);
});

const shapes = (answer) =>
  answer.attentions.map(({ kind, shape, weights }) => {
    assert.equal(
      weights.length,
      shape.reduce((product, n) => product * n),
    );
    return [kind, ...shape];
  });

test("each kind of attention has the maps of two layers: two heads and their mean", () => {
  const answer = answerTo();
  assert.deepEqual(shapes(answer), [
    ["encoder_self", 2, 3, 5, 5],
    ["decoder_self", 2, 3, 3, 3],
    ["cross", 2, 3, 3, 5],
  ]);
  const [encoder, decoder, cross] = answer.attentions;
  assert.deepEqual(encoder.queries, { read: answer.source });
  assert.deepEqual(decoder.queries, {
    read: ["<bos>", "cat", "·ca"],
    written: ["cat", "·ca", "<eos>"],
  });
  assert.deepEqual([decoder.keys, cross.keys], [["<bos>", "cat", "·ca"], answer.source]);
  assert.equal(answer.cross.length, 2 * 2 * 3 * 5); // all heads, without means
});

test("maps of words have the words of the side that names their rows", () => {
  const written = answerTo({}, { unit: "words" });
  assert.deepEqual(shapes(written), [
    ["encoder_self", 2, 3, 4, 4],
    ["decoder_self", 2, 3, 2, 2], // catca, <eos>; <bos>, catca
    ["cross", 2, 3, 2, 4],
  ]);
  assert.deepEqual(written.attentions[2].keys, ["<bos>", "cat", "ca", "<eos>"]);
  assert.deepEqual(written.attentions[2].queries.written, ["catca", "<eos>"]);
  const read = answerTo({}, { unit: "words", rows: "read" });
  assert.deepEqual(read.attentions[1].queries.read, ["<bos>", "catca"]);
  const sums = rowSums(written.attentions[2]);
  assert.ok(sums.every((sum) => Math.abs(sum - 1) < 1e-5));
});

function rowSums({ weights, shape }) {
  const columns = shape.at(-1);
  return Array.from({ length: weights.length / columns }, (_, row) =>
    weights.subarray(row * columns, (row + 1) * columns).reduce((sum, n) => sum + n, 0),
  );
}

test("a head that is switched off has no part in other numbers than weights", () => {
  const off = [["cross", 1, 0]];
  const { attentions } = answerTo({ off }, { cells: "value_norms" });
  const maps = rowSums(attentions[2]); // 3 rows in each map
  const isZero = Array.from({ length: 6 }, (_, map) => maps[3 * map] === 0);
  assert.deepEqual(isZero, [false, false, false, true, false, false]);
});

test("the source has a share of each token", () => {
  const { fromSource } = answerTo();
  assert.equal(fromSource.length, 3);
  assert.ok(fromSource.every((share) => share > 0 && share <= 1));
});

// Opens a cell of the last translation.
function opened(cell) {
  const posted = [];
  const ask = begun();
  const answer = ask().at(-1);
  const { receive } = Answering.prototype;
  let answering = null;
  Answering.prototype.receive = function noted(message) {
    answering = this;
    return receive.call(this, message);
  };
  ask();
  Answering.prototype.receive = receive;
  answering.post = (each) => posted.push(each);
  answering.receive({ n: 8, cell });
  assert.equal(posted[0].n, 8);
  return { answer, ...posted[0].opened };
}

const product = (query, key) => query.reduce((sum, value, i) => sum + value * key[i], 0);

test("the scores of a cell are those of its query and keys, and become its weights", () => {
  const cell = { kind: "cross", layer: 1, head: 1, row: 2, column: 3 };
  const { answer, row, column, query, key, scores, weights } = opened(cell);
  assert.deepEqual([row, column, query.length, key.length], [2, 3, 2, 2]);
  assert.ok(Math.abs(scores[3] - product(query, key) / Math.SQRT2) < 1e-6);
  const exps = Array.from(scores, Math.exp);
  const total = exps.reduce((sum, n) => sum + n);
  weights.forEach((weight, n) => assert.ok(Math.abs(weight - exps[n] / total) < 1e-6));
  const ofMap = answer.attentions[2].weights.subarray((3 + 1) * 15 + 2 * 5, (3 + 1) * 15 + 3 * 5);
  assert.deepEqual(weights, ofMap);
});

test("keys after the query have no score in the decoder", () => {
  const cell = { kind: "decoder_self", layer: 0, head: 0, row: 1, column: 0 };
  const { scores, weights } = opened(cell);
  assert.deepEqual(Array.from(scores, Number.isNaN), [false, false, true]);
  assert.equal(weights[2], 0);
  const encoder = opened({ ...cell, kind: "encoder_self" });
  assert.deepEqual(Array.from(encoder.scores, Number.isNaN), Array(5).fill(false));
});
