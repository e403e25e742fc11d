// The letter that is printed on a key, for the keyboards of several countries.

import assert from "node:assert/strict";
import test from "node:test";

import { isTaken, letterKey } from "../../web/pictures/letter_key.js";

const press = (key, code) => letterKey({ key, code });

test("a Latin layout counts by what it types, wherever the key is", () => {
  assert.equal(press("p", "KeyP"), "p");
  assert.equal(press("p", "KeyR"), "p"); // Dvorak
  assert.equal(press("l", "KeyP"), "l"); // Dvorak has L on the key that has P elsewhere
  assert.equal(press("ş", "Semicolon"), "ş");
});

test("Caps Lock changes nothing", () => {
  assert.equal(press("P", "KeyP"), "p");
  assert.equal(press("З", "KeyP"), "p");
});

test("a layout of a different script counts by the Latin letter on the same key", () => {
  for (const key of ["з", "π", "פ", "ح", "ㅔ", "せ", "ย", "प"])
    assert.equal(press(key, "KeyP"), "p");
  for (const key of ["д", "λ", "ך", "م"]) assert.equal(press(key, "KeyL"), "l");
});

test("a key that an input method has taken counts by its place", () => {
  assert.equal(press("Process", "KeyL"), "l");
});

test("other keys keep their names", () => {
  assert.equal(press("Escape", "Escape"), "Escape");
  assert.equal(press(" ", "Space"), " ");
  assert.equal(press("ж", "Semicolon"), "ж"); // no Latin letter is printed there
  assert.equal(press("7", "KeyP"), "7");
  assert.equal(press("з", ""), "з"); // a keyboard on the screen tells no place
});

function taken(held, ...boxes) {
  const target = { closest: (selector) => boxes.find((box) => selector.split(", ").includes(box)) };
  return isTaken({ ...held, composedPath: () => [target] });
}

test("a key in a box, with another key held, or of an unfinished word is not ours", () => {
  assert.equal(taken({}), false);
  for (const box of ["input", "textarea", "select"]) assert.equal(taken({}, box), true);
  for (const held of ["ctrlKey", "metaKey", "altKey", "isComposing"]) {
    assert.equal(taken({ [held]: true }), true);
  }
});
