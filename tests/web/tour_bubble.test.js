// A tour of three steps. The server has sent the first two, which are on this page.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeElement, FakePage } from "./page.js";
import tour from "../../web/app/tour/tour.js";

FakeElement.prototype.checkVisibility = () => true;
FakeElement.prototype.showPopover = function showPopover() {
  this.setAttribute("popover-open", "");
};
FakeElement.prototype.hidePopover = function hidePopover() {
  this.removeAttribute("popover-open");
};
const { matches } = FakeElement.prototype;
FakeElement.prototype.matches = function isMatched(selector) {
  return selector === ":popover-open"
    ? this.hasAttribute("popover-open")
    : matches.call(this, selector);
};

const STEPS = [
  { n: 1, text: "first", label: "1 of 3", target: ".box", row: null },
  { n: 2, text: "second", label: "2 of 3", target: ".box", row: null },
];
const WORDS = { leave: "Leave", back: "Back", next: "Next", done: "Done" };

function begun(changes = {}) {
  const page = new FakePage();
  Object.assign(globalThis, { innerWidth: 1000, innerHeight: 600 });
  Object.assign(document, new FakeElement("document"));
  const target = new EventTarget();
  for (const name of ["addEventListener", "dispatchEvent"]) {
    document[name] = target[name].bind(target);
  }
  const main = page.add("div", { className: "stMain" });
  main.scrolled = [];
  main.scrollBy = (how) => main.scrolled.push(how);
  const box = page.add("div", { className: "box" });
  box.box = { left: 100, top: 100, width: 200, height: 50 };
  const begin = page.add("button", { className: "begin" });
  const sent = [];
  const parentElement = page.add("div");
  const data = { steps: STEPS, at: 1, of: 3, words: WORDS, begin: ".begin", ...changes };
  const setTriggerValue = (...message) => sent.push(message);
  const show = (more) => tour({ data: { ...data, ...more }, parentElement, setTriggerValue });
  show();
  const { view } = parentElement;
  Object.assign(view.bubble, { offsetWidth: 300, offsetHeight: 100 });
  return { page, view, sent, box, begin, main, show };
}

test("a step shows its text and its number, and the buttons have names", () => {
  const { view } = begun();
  assert.equal(view.text.textContent, "first");
  assert.deepEqual([view.place.textContent, view.bubble.ariaLabel], ["1 of 3", "1 of 3"]);
  const names = [view.leaveButton, view.backButton, view.nextButton].map(
    (each) => each.textContent,
  );
  assert.deepEqual(names, ["Leave", "Back", "Next"]);
  assert.equal(view.backButton.disabled, true);
  assert.equal(document.activeElement, view.bubble);
});

test("steps that were already sent follow at once, and others are requested", () => {
  const { view, sent } = begun();
  view.nextButton.click();
  assert.deepEqual([view.text.textContent, view.bubble.ariaBusy], ["second", "false"]);
  assert.equal(view.backButton.disabled, false);
  assert.deepEqual(sent, []);
  view.nextButton.click();
  assert.deepEqual([sent, view.bubble.ariaBusy], [[["click", 3]], "true"]);
  view.backButton.click();
  assert.equal(view.text.textContent, "first");
});

test("after the last step the tour ends", () => {
  const { view, sent, begin } = begun({ of: 2, at: 2 });
  assert.equal(view.nextButton.textContent, "Done");
  view.nextButton.click();
  assert.deepEqual(sent, [["click", 0]]);
  assert.equal(document.activeElement, begin);
  assert.ok(!view.bubble.hasAttribute("popover-open"));
});

test("arrow keys go from step to step, but not beyond the ends", () => {
  const { view, sent } = begun();
  const press = (key) => view.bubble.onkeydown({ key });
  press("ArrowLeft");
  assert.deepEqual([view.current, sent], [1, []]);
  press("ArrowRight");
  assert.equal(view.current, 2);
  press("a");
  assert.equal(view.current, 2);
  press("ArrowRight");
  assert.deepEqual(sent, [["click", 3]]);
  const last = begun({ of: 2, at: 2 });
  last.view.bubble.onkeydown({ key: "ArrowRight" });
  assert.deepEqual([last.view.current, last.sent], [2, []]); // a key never ends the tour
});

test("a run of the page keeps the visitor's step, unless the server sends another step", () => {
  const { view, show } = begun();
  view.nextButton.click();
  show({ at: 1 });
  assert.equal(view.current, 2);
  show({ at: 2 });
  show({ at: 1 });
  assert.equal(view.current, 1);
});

test("Escape ends the tour, but first closes an open list", () => {
  const { page, sent } = begun();
  const press = (key, init = {}) =>
    document.dispatchEvent(Object.assign(new Event("keydown", init), { key }));
  press("a");
  const list = page.add("ul");
  list.setAttribute("role", "listbox");
  press("Escape");
  assert.deepEqual(sent, []);
  list.removeAttribute("role");
  press("Escape");
  assert.deepEqual(sent, [["click", 0]]);
});

// Presses and releases the pointer at a point of the page, above these elements.
function clickAt(clientX, clientY, { path = [], isTrusted = true } = {}) {
  for (const name of ["pointerdown", "click"]) {
    const event = new Event(name);
    Object.defineProperty(event, "isTrusted", { value: isTrusted });
    Object.assign(event, { clientX, clientY, composedPath: () => path });
    document.dispatchEvent(event);
  }
}

test("a click outside the spotlight ends the tour, and a click inside does not", () => {
  for (const [x, y, leaves] of [
    [50, 120, true],
    [350, 120, true],
    [200, 50, true],
    [200, 200, true],
    [200, 120, false],
    [94, 94, false], // the corners belong to the spotlight
    [306, 156, false],
  ]) {
    const { view, sent } = begun();
    view.spot.box = { left: 94, top: 94, width: 212, height: 62 };
    clickAt(x, y);
    assert.equal(sent.length > 0, leaves, `${x}, ${y}`);
  }
});

test("a click on a usable element, on the bubble, or by a script does not end the tour", () => {
  const { page, view, sent } = begun();
  clickAt(500, 500, { path: [page.add("button")] });
  clickAt(500, 500, { path: [page.add("p"), view.bubble] });
  clickAt(500, 500, { isTrusted: false });
  assert.deepEqual(sent, []);
  clickAt(500, 500, { path: [page.add("p")] });
  assert.deepEqual(sent, [["click", 0]]);
});

test("the spotlight surrounds its target, and the bubble is 12 pixels below it", () => {
  const { page, view } = begun();
  page.frame(16);
  const { left, top, width, height } = view.spot.style;
  assert.deepEqual([left, top, width, height], ["94px", "94px", "212px", "62px"]);
  assert.deepEqual([view.bubble.style.left, view.bubble.style.top], ["94px", "168px"]);
});

test("if its target is missing, a step has no spotlight", () => {
  const { page, view, box } = begun();
  box.className = "";
  page.frame(16);
  assert.equal(view.spot.hidden, true);
  assert.deepEqual([view.bubble.style.left, view.bubble.style.top], ["350px", "488px"]);
});

test("if the bubble must cover the target, the spotlight ends above the bubble", () => {
  const { page, view, box } = begun();
  box.box = { left: 0, top: 0, width: 1000, height: 600 };
  page.frame(16);
  assert.equal(view.bubble.style.top, "488px");
  assert.deepEqual([view.spot.style.top, view.spot.style.height], ["0px", "476px"]); // 488 - 12
});

test("the page scrolls to a target below the window, as little as necessary", (context) => {
  const scrolled = (top, height, isStill = false) => {
    context.mock.method(performance, "now", () => 100);
    const { page, view, main, box } = begun();
    page.isStill = isStill;
    box.box = { left: 100, top: top + 6, width: 200, height: height - 12 };
    context.mock.method(performance, "now", () => 1000);
    page.frame(16);
    page.frame(16); // checks again only after a while
    assert.ok(main.scrolled.length < 2);
    view.stop();
    return main.scrolled[0];
  };
  // The bubble and three gaps of 12 pixels leave 464 of 600 pixels.
  assert.equal(scrolled(100, 64), undefined);
  assert.equal(scrolled(400, 64), undefined);
  assert.deepEqual(scrolled(401, 64), { top: 1, behavior: "smooth" });
  assert.deepEqual(scrolled(2, 64), { top: -10, behavior: "smooth" });
  assert.deepEqual(scrolled(100, 500, true), { top: 88, behavior: "instant" });
});

test("a bubble has the focus, but Tab does not lead to it; the page does not scroll for it", () => {
  const focused = [];
  const { focus } = FakeElement.prototype;
  FakeElement.prototype.focus = function focusWith(how) {
    focused.push([this.className, how]);
    focus.call(this);
  };
  const { view } = begun();
  view.leave();
  FakeElement.prototype.focus = focus;
  assert.equal(view.bubble.tabIndex, -1);
  assert.deepEqual(focused, [
    ["bubble", { preventScroll: true }],
    ["begin", { preventScroll: true }],
  ]);
});

test("an arrow key leads from the second step back to the first", () => {
  const { view } = begun({ at: 2 });
  view.bubble.onkeydown({ key: "ArrowLeft" });
  assert.equal(view.current, 1);
  view.bubble.onkeydown({ key: "ArrowLeft" });
  assert.equal(view.current, 1);
});

test("Escape closes an open dialog first, but leaves from one that lets the page be used", () => {
  for (const [role, isModal, sends] of [
    ["dialog", "true", 0],
    ["dialog", "false", 1],
  ]) {
    const { page, sent } = begun();
    const dialog = page.add("div");
    dialog.setAttribute("role", role);
    dialog.setAttribute("aria-modal", isModal);
    document.dispatchEvent(Object.assign(new Event("keydown"), { key: "Escape" }));
    assert.equal(sent.length, sends, isModal);
  }
});

test("a click that was pressed before the tour began does not leave it", () => {
  const { sent } = begun();
  const click = new Event("click");
  Object.defineProperty(click, "isTrusted", { value: true });
  Object.assign(click, { clientX: 900, clientY: 500, composedPath: () => [] });
  document.dispatchEvent(click);
  assert.deepEqual(sent, []);
});

test("spotlight and bubble are opened once, and again after the tour was left", () => {
  const shown = [];
  const { showPopover } = FakeElement.prototype;
  FakeElement.prototype.showPopover = function show() {
    assert.equal(this.hasAttribute("popover-open"), false);
    shown.push(this.className);
    showPopover.call(this);
  };
  const { view, show } = begun();
  view.nextButton.click();
  assert.deepEqual(shown, ["spot", "bubble"]);
  view.leave();
  show({ at: 1 });
  assert.deepEqual(shown, ["spot", "bubble", "spot", "bubble"]);
  FakeElement.prototype.showPopover = showPopover;
});

// Begins at 10,000 milliseconds with a target below the window, at which it has just looked.
function begunBelow(context) {
  let now = 10_000;
  context.mock.method(performance, "now", () => now);
  const state = begun();
  state.box.box = { left: 100, top: 900, width: 200, height: 50 };
  state.main.scrolled.length = 0;
  const frameAt = (milliseconds) => {
    now = 10_000 + milliseconds;
    state.page.frame(16);
    return state.main.scrolled.length;
  };
  return { ...state, frameAt };
}

test("while a page moves its content, it is scrolled every 0.4 seconds for 2.5", (context) => {
  const { frameAt } = begunBelow(context);
  assert.deepEqual([1, 400, 401, 801, 802].map(frameAt), [0, 0, 1, 1, 2]);
  assert.deepEqual([2499, 2500, 9000].map(frameAt), [3, 3, 3]);
  const late = begunBelow(context);
  assert.equal(late.frameAt(2500), 0);
});

test("another step scrolls again at once", (context) => {
  const { view, frameAt } = begunBelow(context);
  frameAt(401);
  assert.equal(frameAt(5000), 1);
  view.go(2);
  assert.equal(frameAt(5001), 2);
});

test("a visitor who scrolls is left alone", (context) => {
  for (const name of ["wheel", "touchmove"]) {
    const { view, frameAt } = begunBelow(context);
    frameAt(401);
    document.dispatchEvent(new Event(name));
    assert.equal(frameAt(1000), 1);
    view.stop();
  }
});

test("the browser need not wait for the tour to scroll", () => {
  const options = [];
  const { view } = begun();
  document.addEventListener = (name, _, how) => options.push([name, how.passive]);
  view.listen();
  assert.deepEqual(options, [
    ["keydown", undefined],
    ["pointerdown", undefined],
    ["click", undefined],
    ["wheel", true],
    ["touchmove", true],
  ]);
});

test("a target at the edge of the window is scrolled to 12 pixels below its top", (context) => {
  const { box, frameAt, main } = begunBelow(context);
  box.box = { left: 100, top: 18, width: 200, height: 50 }; // its spotlight begins at 12
  assert.equal(frameAt(500), 0);
  box.box.top = 17;
  assert.equal(frameAt(1000), 1);
  assert.equal(main.scrolled[0].top, -1);
});

test("a target that is partly beside the window is lit up to its edges", () => {
  const { page, view, box } = begun();
  box.box = { left: -50, top: -50, width: 100, height: 100 };
  page.frame(16);
  const { left, top, width, height } = view.spot.style;
  assert.deepEqual([left, top, width, height], ["0px", "0px", "56px", "56px"]);
});
