// The grid of heads in the app: 2 layers with 2 heads each, and the mean of each layer.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakeElement, FakePage } from "./page.js";
import headGrid from "../../web/app/head_grid_component.js";

mock.timers.enable({ apis: ["setTimeout"] });
FakeElement.prototype.contains = function contains(node) {
  return node === this || this.children.some((child) => child.contains(node));
};

const MAX = 65535; // the number that represents `limit`
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
  seconds: 2, // heads that can be the second map
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
// Each map has 2 queries and 3 keys. Map n has its largest weight in cell n.
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

test("a click opens a head and gives its numbers to the large map at once", () => {
  const { view, sent, opened, tiles } = shown();
  click(view, tiles[5]); // the mean of layer 2, whose last cell is the largest
  assert.deepEqual(sent, [["click", [2, 3]]]);
  assert.deepEqual(opened, [Float32Array.of(0, 0, 0, 0, 0, 0.5)]);
});

test("a click on the open head sends no numbers", () => {
  const { view, sent, opened, tiles } = shown();
  click(view, tiles[1]);
  assert.deepEqual([sent, opened], [[["click", [1, 2]]], [null]]);
});

test("keys move to the next head and the next layer, and stop at the edges", () => {
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

test("from all heads of a layer, keys move to another layer's or to the first head", () => {
  const { sent, opened } = shown({ head: null });
  assert.equal(moved(1, 0), true);
  assert.deepEqual([sent, opened], [[["click", [2, 0]]], []]); // 0 means all heads
  assert.equal(moved(0, 1), true);
  assert.deepEqual(sent.at(-1), ["click", [1, 1]]);
});

test("a key event that another picture has handled does not move the selection", () => {
  const { sent } = shown();
  const event = new CustomEvent("move-head", { detail: [0, -1], cancelable: true });
  event.preventDefault();
  dispatchEvent(event);
  assert.deepEqual(sent, []);
});

test("the open head is pressed, and Tab focuses it", () => {
  const pressed = (changes) => shown(changes).faces.map(({ ariaPressed }) => ariaPressed);
  assert.deepEqual(pressed({}), [false, true, false, false, false, false]);
  assert.deepEqual(pressed({ layer: 2, head: null }), [false, false, false, true, true, true]);
  const tabs = (changes) => shown(changes).faces.map(({ tabIndex }) => tabIndex);
  assert.deepEqual(tabs({}), [-1, 0, -1, -1, -1, -1]);
  assert.deepEqual(tabs({ layer: 2, head: null }), [-1, -1, -1, 0, -1, -1]);
});

test("arrow keys move from map to map", () => {
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

test("Enter with Shift chooses a second head also where its click does not tell of Shift", () => {
  const { view, sent, tiles } = shown();
  const press = (tile, held) => {
    const event = { key: "Enter", shiftKey: true, target: tile.face, ...held };
    event.preventDefault = () => (event.isStopped = true);
    view.keydown(event, tile);
    if (!event.isStopped) click(view, tile); // as Firefox does
  };
  press(tiles[3]);
  assert.deepEqual(sent.pop(), ["second", [2, 1]]);
  press(tiles[3], { repeat: true });
  assert.deepEqual(sent, []); // the key is still down
  press(tiles[2]); // the mean
  assert.deepEqual(sent.pop(), ["click", [1, 3]]);
  press(tiles[3], { shiftKey: false });
  assert.deepEqual(sent.pop(), ["click", [2, 1]]);
});

test("Space with Shift chooses a second head, and its release makes no click", () => {
  const { view, sent, tiles } = shown();
  const event = (tile, held) => ({
    key: " ",
    shiftKey: true,
    target: tile.face,
    preventDefault() {
      this.isStopped = true;
    },
    ...held,
  });
  const press = (tile, held) => view.keydown(event(tile, held), tile);
  const release = (tile) => {
    const released = event(tile, { shiftKey: false }); // Shift was released before
    view.keyup(released, tile);
    if (!released.isStopped) click(view, tile); // as Firefox does, whatever `keydown` prevented
  };
  press(tiles[3]);
  press(tiles[3], { repeat: true });
  release(tiles[3]);
  assert.deepEqual(sent, [["second", [2, 1]]]);
  press(tiles[3], { shiftKey: false });
  release(tiles[3]);
  assert.deepEqual(sent.pop(), ["click", [2, 1]]);
  press(tiles[2]); // the mean
  release(tiles[2]);
  assert.deepEqual(sent.pop(), ["click", [1, 3]]);
  press(tiles[3]); // and released elsewhere
  press(tiles[0], { shiftKey: false });
  release(tiles[0]);
  assert.deepEqual(sent.pop(), ["click", [1, 1]]);
});

test("Shift or a long press chooses a second head, but never the mean", () => {
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
  click(view, tiles[3], { detail: 1 }); // the click at the end of the long press
  assert.deepEqual(sent, []);
  click(view, tiles[3], { detail: 1 });
  assert.deepEqual(sent.pop(), ["click", [2, 1]]);
  view.pointerdown({ target: tiles[2].face }, tiles[2]);
  mock.timers.tick(400);
  assert.deepEqual(sent, []);
});

test("the description of a map has its layer, head, largest cell and measured behaviour", () => {
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
  // covered, because a class has to guess the weight
  assert.match(covered.view.live.textContent, /q → k {2}\?/);
});

test("a map has its letters and labels, and is faint if it does not match the filter", () => {
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
  // as texts, because a saved picture has no content of style sheets
  assert.deepEqual(
    faces.map(({ textContent }) => textContent),
    ["", "A", "", "B", "B", "B"],
  );
  assert.equal(tiles[0].chips.textContent, "P");
  assert.deepEqual(
    tiles.map(({ cell }) => cell.classList.contains("faint")),
    [false, true, false, false, false, false],
  );
});

test("the shape of a map follows its numbers of tokens within limits", () => {
  const ratio = (queries, keys) => {
    const { faces } = shown({ shape: [2, 3, queries, keys] });
    return faces[0].style.aspectRatio;
  };
  assert.equal(ratio(2, 2), 1);
  assert.equal(ratio(1, 6), 1 / 0.9);
  assert.equal(ratio(6, 1), 1 / 1.4);
});

test("the tip of a map names the cell under the pointer", () => {
  const { view, tiles } = shown({ directions: ["ltr", "rtl"] });
  tiles[1].face.box = { left: 10, top: 20, width: 30, height: 20 };
  view.placeTip = () => {};
  const point = (clientX, clientY, tile = tiles[1], target = tile.face) =>
    view.pointermove({ target, clientX, clientY }, tile);
  point(25, 21); // from right to left this is the second key
  assert.equal(view.tip.hidden, false);
  assert.equal(view.tip.textContent, "layer 1 · head 2\nq → l  0.5000");
  point(11, 39);
  assert.equal(view.tip.textContent, "layer 1 · head 2\nr → m  0.0000");
  view.pointermove({ target: tiles[0].chips }, tiles[0]); // the pointer is on the chips of the tile
  assert.equal(view.tip.textContent, "layer 1 · head 1\n\nprevious token");
  view.pointermove({}, undefined);
  assert.equal(view.tip.hidden, true);
});

test("a column is named by the word and the number of its head, or as the mean", () => {
  const { view } = shown();
  const names = view.grid.querySelectorAll(".column-name");
  assert.deepEqual(
    names.map((name) => name.children.map(({ className }) => className).join()),
    ["long", "long", "mean"],
  );
  assert.deepEqual(
    names.map(({ textContent }) => textContent),
    ["head 1", "head 2", "mean"],
  );
  assert.equal(view.grid.style.gridTemplateColumns, "1.1rem repeat(3, minmax(0, 1fr))");
});

test("signs of a map are described by its button, not twice", () => {
  const { tiles } = shown();
  assert.equal(tiles[0].chips.ariaHidden, true);
  assert.equal(tiles[0].face.ariaDescription, "previous token");
});

test("the last head that may be the second map is one of them", () => {
  const { view } = shown({ seconds: 2 });
  assert.deepEqual(
    [1, 2, 3].map((head) => view.canBeSecond({ head })),
    [true, true, false],
  );
});

test("a click opens a head, also after a long press that ended elsewhere", () => {
  const { view, sent, tiles } = shown();
  click(view, tiles[0], { detail: 1 });
  assert.deepEqual(sent.pop(), ["click", [1, 1]]);
  view.pointerdown({ target: tiles[3].face }, tiles[3]);
  mock.timers.tick(400);
  sent.length = 0;
  view.pointerdown({ target: tiles[0].face }, tiles[0]); // the press before ended elsewhere
  click(view, tiles[0], { detail: 1 });
  assert.deepEqual(sent, [["click", [1, 1]]]);
});

test("a pointer that leaves the grid hides the tip", () => {
  const { view } = shown();
  view.tip.hidden = false;
  view.grid.onpointerleave();
  assert.equal(view.tip.hidden, true);
});

test("queries are in the first language, keys in the second", () => {
  const { view, tiles } = shown();
  view.focusin(null, tiles[0]);
  const [query, key] = view.live.querySelectorAll("bdi");
  assert.deepEqual([query.lang, key.lang], ["en", "fr"]);
});

// Paints all maps at places of a grid at (100, 200), of this size. Notes what is painted.
function painted({ width = 30, height = 20, ...changes } = {}) {
  const { view, tiles } = shown(changes);
  globalThis.getComputedStyle = () => ({ getPropertyValue: () => '["#000000", "#ffffff"]' });
  const images = [];
  view.map.getContext = () => ({
    createImageData: (w, h) => ({ data: { buffer: new ArrayBuffer(4 * w * h) } }),
    putImageData() {},
  });
  view.grid.box = { left: 100, top: 200, width: 300, height: 100 };
  tiles.forEach(({ face }, n) => {
    face.box = { left: 100.4 + 40 * n, top: 210.6, width: width + 0.4, height };
  });
  const drawn = [];
  view.paint({
    drawImage(image, ...box) {
      images.push(Array.from(image.cells.colours, (colour) => colour & 255));
      drawn.push([box, this.imageSmoothingEnabled]);
    },
  });
  return { images, drawn };
}

test("each map is painted in its place, on whole pixels", () => {
  const { drawn } = painted();
  assert.deepEqual(
    drawn.map(([box]) => box),
    [0, 40, 80, 120, 160, 200].map((x) => [x, 11, 30, 20]),
  );
});

test("the strongest cell is white, the others are black, in the order of the keys", () => {
  const { images } = painted();
  assert.deepEqual(images[1], [0, 255, 0, 0, 0, 0]);
  assert.deepEqual(images[3], [0, 0, 0, 255, 0, 0]);
  const fromRight = painted({ directions: ["ltr", "rtl"] });
  assert.deepEqual(fromRight.images[3], [0, 0, 0, 0, 0, 255]);
  const rows = painted({ directions: ["rtl", "ltr"] });
  assert.deepEqual(rows.images[3], [0, 0, 0, 255, 0, 0]);
});

test("the high byte of a number is its colour", () => {
  const before = CELLS.slice(0, 3);
  CELLS.set([0x0100, 0x80ff, 0xff00]);
  const { images } = painted();
  CELLS.set(before);
  assert.deepEqual(images[0].slice(0, 3), [1, 128, 255]);
});

test("a map is smooth only where it has more cells than pixels, in one direction at least", () => {
  const isSmooth = (width, height) => painted({ width, height }).drawn[0][1];
  assert.deepEqual(
    [isSmooth(3, 2), isSmooth(2, 2), isSmooth(3, 1), isSmooth(2, 1)],
    [false, true, true, true],
  );
});

test("the table has the strongest cell of every head", () => {
  const { view } = shown();
  const [table] = view.tables();
  assert.equal(table.querySelector("caption").textContent, "strongest");
  assert.deepEqual(
    table.querySelectorAll("tbody tr").map((row) => row.children.map((cell) => cell.textContent)),
    [
      ["layer 1", "q → k  0.5000\nprevious token", "q → l  0.5000", "q → m  0.5000"],
      ["layer 2", "r → k  0.5000", "r → l  0.5000", "r → m  0.5000"],
    ],
  );
});

test("another head of the same layer is another map", () => {
  const { view, opened, tiles } = shown();
  click(view, tiles[0]); // the strongest cell of the first map is its first one
  assert.deepEqual(opened, [Float32Array.of(0.5, 0, 0, 0, 0, 0)]);
});

test("a clicked map is pressed before the server answers", () => {
  const { view, tiles, faces } = shown();
  click(view, tiles[3]);
  const pressed = faces.map(({ ariaPressed }) => ariaPressed);
  assert.deepEqual(pressed, [false, false, false, true, false, false]);
});
