// Matrices in the app: a head that was clicked is shown before the server answers.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakeElement, FakePage } from "./page.js";
import matrices from "../../web/app/matrices_component.js";

mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
let now = 0;
mock.method(performance, "now", () => now);

globalThis.innerHeight = 900;
FakeElement.prototype.getRootNode = function root() {
  return { host: document.body };
};

const MATRIX = {
  rows: 1,
  columns: 2,
  groups: 1,
  group: null,
  large: true,
  spread: false,
  directions: ["ltr", "ltr"],
  rowLabels: ["q"],
  columnLabels: ["k", "l"],
  notes: ["a note"],
  covered: [],
  frames: [[0, 0]],
  scale: "weights",
  limit: 1,
  title: "m",
  caption: "",
  languages: [null, null],
  inFull: {},
};

function packed(header, cells) {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(4 + json.length + 4 * cells.length);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  bytes.set(new Uint8Array(Float32Array.from(cells).buffer), 4 + json.length);
  return bytes;
}

// A page with one map, or with as many matrices as there are pairs of cells.
function shown({ cells = [0.25, 0.75], ...header } = {}) {
  const page = new FakePage();
  globalThis.getComputedStyle = () => ({
    fontSize: "14px",
    fontFamily: "serif",
    getPropertyValue: () => '["#000000", "#ffffff"]',
  });
  document.createElement = ((create) => (name) => {
    const made = create(name);
    const brush = made.getContext();
    brush.createImageData = (w, h) => ({ data: { buffer: new ArrayBuffer(4 * w * h) } });
    brush.putImageData = () => {};
    Object.assign(made, { clientWidth: 640, offsetWidth: 0 });
    return made;
  })(document.createElement);
  const count = cells.length / 2;
  const payload = {
    matrices: Array.from({ length: count }, () => MATRIX),
    operators: Array(count - 1).fill("="),
    largest: 44,
    links: [],
    clickable: true,
    follows: true,
    opens: "",
    clicked: null,
    ...header,
  };
  const sent = [];
  const parentElement = page.body;
  const show = (more = {}) =>
    matrices({
      data: packed({ ...payload, ...more }, cells),
      parentElement,
      setTriggerValue: (...message) => sent.push(message),
    });
  const stop = show();
  const { view } = parentElement;
  view.draw();
  const values = (n = 0) => [...view.maps[n].matrix.values];
  const isAhead = () => page.body.hasAttribute("data-ahead");
  const click = (numbers) => {
    const detail = numbers && Float32Array.from(numbers);
    dispatchEvent(new CustomEvent("clicked-head", { detail }));
  };
  return { page, view, show, stop, sent, values, isAhead, click };
}

test("the numbers of all matrices come one after another", () => {
  const { values } = shown({ cells: [1, 2, 3, 4, 5, 6] });
  assert.deepEqual(
    [values(0), values(1), values(2)],
    [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
  );
});

test("a map shows a clicked head at once, without the notes and frames of the former", () => {
  const { view, values, isAhead, click } = shown();
  assert.equal(isAhead(), false);
  click([0.5, 0.125]);
  assert.deepEqual([values(), isAhead()], [[0.5, 0.125], true]);
  const { notes, frames, title } = view.maps[0].matrix;
  assert.deepEqual([notes, frames, title], [[], [], "m"]);
});

test("hidden cells stay hidden", () => {
  const { values, click } = shown({ cells: [0.25, NaN] });
  click([0.5, 0.125]);
  assert.deepEqual(values(), [0.5, NaN]);
});

test("the answer of the server replaces the numbers of the clicked head", () => {
  const { show, values, isAhead, click } = shown();
  click([0.5, 0.125]);
  show();
  assert.deepEqual([values(), isAhead()], [[0.25, 0.75], false]);
  click([0.5, 0.125]); // the map still follows the grid
  assert.equal(isAhead(), true);
});

test("without an answer within 3 seconds the numbers of the server come back", () => {
  const { values, isAhead, click } = shown();
  click([0.5, 0.125]);
  mock.timers.tick(2999);
  assert.equal(isAhead(), true);
  mock.timers.tick(1);
  assert.deepEqual([values(), isAhead()], [[0.25, 0.75], false]);
});

test("an answer stops the clock of an earlier click", () => {
  const { show, isAhead, click } = shown();
  click([0.5, 0.125]);
  mock.timers.tick(2000);
  show();
  click([0.5, 0.125]);
  mock.timers.tick(1000);
  assert.equal(isAhead(), true);
});

test("a click on the head that is shown, or on a map of another size, shows the server's", () => {
  const { values, isAhead, click } = shown();
  for (const numbers of [null, [1, 2, 3]]) {
    click([0.5, 0.125]);
    click(numbers);
    assert.deepEqual([values(), isAhead()], [[0.25, 0.75], false]);
  }
});

test("a map that does not follow the grid stays", () => {
  const { isAhead, click } = shown({ follows: false });
  click([0.5, 0.125]);
  assert.equal(isAhead(), false);
});

// Waits in steps in which the page looks.
function wait(milliseconds) {
  for (let n = 0; n < milliseconds; n += 100) {
    now += 100;
    mock.timers.tick(100);
  }
}

// Clicks on a cell that opens `.opened`, and answers. Notes whether the element is scrolled to.
function openCell(changes = {}) {
  const state = shown({ opens: ".opened", ...changes });
  const scrolled = [];
  const answer = () =>
    state.page.add("div", { className: "opened", scrollIntoView: (how) => scrolled.push(how) });
  state.view.choose(state.view.maps[0], [0, 1]);
  assert.deepEqual(state.sent, [["click", [0, 0, 1]]]);
  state.show({ clicked: [0, 0, 1], opens: ".opened", ...changes });
  return { ...state, scrolled, answer };
}

test("the page scrolls once to what a click on a cell opens, when it comes", () => {
  const { scrolled, answer } = openCell();
  wait(500);
  answer();
  wait(100);
  assert.deepEqual(scrolled, [{ block: "nearest", behavior: "smooth" }]);
  wait(3000);
  assert.equal(scrolled.length, 1);
});

test("the page does not scroll to what comes after more than 3 seconds", () => {
  const { scrolled, answer } = openCell();
  wait(3100);
  answer();
  wait(1000);
  assert.deepEqual(scrolled, []);
});

test("the page scrolls to what comes in the third second, too", () => {
  const { scrolled, answer } = openCell();
  wait(2900);
  answer();
  wait(200);
  assert.equal(scrolled.length, 1);
});

test("nothing is scrolled to without a click, or where nothing is opened or clicked", () => {
  for (const changes of [{ opens: "" }, { clicked: null }]) {
    const { scrolled, answer } = openCell(changes);
    answer();
    wait(500);
    assert.deepEqual(scrolled, [], JSON.stringify(changes));
  }
  const { show, scrolled, answer } = openCell();
  wait(3200);
  answer();
  show({ clicked: [0, 0, 1] }); // another run of the page, not an answer to a click
  wait(500);
  assert.deepEqual(scrolled, []);
});

test("a link to an opened cell does not scroll the page to it", () => {
  const { page } = shown({ opens: ".opened", clicked: [0, 0, 1] });
  let isScrolled = false;
  page.add("div", { className: "opened", scrollIntoView: () => (isScrolled = true) });
  wait(500);
  assert.equal(isScrolled, false);
});

test("a map that leaves the page no longer looks for what its click opens", () => {
  const { stop, scrolled, answer, view } = openCell();
  answer();
  view.stop();
  wait(500);
  assert.deepEqual(scrolled, []);
  stop();
});
