// Presentation mode: its keys, its place in the address, and what the server learns.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakeInput, FakePage } from "./page.js";
import { setControls } from "../../web/app/tools/page_controls.js";

mock.timers.enable({ apis: ["setTimeout"] });
const page = new FakePage();
const { keepPresenting, onKey, present } = await import("../../web/app/tools/present.js");

const isMarked = (name) => page.root.hasAttribute(`data-${name}`);
const written = []; // addresses
let told = []; // by the page to the server
let pressed = []; // controls of the page

globalThis.history = {
  state: null,
  replaceState: (_, __, address) => {
    written.push(String(address));
    globalThis.location = new URL(String(address));
  },
};
const arrive = () => keepPresenting((isOn) => told.push(isOn)); // the page has just been drawn

// A page as it is shown, with these controls.
function begin({ address = "https://maps.example/?a=1", isOn = false, controls = [] } = {}) {
  mock.timers.tick(500);
  for (const name of ["black", "code"]) page.root.removeAttribute(`data-${name}`);
  globalThis.location = new URL("https://maps.example/?a=1");
  page.body.replaceChildren();
  setControls({
    slider: ".slider",
    next: ".next",
    back: ".back",
    steps: ".steps",
    across: [],
    down: [],
    language: [],
    reveal: ".reveal",
    views: [],
    here: ".here",
    lesson: ".lesson",
  });
  pressed = [];
  for (const className of controls) {
    page.add("button", { className, click: () => pressed.push(className) });
  }
  arrive();
  present(isOn);
  mock.timers.tick(500);
  globalThis.location = new URL(address);
  told = [];
  written.length = 0;
}

// Presses a key. Returns whether the page has used it.
function press(key, { target = page.body, isTrusted = true, ...held } = {}) {
  let used = 0;
  onKey({
    key,
    isTrusted,
    ...held,
    composedPath: () => [target],
    preventDefault: () => (used += 1),
    stopPropagation: () => (used += 1),
  });
  assert.ok(used === 0 || used === 2);
  return used === 2;
}

test("P switches the mode on and off, and the address says so", () => {
  begin();
  assert.equal(press("p"), true);
  assert.equal(isMarked("present"), true);
  assert.equal(press("p"), true);
  assert.equal(isMarked("present"), false);
  assert.deepEqual(written, ["https://maps.example/?a=1&present=1", "https://maps.example/?a=1"]);
});

test("an address that already says it is not written again", () => {
  begin({ isOn: true, address: "https://maps.example/?present=1" });
  arrive();
  begin({ isOn: false });
  arrive();
  assert.deepEqual(written, []);
});

test("a page that comes without the parameter while it is presented gets it", () => {
  begin({ isOn: true, address: "https://maps.example/?present=0" });
  arrive();
  assert.deepEqual(written, ["https://maps.example/?present=1"]);
});

test("the server learns the mode half a second after the last key", () => {
  begin();
  press("p");
  mock.timers.tick(400);
  press("a"); // no key of ours, but the visitor is still typing
  mock.timers.tick(499);
  assert.deepEqual(told, []);
  mock.timers.tick(1);
  assert.deepEqual(told, [true]);
  press("a");
  mock.timers.tick(1000);
  assert.deepEqual(told, [true]);
});

test("the server learns nothing if the mode is the one that it knows", () => {
  begin();
  press("p");
  press("p");
  mock.timers.tick(1000);
  assert.deepEqual(told, []);
});

test("charts are told to adapt to the new width", () => {
  begin();
  let resized = 0;
  addEventListener("resize", () => (resized += 1));
  present(true);
  assert.equal(resized, 1);
});

test("most keys work only while the page is presented", () => {
  const keys = ["ArrowRight", "ArrowLeft", "PageDown", "Enter", "b", ".", "q", "l", " ", "Escape"];
  begin({ controls: ["next", "back", "reveal"] });
  assert.deepEqual(
    keys.filter((key) => press(key)),
    [],
  );
  begin({ isOn: true, controls: ["next", "back", "reveal"] });
  assert.deepEqual(
    keys.filter((key) => press(key)),
    keys,
  );
  begin({ isOn: true });
  assert.equal(press("x"), false);
});

test("arrows and a clicker go forward and back, Enter reveals", () => {
  begin({ isOn: true, controls: ["next", "back", "reveal"] });
  for (const key of ["ArrowRight", "ArrowLeft", "PageDown", "PageUp", "Enter"]) press(key);
  assert.deepEqual(pressed, ["next", "back", "next", "back", "reveal"]);
});

function addSlider(value) {
  const slider = Object.assign(new FakeInput("input"), { className: "slider", min: 0, max: 9 });
  slider.value = value;
  page.body.append(slider);
  return slider;
}

test("a slider moves by one step", () => {
  begin({ isOn: true });
  const slider = addSlider(5);
  const after = (key) => press(key) && slider.value;
  assert.deepEqual(["ArrowRight", "ArrowLeft", "PageDown", "PageUp"].map(after), [
    "6",
    "5",
    "6",
    "5",
  ]);
});

test("the upward and the downward arrow move by a layer", () => {
  begin({ isOn: true });
  const moves = [];
  addEventListener("move-head", ({ detail }) => moves.push(detail));
  press("ArrowDown");
  press("ArrowUp");
  assert.deepEqual(moves, [
    [1, 0],
    [-1, 0],
  ]);
});

test("B and a full stop make the screen black, and the next key of ours only lights it", () => {
  begin({ isOn: true, controls: ["next", "back"] });
  for (const key of ["b", "."]) {
    press(key);
    assert.equal(isMarked("black"), true);
    assert.equal(press("x"), false);
    assert.equal(isMarked("black"), true);
    assert.equal(press("ArrowRight"), true);
    assert.equal(isMarked("black"), false);
  }
  assert.deepEqual(pressed, []);
});

test("Q shows the code, and the mode ends without black and without code", () => {
  begin({ isOn: true });
  press("q");
  assert.equal(isMarked("code"), true);
  press("q");
  assert.equal(isMarked("code"), false);
  press("q");
  press("Escape");
  assert.deepEqual([isMarked("code"), isMarked("present")], [false, false]);
  begin({ isOn: true });
  press("b");
  present(true);
  assert.equal(isMarked("black"), false);
});

test("F5 begins to present, and reloads a presented page as usual", () => {
  begin();
  assert.equal(press("F5"), true);
  assert.equal(isMarked("present"), true);
  assert.equal(press("F5"), false);
  assert.equal(isMarked("present"), true);
});

test("on the start page both keys of a clicker open the lesson, once it is presented", () => {
  begin({ controls: ["lesson"] });
  assert.equal(press("PageDown"), false);
  press("F5");
  assert.equal(isMarked("present"), true);
  assert.deepEqual(pressed, []);
  assert.deepEqual([press("F5"), press("PageDown"), press("PageUp")], [true, true, true]);
  assert.deepEqual(pressed, ["lesson", "lesson"]);
  press("b");
  press("F5"); // lights the screen
  assert.deepEqual([pressed.length, isMarked("black")], [2, false]);
});

test("in a lesson with steps the keys of a clicker are left to it", () => {
  begin({ isOn: true, controls: ["steps", "next", "reveal"] });
  assert.deepEqual([press("PageDown"), press("PageUp")], [false, false]);
  assert.equal(press("Enter"), true);
  assert.deepEqual(pressed, ["reveal"]);
});

test("the space bar plays a picture, or else the page", () => {
  begin({ isOn: true });
  const app = page.add("div");
  app.setAttribute("data-test-script-state", "notRunning");
  addSlider(0);
  let isPicture = true;
  const begun = [];
  addEventListener("play", (event) => {
    begun.push(event.cancelable);
    if (isPicture) event.preventDefault();
  });
  press(" ");
  assert.deepEqual([begun, isMarked("playing")], [[true], false]);
  isPicture = false;
  press(" ");
  assert.equal(isMarked("playing"), true);
  press(" ");
  assert.equal(isMarked("playing"), false);
  press(" ");
  present(true);
  assert.equal(isMarked("playing"), true);
  present(false); // ends playing, too
  assert.equal(isMarked("playing"), false);
});

test("keys in a box, with another key, or of a script have their usual effect", () => {
  begin();
  assert.equal(press("p", { target: page.add("textarea") }), false);
  assert.equal(press("p", { ctrlKey: true }), false);
  assert.equal(press("p", { isTrusted: false }), false);
  assert.equal(isMarked("present"), false);
});
