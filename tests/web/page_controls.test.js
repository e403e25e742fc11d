// The keys of a clicker and the play button, which press the controls of a page.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakeInput, FakePage } from "./page.js";
import {
  goOn,
  hasSteps,
  playedSlider,
  reveal,
  rewind,
  setControls,
  step,
  stepLayer,
  switchLanguage,
} from "../../web/app/tools/page_controls.js";
import { isPlaying, onPlayEvent, play } from "../../web/app/tools/play.js";
import { onStepKey } from "../../web/app/tools/step_keys.js";

mock.timers.enable({ apis: ["setTimeout"] });

setControls({
  slider: ".slider",
  next: ".next",
  back: ".back",
  steps: ".steps",
  cases: [".case"],
  answer: ".answer",
  across: [".head"],
  down: [".layer"],
  language: [".language"],
  reveal: ".reveal",
  views: [".view"],
  here: ".here",
});

let page = null;

// Makes a page with its controls, and a list of the pressed controls.
function pageWith(...parts) {
  page = new FakePage();
  globalThis.location = { pathname: "/", search: "" };
  const pressed = [];
  for (const [className, properties] of parts) {
    page.add("button", { className, ...properties, click: () => pressed.push(className) });
  }
  return pressed;
}

function addSlider(value, { min = 0, max = 3, ...others } = {}) {
  const slider = Object.assign(new FakeInput("input"), {
    className: "slider",
    min,
    max,
    ...others,
  });
  slider.value = value;
  const keys = [];
  for (const name of ["keydown", "keyup"]) {
    slider.addEventListener(name, ({ key }) => keys.push(`${name} ${key}`));
  }
  page.body.append(slider);
  return { slider, keys };
}

// Makes radio buttons, one of them chosen. Returns the list of the clicked buttons.
function radios(selector, length, chosen) {
  const clicked = [];
  const options = Array.from({ length }, (_, n) => ({
    ariaChecked: String(n === chosen),
    click: () => clicked.push(n),
  }));
  const find = document.querySelectorAll;
  document.querySelectorAll = (given) =>
    given === `${selector} [role=radio]` ? options : find(given);
  return clicked;
}

test("the buttons of a lesson are used before its slider", () => {
  const pressed = pageWith(["next", { disabled: false }], ["back", { disabled: true }]);
  const { slider } = addSlider(1);
  assert.equal(step(1), true);
  assert.equal(step(-1), false); // there is no step before this one
  assert.deepEqual([pressed, slider.value], [["next", "back"], "1"]);
});

test("a slider moves by its step, and reports whether it can move further", () => {
  pageWith();
  const { slider, keys } = addSlider(1);
  assert.equal(step(1), true);
  assert.equal(slider.value, "2");
  assert.deepEqual(keys, ["keydown ArrowRight", "keyup ArrowRight"]);
  assert.equal(step(1), false);
  assert.equal(slider.value, "3");
  step(-1);
  assert.deepEqual([slider.value, keys.at(-1)], ["2", "keyup ArrowLeft"]);
  slider.step = "0.5";
  step(1);
  assert.equal(slider.value, "2.5");
});

test("without steps and a slider, the next head is chosen", () => {
  pageWith();
  const clicked = radios(".head", 3, 1);
  assert.deepEqual([step(1), step(-1), clicked], [true, true, [2, 0]]);
});

test("the last option has no next option, and a single option is no choice", () => {
  pageWith();
  const clicked = radios(".head", 3, 2);
  assert.equal(step(1), false);
  pageWith();
  const single = radios(".head", 1, 0);
  assert.equal(step(1), false); // there is no grid either
  assert.deepEqual([clicked, single], [[], []]);
});

test("layers are chosen by a control, or else in the grid of heads", () => {
  pageWith();
  const asked = [];
  addEventListener("move-head", (event) => asked.push(event.detail));
  stepLayer(-1);
  step(1);
  assert.deepEqual(asked, [
    [-1, 0],
    [0, 1],
  ]);
  const clicked = radios(".layer", 2, 1);
  stepLayer(-1);
  assert.deepEqual([clicked, asked.length], [[0], 2]);
});

test("a grid reports whether it has the next head", () => {
  pageWith();
  addEventListener("move-head", (event) => event.preventDefault());
  assert.equal(step(1), true);
});

test("the other language is the option before or after the chosen one", () => {
  for (const chosen of [0, 1]) {
    pageWith();
    const clicked = radios(".language", 2, chosen);
    switchLanguage();
    assert.deepEqual(clicked, [1 - chosen]);
  }
});

test("a row is revealed only on a page with rows, and only a lesson has steps", () => {
  const pressed = pageWith(["reveal"], ["steps"]);
  reveal();
  assert.deepEqual([pressed, hasSteps()], [["reveal"], true]);
  pageWith();
  reveal();
  assert.equal(hasSteps(), false);
});

test("a clicker goes through the steps of a slider, then to the next view", () => {
  pageWith();
  const { slider } = addSlider(2);
  const views = radios(".view", 2, 0);
  goOn(1);
  assert.deepEqual([slider.value, views], ["3", []]);
  goOn(1);
  assert.deepEqual([slider.value, views], ["3", [1]]);
  slider.value = 0;
  goOn(-1);
  assert.equal(slider.value, "0");
});

test("arrow keys and a clicker first write a token if the page shows a translation", () => {
  pageWith();
  const { slider } = addSlider(1);
  const details = [];
  addEventListener("token", (event) => {
    details.push(event.detail);
    event.preventDefault();
  });
  goOn(-1);
  assert.equal(step(1), true);
  assert.deepEqual([details, slider.value], [[-1, 1], "1"]);
});

test("past the last view a clicker opens the next page, before the first the previous", () => {
  pageWith();
  const opened = [];
  const entry = (name) => ({ querySelector: () => ({ click: () => opened.push(name) }) });
  const here = { nextElementSibling: entry("below"), previousElementSibling: entry("above") };
  const other = { closest: () => ({}) };
  document.querySelectorAll = (selector) =>
    selector === ".here" ? [other, { closest: () => here }] : []; // the last match counts
  goOn(1);
  goOn(-1);
  assert.deepEqual(opened, ["below", "above"]);
});

test("a slider can be moved to its first step", () => {
  pageWith();
  const { slider, keys } = addSlider(3, { min: 1 });
  assert.equal(rewind(slider), true);
  assert.deepEqual([slider.value, keys[0]], ["1", "keydown Home"]);
  slider.max = 1;
  assert.equal(rewind(slider), false);
});

function answered() {
  const app = page.add("div");
  app.setAttribute("data-test-script-state", "notRunning");
}

test("playing moves the slider every 1.2 seconds, and stops at its end", () => {
  pageWith();
  answered();
  const { slider } = addSlider(0);
  play(true);
  assert.deepEqual([slider.value, isPlaying()], ["1", true]);
  assert.ok(page.root.hasAttribute("data-playing"));
  mock.timers.tick(1199);
  assert.equal(slider.value, "1");
  mock.timers.tick(1);
  assert.equal(slider.value, "2");
  mock.timers.tick(1200);
  assert.deepEqual([slider.value, isPlaying()], ["3", false]);
  assert.ok(!page.root.hasAttribute("data-playing"));
});

test("playing at the end starts from the beginning", () => {
  pageWith();
  answered();
  const { slider } = addSlider(3);
  play(true);
  assert.deepEqual([slider.value, isPlaying()], ["0", true]);
  play(false);
});

test("the first play of each sentence begins at the first step, if the page opens later", () => {
  pageWith();
  answered();
  const button = page.add("button");
  button.setAttribute("data-play", "");
  button.setAttribute("data-opens-later", "");
  const { slider } = addSlider(1);
  const playFrom1 = (search) => {
    location.search = search;
    slider.value = "1";
    play(true);
    play(false);
    return slider.value;
  };
  assert.equal(playFrom1("?sentence=Hello."), "0");
  assert.equal(playFrom1("?sentence=Hello.&learning.step=1"), "2");
  assert.equal(playFrom1("?sentence=Goodbye."), "0");
});

test("playing waits until the server has answered and the page shows the step", () => {
  pageWith();
  const { slider } = addSlider(0);
  play(true);
  mock.timers.tick(3000);
  assert.equal(slider.value, "1");
  answered();
  slider.style.setProperty("--at", "0"); // the page still shows the first step
  mock.timers.tick(3000);
  assert.equal(slider.value, "1");
  slider.style.setProperty("--at", "1");
  mock.timers.tick(100);
  assert.equal(slider.value, "2");
  play(false);
});

test("a button can set its own time per step", () => {
  pageWith();
  answered();
  const button = page.add("button");
  button.setAttribute("data-play", "300");
  button.dataset.play = 300; // a browser's timer accepts a text, but the fake timer does not
  const { slider } = addSlider(0);
  play(true);
  mock.timers.tick(300);
  assert.equal(slider.value, "2");
  play(false);
});

test("playing stops on another page, in a hidden window, and with reduced motion", () => {
  for (const change of [
    () => page.body.replaceChildren(),
    () => (document.hidden = true),
    () => (page.isStill = true),
  ]) {
    pageWith();
    answered();
    addSlider(0, { max: 9 });
    play(true);
    assert.ok(isPlaying());
    change();
    mock.timers.tick(1200);
    assert.ok(!isPlaying());
  }
});

function playEvent(type, target, isTrusted = true) {
  onPlayEvent({ type, target, isTrusted });
}

test("a click on the button starts or pauses, and every other click pauses", () => {
  pageWith();
  answered();
  const button = page.add("button");
  button.setAttribute("data-play", "");
  const other = page.add("p");
  const { slider } = addSlider(0, { max: 9, type: "range" });
  playEvent("click", button, false); // a click by a script
  assert.ok(!isPlaying());
  playEvent("pointerdown", button); // the click follows
  assert.ok(!isPlaying());
  playEvent("click", button);
  assert.ok(isPlaying());
  playEvent("click", button);
  assert.ok(!isPlaying());
  for (const [type, target] of [
    ["click", other],
    ["pointerdown", other],
    ["keydown", slider],
  ]) {
    play(true);
    playEvent("keydown", other); // a key on another element
    assert.ok(isPlaying());
    playEvent(type, target);
    assert.ok(!isPlaying(), type);
  }
  playEvent("click", other);
  assert.ok(!isPlaying());
});

test("a clicker's keys change the steps of a lesson, even without presentation mode", () => {
  const pressed = pageWith(["steps"], ["next"], ["back"]);
  let prevented = 0;
  const press = (key, held = {}) =>
    onStepKey({ key, ...held, preventDefault: () => (prevented += 1), stopPropagation() {} });
  press("PageDown");
  press("PageUp");
  assert.deepEqual([pressed, prevented], [["next", "back"], 2]);
  for (const held of ["ctrlKey", "metaKey", "altKey", "shiftKey", "defaultPrevented"]) {
    press("PageDown", { [held]: true });
  }
  press("ArrowRight");
  assert.equal(pressed.length, 2);
  pageWith(["next"]);
  press("PageDown"); // this page is no lesson
  assert.equal(prevented, 2);
});

test("a clicker shows the other case and the answer of a step before the next step", () => {
  const event = { preventDefault() {}, stopPropagation() {} };
  const pressed = pageWith(["steps"], ["next"], ["back"]);
  const clicked = radios(".case", 2, 0);
  onStepKey({ key: "PageDown", ...event });
  assert.deepEqual([pressed, clicked], [[], [1]]);
  onStepKey({ key: "PageUp", ...event });
  assert.deepEqual([pressed, clicked], [["back"], [1]]);

  const pressedLater = pageWith(["steps"], ["next"]);
  const clickedLater = radios(".case", 2, 1);
  onStepKey({ key: "PageDown", ...event });
  assert.deepEqual([pressedLater, clickedLater], [["next"], []]);

  const asked = pageWith(["steps"], ["next"], ["answer"]);
  onStepKey({ key: "PageDown", ...event });
  assert.deepEqual(asked, ["answer"]);
});

test("a page without a slider has no slider that can be played", () => {
  pageWith();
  assert.equal(playedSlider(), null);
});

test("a single option leaves the step to the grid of heads", () => {
  pageWith();
  radios(".head", 1, 0);
  addEventListener("move-head", (event) => event.preventDefault());
  assert.equal(step(1), true);
});

test("a clicker presses the buttons of a lesson, and then goes on to the next view", () => {
  const pressed = pageWith(["next", { disabled: false }], ["back", { disabled: true }]);
  const views = radios(".view", 3, 1);
  goOn(1);
  assert.deepEqual([pressed, views], [["next"], []]);
  goOn(-1); // the first step has none before it
  assert.deepEqual([pressed, views], [["next", "back"], [0]]);
});

test("a clicker that has written a token stays in its view", () => {
  pageWith();
  const views = radios(".view", 2, 0);
  let isCancelable = false;
  addEventListener("token", (event) => {
    isCancelable = event.cancelable;
    event.preventDefault();
  });
  goOn(1);
  assert.deepEqual([isCancelable, views], [true, []]);
});

test("a clicker moves by the step of a slider, down to its first value", () => {
  pageWith();
  const { slider } = addSlider(2, { step: 2, max: 4 });
  const views = radios(".view", 3, 1);
  goOn(1);
  assert.equal(slider.value, "4");
  goOn(-1);
  goOn(-1);
  assert.deepEqual([slider.value, views], ["0", []]);
  goOn(-1);
  assert.deepEqual([slider.value, views], ["0", [0]]);
});

test("a step beyond the end of a slider is none, so a clicker opens the next view", () => {
  pageWith();
  const { slider } = addSlider(2, { step: 2, max: 3 });
  const views = radios(".view", 2, 0);
  goOn(1);
  assert.deepEqual([slider.value, views], ["2", [1]]);
});

test("without a slider a clicker goes from head to head in the grid, within a layer", () => {
  pageWith();
  const asked = [];
  addEventListener("move-head", ({ detail }) => asked.push(detail));
  goOn(1);
  assert.deepEqual(asked, [[0, 1]]);
});

test("React hears the events of a slider at the root of the page", () => {
  pageWith();
  const { slider } = addSlider(1);
  const heard = [];
  for (const name of ["keydown", "input", "keyup"]) {
    slider.addEventListener(name, ({ type, bubbles }) => heard.push(`${type} ${bubbles}`));
  }
  step(1);
  assert.deepEqual(heard, ["keydown true", "input true", "keyup true"]);
});
