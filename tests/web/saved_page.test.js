// A saved page: the map that its link names, and its link to the map that it shows.

import assert from "node:assert/strict";
import test from "node:test";

import { pageOfPictures } from "./saved_pictures.js";

const written = [];
globalThis.history = { state: null, replaceState: (_, __, url) => written.push(url) };

const weights = Float32Array.of(1, 0, 0, 1, 0, 1, 1, 0);
const ANALYSIS = {
  attentions: [
    {
      kind: "cross",
      weights: btoa(String.fromCharCode(...new Uint8Array(weights.buffer))),
      shape: [2, 1, 2, 2],
      queries: { written: ["il", "court"] },
      keys: ["he", "runs"],
      sides: ["target", "source"],
      direction: "ltr",
      inFull: {},
    },
  ],
  start: { kind: "cross", layer: 0, head: 0, rows: "written" },
  languages: { source: "en", target: "fr" },
  tags: { source: "en", target: "fr" },
  words: {
    "map.title_head": "layer {layer}",
    "map.weights": "weights",
    "map.rows.cross": "",
    "grid.layer_number": "",
    "grid.head_number": "",
    "grid.open": "",
  },
  css: {},
  offers: {},
};

const page = pageOfPictures();
page.addHtml("saved_page/maps.html");
const data = page.add("script", { id: "analysis" });
data.textContent = JSON.stringify(ANALYSIS);
document.getElementById = (id) => document.querySelector(`#${id}`);
let printing = 0;
addEventListener("beforeprint", () => (printing += 1));

// The layer of the map that is pressed in the grid, from 1.
const layer = () => {
  const tiles = document.querySelectorAll(".tile");
  return tiles.findIndex(({ ariaPressed }) => ariaPressed) + 1;
};

test("the page opens the map that its link names, and does not write its link before", async () => {
  globalThis.location = { hash: "#layer=2" };
  await import("../../web/saved_page/saved_page.js");
  assert.equal(layer(), 2);
  assert.deepEqual(written, []);
});

test("a map that is opened afterwards is written into the address", () => {
  const [tile] = document.querySelectorAll(".tile");
  const event = new Event("click");
  Object.defineProperty(event, "target", { value: tile });
  document.querySelector(".grid").dispatchEvent(event);
  assert.equal(layer(), 1);
  assert.deepEqual(written, ["#attention=cross&rows=written&panel=map&layer=1&head=1"]);
});

test("a link that is followed on the page opens its map, and ignores what does not exist", () => {
  globalThis.location = { hash: "#layer=2&head=9" };
  dispatchEvent(new Event("hashchange"));
  assert.equal(layer(), 2);
  assert.equal(written.length, 2);
});

test("the pictures of the page are printed as drawings", () => {
  globalThis.DOMParser = class {
    parseFromString() {
      return { documentElement: Object.assign(document.createElement("svg"), { isDrawing: true }) };
    }
  };
  document.importNode = (node) => node;
  dispatchEvent(new Event("beforeprint"));
  assert.equal(printing, 1);
  assert.ok(document.querySelector(".large svg").isDrawing);
  dispatchEvent(new Event("afterprint"));
  assert.equal(document.querySelector("svg"), null);
});
