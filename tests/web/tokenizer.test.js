// A tiny vocabulary. tests/browser/test_one_file.py compares the shipped one with Python.

import assert from "node:assert/strict";
import test from "node:test";

import { Tokenizer } from "../../web/one_file/model/tokenizer.js";

// Each byte is written as the character of the same number, a space as "Ġ".
const BYTES = Array.from({ length: 256 }, (_, byte) =>
  byte === 32 ? "Ġ" : String.fromCodePoint(byte),
);
const SPECIAL = { pad_id: 0, bos_id: 1, eos_id: 2 };
const TOKENIZER = new Tokenizer({
  tokens: ["<pad>", "<bos>", "<eos>", ...BYTES, "ca", "cat", "Ġcat"],
  bytes: BYTES,
  merges: ["c a", "ca t", "Ġ cat"],
  normalizer: [["^(?=[^])", " "]], // a space before the text
  words: " ?\\p{L}+",
  decoder: [],
  special: SPECIAL,
  plain: [["’", "'"]],
  in_chinese: [],
  invisible: ["\u200b"],
});

test("what people paste is cleaned", () => {
  assert.equal(TOKENIZER.read("  I\u200b don’t   know "), "I don't know");
});

test("a sentence of capitals is read in small letters, an acronym is not", () => {
  assert.equal(TOKENIZER.read("GO HOME"), "Go home");
  assert.equal(TOKENIZER.read("NASA"), "NASA");
});

test("merges that were learned first are made first", () => {
  const { tokens } = TOKENIZER;
  const ids = TOKENIZER.encode("cat ca");
  assert.deepEqual(
    ids.map((id) => tokens[id]),
    ["<bos>", "Ġcat", "Ġ", "ca", "<eos>"],
  );
  assert.equal(TOKENIZER.decode(ids), "cat ca");
});

test("subwords of one word belong together, ends are words by themselves", () => {
  const ids = TOKENIZER.encode("cat ca");
  assert.deepEqual(TOKENIZER.words(ids), [[0], [1], [2, 3], [4]]);
});

test("a subword says whether it goes on a word, a part of a character its byte", () => {
  const id = (token) => TOKENIZER.tokens.indexOf(token);
  assert.equal(TOKENIZER.display(id("Ġcat")), "cat");
  assert.equal(TOKENIZER.display(id("ca")), "·ca");
  assert.equal(TOKENIZER.display(id("Ġ")), "␣");
  assert.equal(TOKENIZER.display(id("é")), "0xE9");
  assert.equal(TOKENIZER.display(SPECIAL.eos_id), "<eos>");
});
