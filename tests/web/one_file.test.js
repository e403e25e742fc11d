// The start of the explorer in one file: its data, its link, and its printing.

import assert from "node:assert/strict";
import test from "node:test";

import { pageOfPictures } from "./saved_pictures.js";

const WORDS = new Proxy({}, { get: (_, name) => String(name) });
const DATA = {
  models: [
    {
      languages: ["en", "fr"],
      tags: ["en", "fr"],
      config: { n_layers: 2, n_heads: 2 },
      examples: ["It rains."],
      gallery: [],
    },
  ],
  words: { en: WORDS, zh: WORDS },
  css: {},
};

const page = pageOfPictures();
page.addHtml("one_file/page/one_file.html");
page.addHtml("saved_page/maps.html");
document.getElementById = (id) => document.querySelector(`#${id}`);
page.add("script", { id: "weights-0" });
document.querySelector("#model").textContent = "the data";
const { parse } = JSON;
JSON.parse = (text) => (text === "the data" ? DATA : parse(text));
Object.defineProperty(globalThis, "navigator", { value: { language: "en" }, configurable: true });
globalThis.CSS = { supports: () => true };
globalThis.location = { hash: "#sentence=It+snows.&layer=1" };
globalThis.history = { state: null, replaceState() {} };
globalThis.Worker = class {
  postMessage(message) {
    page.asked = message;
  }
};
URL.createObjectURL = () => "blob:worker";
await import("../../web/one_file/page/one_file.js");

test("the sentence of the link is translated when the file is opened", () => {
  assert.equal(page.asked.text, "It snows.");
});

test("the pictures of the file are printed as drawings", () => {
  globalThis.DOMParser = class {
    parseFromString() {
      return { documentElement: document.createElement("svg") };
    }
  };
  document.importNode = (node) => node;
  const canvas = page.add("canvas", { width: 10, height: 10, paintOn() {} });
  dispatchEvent(new Event("beforeprint"));
  assert.equal(canvas.isConnected, false);
  dispatchEvent(new Event("afterprint"));
  assert.equal(canvas.isConnected, true);
});
