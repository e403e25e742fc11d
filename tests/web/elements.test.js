// Elements that are made by scripts.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { button, element, token } from "../../web/pictures/elements.js";
import { markOriginals } from "../../web/app/tools/original_texts.js";

new FakePage();

test("an element has its properties, its data and its children", () => {
  const child = element("b", {}, "bold");
  const made = element("p", { className: "note", dataset: { name: "a" } }, "text ", child);
  assert.deepEqual([made.localName, made.className, made.dataset.name], ["p", "note", "a"]);
  assert.equal(made.textContent, "text bold");
});

test("a button sends no form", () => {
  const clicks = [];
  const made = button("take", "Take", () => clicks.push("click"));
  assert.deepEqual([made.type, made.className, made.textContent], ["button", "take", "Take"]);
  made.click();
  assert.deepEqual(clicks, ["click"]);
});

test("a token has its language, and is not translated by a browser", () => {
  const made = token("chat", "fr", { chat: "the whole token" });
  assert.deepEqual([made.localName, made.lang, made.title], ["bdi", "fr", "the whole token"]);
  assert.equal(made.translate, false);
  const plain = token("chat", null);
  assert.deepEqual([plain.lang, plain.title], [undefined, undefined]);
});

test("texts of the models and code are not translated by a browser", () => {
  const page = new FakePage();
  const [code, text, component] = ["code", "p", "div"].map((name) => page.add(name));
  component.className = "stBidiComponent";
  markOriginals();
  assert.deepEqual([code.translate, text.translate], [false, undefined]);
  assert.equal(component.translate, false);
});
