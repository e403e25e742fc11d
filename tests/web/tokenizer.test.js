// A tiny vocabulary. tests/browser/test_one_file.py compares the shipped vocabulary with Python.

import assert from "node:assert/strict";
import test from "node:test";

import { Tokenizer } from "../../web/one_file/model/tokenizer.js";

// Each byte is written as the character with the same number, but a space as "Ġ".
const BYTES = Array.from({ length: 256 }, (_, byte) =>
  byte === 32 ? "Ġ" : String.fromCodePoint(byte),
);
const SPECIAL = { pad_id: 0, bos_id: 1, eos_id: 2 };
const TOKENIZER = new Tokenizer({
  tokens: ["<pad>", "<bos>", "<eos>", ...BYTES, "ca", "cat", "Ġcat"],
  bytes: BYTES,
  merges: ["c a", "ca t", "Ġ cat"],
  normalizer: [["^(?=[^])", " "]], // adds a space before the text
  words: " ?\\p{L}+",
  decoder: [],
  special: SPECIAL,
  plain: [["’", "'"]],
  in_chinese: [],
  invisible: ["\u200b"],
});

test("pasted characters are normalised", () => {
  assert.equal(TOKENIZER.read("  I\u200b don’t   know "), "I don't know");
});

test("a sentence in capitals is changed to small letters, but an acronym is not", () => {
  assert.equal(TOKENIZER.read("GO HOME"), "Go home");
  assert.equal(TOKENIZER.read("NASA"), "NASA");
});

test("merges are applied in the order in which they were learned", () => {
  const { tokens } = TOKENIZER;
  const ids = TOKENIZER.encode("cat ca");
  assert.deepEqual(
    ids.map((id) => tokens[id]),
    ["<bos>", "Ġcat", "Ġ", "ca", "<eos>"],
  );
  assert.equal(TOKENIZER.decode(ids), "cat ca");
});

test("subwords of one word are grouped, and special tokens are separate words", () => {
  const ids = TOKENIZER.encode("cat ca");
  assert.deepEqual(TOKENIZER.words(ids), [[0], [1], [2, 3], [4]]);
});

test("a label shows that a subword continues a word, or the bytes of a character's part", () => {
  const id = (token) => TOKENIZER.tokens.indexOf(token);
  assert.equal(TOKENIZER.display(id("Ġcat")), "cat");
  assert.equal(TOKENIZER.display(id("ca")), "·ca");
  assert.equal(TOKENIZER.display(id("Ġ")), "␣");
  assert.equal(TOKENIZER.display(id("é")), "0xE9");
  assert.equal(TOKENIZER.display(SPECIAL.eos_id), "<eos>");
});

const idsOf = (...tokens) => tokens.map((token) => TOKENIZER.tokens.indexOf(token));

test("a pair is merged wherever it is, and only the whole pair", () => {
  const tokensOf = (text) => TOKENIZER.encode(text).map((id) => TOKENIZER.tokens[id]);
  assert.deepEqual(tokensOf("caca"), ["<bos>", "Ġ", "ca", "ca", "<eos>"]);
  assert.deepEqual(tokensOf("cbca"), ["<bos>", "Ġ", "c", "b", "ca", "<eos>"]);
  assert.deepEqual(tokensOf("bacat"), ["<bos>", "Ġ", "b", "a", "cat", "<eos>"]);
});

test("characters of two, three and four bytes are parts of words", () => {
  // the bytes of é, 爱 and 𝒜, which are letters
  for (const bytes of ["Ã©", "ç\u0088±", "ð\u009d\u0092\u009c"]) {
    const ids = idsOf("Ġ", ...bytes, "a", "<eos>");
    assert.ok(!ids.includes(-1));
    const positions = ids.map((_, n) => n);
    assert.deepEqual(TOKENIZER.words(ids), [positions.slice(0, -1), positions.slice(-1)]);
  }
});

test("a byte outside a character counts as a letter", () => {
  assert.deepEqual(TOKENIZER.words(idsOf("Ġ", "Ã", "a")), [[0, 1, 2]]);
});

test("special tokens between subwords are words by themselves", () => {
  const ids = [...idsOf("Ġcat"), SPECIAL.pad_id, ...idsOf("ca", "Ġcat")];
  assert.deepEqual(TOKENIZER.words(ids), [[0], [1], [2], [3]]);
  assert.deepEqual(TOKENIZER.words([SPECIAL.bos_id, SPECIAL.eos_id]), [[0], [1]]);
});

test("signs and Chinese letters are never marked as parts of a word", () => {
  assert.equal(TOKENIZER.display(...idsOf("!")), "!");
  assert.equal(TOKENIZER.display(...idsOf(..."ç\u0088±")), "爱");
  assert.equal(TOKENIZER.display(...idsOf("7")), "·7");
  assert.equal(TOKENIZER.display(...idsOf("Ġ", "a")), "a");
});

test("the byte of a control sign has two digits", () => {
  const id = TOKENIZER.tokens.indexOf("\u0080");
  assert.equal(TOKENIZER.display(id), "0x80");
});

test("only a sentence of several words in capitals is read in small letters", () => {
  assert.equal(TOKENIZER.read("It RAINS"), "It RAINS");
  assert.equal(TOKENIZER.read("I AM A CAT"), "I am a cat");
  assert.equal(TOKENIZER.read("12 34"), "12 34");
  assert.equal(TOKENIZER.read("A B"), "A B");
  assert.equal(TOKENIZER.read("我爱 IBM UNIX"), "我爱 IBM UNIX");
});

test("signs of three and four bytes are no letters", () => {
  for (const bytes of ["â\u0082¬", "ð\u009f\u0098\u0080"]) {
    const signs = idsOf(...bytes); // € and 😀
    assert.ok(!signs.includes(-1));
    const positions = signs.map((_, n) => n + 2);
    const ids = [...idsOf("Ġ", "a"), ...signs];
    assert.deepEqual(TOKENIZER.words(ids), [[0, 1], positions]);
  }
});

test("a byte of a sign alone counts as a letter of one byte", () => {
  assert.deepEqual(TOKENIZER.words(idsOf("Ġ", "\u0080", "a", "Ġcat")), [[0, 1, 2], [3]]);
});

test("a mark of the byte order has its three bytes", () => {
  const ids = idsOf(..."ï»¿", "Ġcat", "Ġcat");
  assert.deepEqual(TOKENIZER.words(ids), [[0, 1, 2], [3], [4]]);
});
