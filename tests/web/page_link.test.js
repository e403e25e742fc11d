// Links to the state of a page without a server. They have the app's names, and only what the page
// has.

import assert from "node:assert/strict";
import test from "node:test";

import { choicesOf, linkTo, readLink, writeLink } from "../../web/saved_page/page_link.js";

const OFFERED = {
  layers: 4,
  heads: 8,
  kind: ["encoder_self", "cross"],
  rows: ["written", "read"],
  panel: ["map", "lines"],
};

const read = (text) => choicesOf(new URLSearchParams(text), OFFERED);

test("layers and heads are numbered from 1 in a link", () => {
  assert.deepEqual(read("layer=3&head=4"), { layer: 2, head: 3 });
  assert.deepEqual(read("layer=4&head=8"), { layer: 3, head: 7 });
});

test("the mean of a layer is a view, for any head in the link", () => {
  assert.deepEqual(read("layer=1&view=mean"), { layer: 0, head: null });
  assert.deepEqual(read("head=2&view=mean"), { head: null });
});

test("fields that the page does not have are ignored", () => {
  const junk = "layer=5&head=0&attention=decoder_self&rows=both&panel=beam&unit=words&view=rollout";
  assert.deepEqual(read(junk), {});
  assert.deepEqual(read("layer=-1&head=1e0"), {});
  assert.deepEqual(read("layer=3.5&head="), {});
});

test("a link to the current state opens the same state", () => {
  for (const head of [0, 6, null]) {
    const shown = { kind: "cross", layer: 2, head, rows: "read", panel: "lines" };
    assert.deepEqual(read(linkTo(shown).slice(1)), shown);
  }
});

test("the sentence is the first field, and the link ends with a letter or a digit", () => {
  const link = linkTo({ kind: "cross", layer: 0, head: 1 }, { sentence: "A & b." });
  assert.equal(link, "#sentence=A+%26+b.&attention=cross&layer=1&head=2");
});

test("the parameters of a page are those after the sign # of its address", () => {
  globalThis.location = { hash: "#layer=2&head=3" };
  assert.deepEqual(
    [...readLink()],
    [
      ["layer", "2"],
      ["head", "3"],
    ],
  );
  globalThis.location = { hash: "" };
  assert.equal(readLink().size, 0);
});

test("numbers of up to four digits are read", () => {
  const many = { ...OFFERED, layers: 100_000 };
  const layer = (n) => choicesOf(new URLSearchParams({ layer: n }), many).layer;
  assert.deepEqual([layer("9999"), layer("10000")], [9998, undefined]);
});

test("a link is written into the address, if the page has one of its own", () => {
  const written = [];
  globalThis.history = { state: "state", replaceState: (...given) => written.push(given) };
  writeLink("#layer=1");
  assert.deepEqual(written, [["state", "", "#layer=1"]]);
  globalThis.history = {
    replaceState() {
      throw new Error("SecurityError");
    },
  };
  writeLink("#layer=1");
});
