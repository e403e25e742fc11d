// The grid of heads in the app: 2 layers with 2 heads each, and the mean of the heads.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakeElement, FakePage } from "./page.js";
import headGrid from "../../web/app/head_grid_component.js";

mock.timers.enable({ apis: ["setTimeout"] });
FakeElement.prototype.contains = function contains(node) {
  return node === this || this.children.some((child) => child.contains(node));
};

const MAX = 65535; // stands for `limit`
const TEXTS = {
  layer_number: "layer {n}",
  head_number: "head {n}",
  head: "head",
  mean: "mean",
  open: "open {layer}.{head}",
  open_mean: "open the mean of {layer}",
  table: "numbers",
  strongest: "strongest",
  label: "grid",
};
const PAYLOAD = {
  shape: [2, 3, 2, 3],
  texts: TEXTS,
  marks: [
    [[["P", "previous token"]], false],
    [[], true],
  ],
  letters: [
    ["A", 1, 2],
    ["B", 2, null],
  ],
  seconds: 2, // heads that may be the second map
  layer: 1,
  head: 2,
  limit: 0.5,
  queries: ["q", "r"],
  keys: ["k", "l", "m"],
  languages: ["en", "fr"],
  directions: ["ltr", "ltr"],
  inFull: {},
  covered: [],
};
// Each map has 2 queries and 3 keys. The n-th map has its strongest cell at n.
const CELLS = Uint16Array.from({ length: 36 }, (_, n) => (n % 6 === Math.floor(n / 6) ? MAX : 0));

function packed(header) {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(4 + json.length + CELLS.byteLength);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  bytes.set(new Uint8Array(CELLS.buffer), 4 + json.length);
  return bytes;
}

function shown(changes = {}) {
  const page = new FakePage();
  const sent = [];
  const opened = [];
  addEventListener("clicked-head", ({ detail }) => opened.push(detail));
  headGrid({
    data: packed({ ...PAYLOAD, ...changes }),
    parentElement: page.body,
    setTriggerValue: (...message) => sent.push(message),
  });
  const { view } = page.body;
  return { view, sent, opened, tiles: view.tiles, faces: view.tiles.map(({ face }) => face) };
}

function moved(...detail) {
  return !dispatchEvent(new CustomEvent("move-head", { detail, cancelable: true }));
}

const click = (view, tile, event = {}) => view.click({ target: tile.face, ...event }, tile);

test("a click opens a head and hands its numbers to the large map at once", () => {
  const { view, sent, opened, tiles } = shown();
  click(view, tiles[5]); // the mean of layer 2, whose strongest cell is the last one
  assert.deepEqual(sent, [["click", [2, 3]]]);
  assert.deepEqual(opened, [Float32Array.of(0, 0, 0, 0, 0, 0.5)]);
});

test("a click on the head that is open hands on no numbers", () => {
  const { view, sent, opened, tiles } = shown();
  click(view, tiles[1]);
  assert.deepEqual([sent, opened], [[["click", [1, 2]]], [null]]);
});

test("keys move to the next head and to the next layer, and stop at the edges", () => {
  const at = (layer, head) => {
    const { sent } = shown({ layer, head });
    return (...step) => {
      sent.length = 0;
      const isMoved = moved(...step);
      assert.equal(isMoved, sent.length > 0);
      return sent[0]?.[1];
    };
  };
  const upperLeft = at(1, 1);
  assert.deepEqual(
    [upperLeft(0, 1), upperLeft(1, 0)],
    [
      [1, 2],
      [2, 1],
    ],
  );
  assert.deepEqual([upperLeft(0, -1), upperLeft(-1, 0)], [undefined, undefined]);
  const lowerRight = at(2, 3);
  assert.deepEqual(
    [lowerRight(0, -1), lowerRight(-1, 0)],
    [
      [2, 2],
      [1, 3],
    ],
  );
  assert.deepEqual([lowerRight(0, 1), lowerRight(1, 0)], [undefined, undefined]);
});

test("from all heads of a layer keys go to those of another layer, or to the first head", () => {
  const { sent, opened } = shown({ head: null });
  assert.equal(moved(1, 0), true);
  assert.deepEqual([sent, opened], [[["click", [2, 0]]], []]); // 0 means all heads
  assert.equal(moved(0, 1), true);
  assert.deepEqual(sent.at(-1), ["click", [1, 1]]);
});

test("a step that another picture has taken moves no head", () => {
  const { sent } = shown();
  const event = new CustomEvent("move-head", { detail: [0, -1], cancelable: true });
  event.preventDefault();
  dispatchEvent(event);
  assert.deepEqual(sent, []);
});

test("the open head is pressed, and Tab enters there", () => {
  const pressed = (changes) => shown(changes).faces.map(({ ariaPressed }) => ariaPressed);
  assert.deepEqual(pressed({}), [false, true, false, false, false, false]);
  assert.deepEqual(pressed({ layer: 2, head: null }), [false, false, false, true, true, true]);
  const tabs = (changes) => shown(changes).faces.map(({ tabIndex }) => tabIndex);
  assert.deepEqual(tabs({}), [-1, 0, -1, -1, -1, -1]);
  assert.deepEqual(tabs({ layer: 2, head: null }), [-1, -1, -1, 0, -1, -1]);
});

test("arrow keys go from map to map", () => {
  const { view, tiles, faces } = shown();
  const press = (key, tile) => view.keydown({ key, preventDefault() {} }, tile);
  press("ArrowRight", tiles[1]);
  assert.equal(document.activeElement, faces[2]);
  assert.deepEqual([faces[1].tabIndex, faces[2].tabIndex], [-1, 0]);
  press("ArrowDown", tiles[2]);
  assert.equal(document.activeElement, faces[5]);
  press("ArrowDown", tiles[5]);
  press("a", tiles[0]);
  assert.equal(document.activeElement, faces[5]);
});

test("Shift or a long press takes a second head, but not the mean", () => {
  const { view, sent, tiles } = shown();
  click(view, tiles[0], { shiftKey: true });
  assert.deepEqual(sent.pop(), ["second", [1, 1]]);
  click(view, tiles[2], { shiftKey: true });
  assert.deepEqual(sent.pop(), ["click", [1, 3]]);
  view.pointerdown({ target: tiles[3].face }, tiles[3]);
  mock.timers.tick(399);
  assert.deepEqual(sent, []);
  mock.timers.tick(1);
  assert.deepEqual(sent.pop(), ["second", [2, 1]]);
  click(view, tiles[3], { detail: 1 }); // the end of the press
  assert.deepEqual(sent, []);
  click(view, tiles[3], { detail: 1 });
  assert.deepEqual(sent.pop(), ["click", [2, 1]]);
  view.pointerdown({ target: tiles[2].face }, tiles[2]);
  mock.timers.tick(400);
  assert.deepEqual(sent, []);
});

test("a map says its layer, its head, its strongest cell and what was measured", () => {
  const { view, tiles } = shown();
  const told = (n) => {
    view.focusin(null, tiles[n]);
    return view.live.textContent;
  };
  assert.equal(told(0), "layer 1 · head 1: q → k  0.5000\nprevious token");
  assert.equal(told(4), "layer 2 · head 2: r → l  0.5000");
  assert.equal(told(5), "layer 2 · mean: r → m  0.5000");
  const covered = shown({ covered: [0] });
  covered.view.focusin(null, covered.tiles[0]);
  assert.match(covered.view.live.textContent, /q → k {2}\?/); // a class has to guess it
});

test("a map has its letters, its signs, and is faint if another behaviour is looked for", () => {
  const { tiles, faces } = shown();
  assert.deepEqual(
    faces.map(({ ariaLabel }) => ariaLabel),
    [
      "open 1.1",
      "open 1.2, A",
      "open the mean of 1",
      "open 2.1, B",
      "open 2.2, B",
      "open the mean of 2, B",
    ],
  );
  assert.equal(tiles[0].chips.textContent, "P");
  assert.deepEqual(
    tiles.map(({ cell }) => cell.classList.contains("faint")),
    [false, true, false, false, false, false],
  );
});

test("maps are as wide as their tokens, but no strips", () => {
  const ratio = (queries, keys) => {
    const { faces } = shown({ shape: [2, 3, queries, keys] });
    return faces[0].style.aspectRatio;
  };
  assert.equal(ratio(2, 2), 1);
  assert.equal(ratio(1, 6), 1 / 0.9);
  assert.equal(ratio(6, 1), 1 / 1.4);
});

test("pointing at a map tells the cell under the pointer", () => {
  const { view, tiles } = shown({ directions: ["ltr", "rtl"] });
  tiles[1].face.box = { left: 10, top: 20, width: 30, height: 20 };
  view.placeTip = () => {};
  const point = (clientX, clientY, tile = tiles[1], target = tile.face) =>
    view.pointermove({ target, clientX, clientY }, tile);
  point(25, 21); // the second key from the right
  assert.equal(view.tip.hidden, false);
  assert.equal(view.tip.textContent, "layer 1 · head 2\nq → l  0.5000");
  point(11, 39);
  assert.equal(view.tip.textContent, "layer 1 · head 2\nr → m  0.0000");
  view.pointermove({ target: tiles[0].chips }, tiles[0]); // beside its face
  assert.equal(view.tip.textContent, "layer 1 · head 1\n\nprevious token");
  view.pointermove({}, undefined);
  assert.equal(view.tip.hidden, true);
});
