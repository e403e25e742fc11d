// What the page of the one file makes of an answer of the model, for its pictures.

import assert from "node:assert/strict";
import test from "node:test";

import { analysisPayload, ribbonsPayload } from "../../web/one_file/page/answer_payloads.js";

const CONFIG = { n_layers: 1, n_heads: 2 };
const MODEL = { config: CONFIG, tags: ["en", "fr"], languages: ["en", "fr"], little: 0.2 };
const ANSWER = {
  source: ["<bos>", "a", "·b"],
  target: ["<bos>", "c", "<eos>"],
  candidates: [
    [
      ["c", 0.9, 7],
      ["d", 0.1, 8],
    ],
    [["<eos>", 1, 2]],
  ],
  taken: [7, 2],
  fromSource: [0.8, 0.5],
  cross: Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1), // 2 heads, 2 rows, 3 columns
  attentions: [{ kind: "decoder_self" }],
};

test("without a head that aligns, ribbons show the mean of the heads", () => {
  const payload = ribbonsPayload(ANSWER, { ...MODEL, aligner: null }, {}, "story");
  assert.deepEqual(payload.targets, ["c", "<eos>"]);
  assert.equal(payload.rows, 2);
  assert.deepEqual([...payload.cells], [0.5, 0, 0.5, 0, 0.5, 0.5]);
  assert.deepEqual(payload.joined, [
    [false, false, true],
    [false, false],
  ]);
});

test("the aligning head shows the source of a token in the row that has read it", () => {
  const payload = ribbonsPayload(ANSWER, { ...MODEL, aligner: [0, 1] }, {}, "story");
  assert.deepEqual([...payload.cells], [0, 0, 1]); // the second row, which has read the token
});

test("the chosen candidate is marked", () => {
  const { rivals } = ribbonsPayload(ANSWER, { ...MODEL, aligner: null }, {}, "story");
  assert.deepEqual(rivals[0], [
    ["c", 0.9, true],
    ["d", 0.1, false],
  ]);
});

test("ablated heads are faint, and later tokens are hidden only in rows of tokens read", () => {
  const isOff = (kind, layer, head) => kind === "decoder_self" && head === 1;
  const analysis = (shown) =>
    analysisPayload(ANSWER, MODEL, { words: {}, css: {} }, shown, isOff).attentions[0];
  assert.deepEqual(
    analysis({ rows: "written", unit: "words" }).marks.map(([, isFaint]) => isFaint),
    [false, true, false],
  );
  assert.equal(analysis({ rows: "written", unit: "words" }).causal, false);
  assert.equal(analysis({ rows: "read", unit: "words" }).causal, true);
});

test("the maps know the languages and the tags of both sides", () => {
  const model = { config: CONFIG, languages: ["en", "zh"], tags: ["en", "zh-Hans"] };
  const shown = { rows: "read", unit: "subwords" };
  const { languages, tags } = analysisPayload(ANSWER, model, {}, shown, () => false);
  assert.deepEqual(languages, { source: "en", target: "zh" });
  assert.deepEqual(tags, { source: "en", target: "zh-Hans" });
});

test("a map is faint if its head is switched off, layer by layer", () => {
  const model = { ...MODEL, config: { n_layers: 2, n_heads: 2 } };
  const isOff = (kind, layer, head) => kind === "decoder_self" && layer === 1 && head === 0;
  const shown = { rows: "read", unit: "subwords" };
  const { attentions } = analysisPayload(ANSWER, model, {}, shown, isOff);
  const faint = attentions[0].marks.map(([, isFaint]) => isFaint);
  assert.deepEqual(faint, [false, false, false, true, false, false]); // two heads and their mean
});
