// The letter that is printed on a key, for the keyboards of several countries.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { isTaken, letterKey } from "../../web/pictures/letter_key.js";

const press = (key, code) => letterKey({ key, code });

test("on a Latin layout, the typed letter counts, wherever the key is", () => {
  assert.equal(press("p", "KeyP"), "p");
  assert.equal(press("p", "KeyR"), "p"); // Dvorak
  assert.equal(press("l", "KeyP"), "l"); // Dvorak has L on the key that has P elsewhere
  assert.equal(press("ş", "Semicolon"), "ş");
});

test("Caps Lock has no effect", () => {
  assert.equal(press("P", "KeyP"), "p");
  assert.equal(press("З", "KeyP"), "p");
});

test("on a layout of another script, the Latin letter on the same key counts", () => {
  for (const key of ["з", "π", "פ", "ح", "ㅔ", "せ", "ย", "प"])
    assert.equal(press(key, "KeyP"), "p");
  for (const key of ["д", "λ", "ך", "م"]) assert.equal(press(key, "KeyL"), "l");
});

test("if an input method has taken a key, the position of the key counts", () => {
  assert.equal(press("Process", "KeyL"), "l");
});

test("other keys keep their names", () => {
  assert.equal(press("Escape", "Escape"), "Escape");
  assert.equal(press(" ", "Space"), " ");
  assert.equal(press("ж", "Semicolon"), "ж"); // no Latin letter is printed there
  assert.equal(press("7", "KeyP"), "7");
  assert.equal(press("з", ""), "з"); // an on-screen keyboard reports no position
});

function taken(held, ...boxes) {
  const target = { closest: (selector) => boxes.find((box) => selector.split(", ").includes(box)) };
  return isTaken({ ...held, composedPath: () => [target] });
}

test("keys in a text box, with a modifier key, or during text composition are ignored", () => {
  assert.equal(taken({}), false);
  for (const box of ["input", "textarea", "select"]) assert.equal(taken({}, box), true);
  for (const held of ["ctrlKey", "metaKey", "altKey", "isComposing"]) {
    assert.equal(taken({ [held]: true }), true);
  }
});

test("a key in a text that can be edited is not ours, but one in a text that cannot be is", () => {
  const page = new FakePage();
  const inText = (editable) => {
    const node = page.add("div");
    node.setAttribute("contenteditable", editable);
    return isTaken({ composedPath: () => [node] });
  };
  assert.deepEqual([inText(""), inText("true"), inText("false")], [true, true, false]);
});
