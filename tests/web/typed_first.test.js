// A link waits until the app has answered the typed text.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakeElement, FakePage } from "./page.js";
import { sendTypedTextFirst } from "../../web/app/tools/typed_first.js";

mock.timers.enable({ apis: ["setTimeout"] });
let now = 0;
mock.method(performance, "now", () => now);

function begun() {
  const page = new FakePage();
  globalThis.location = { search: "?sentence=It+rains." };
  const app = page.add("div");
  app.setAttribute("data-test-script-state", "notRunning");
  const box = page.add("div", { className: "stTextInput" });
  const input = new FakeElement("input");
  box.append(input);
  const followed = [];
  const addLink = (pathname) => {
    const link = page.add("a", { pathname, click: () => followed.push(link) });
    link.setAttribute("data-testid", "stPageLink-NavLink");
    return link;
  };
  const link = addLink("/heads");
  sendTypedTextFirst();
  return { page, app, input, link, addLink, followed };
}

// Types a text into a box, which then loses the focus.
function type(input, value) {
  input.value = value;
  fire("change", input);
}

// Clicks, and returns whether the click went on to Streamlit.
function click(target, held = {}) {
  let stopped = 0;
  const stop = () => (stopped += 1);
  fire("click", target, { ...held, preventDefault: stop, stopImmediatePropagation: stop });
  assert.ok(stopped === 0 || stopped === 2);
  return stopped === 0;
}

function fire(name, target, more = {}) {
  const event = new Event(name);
  Object.defineProperty(event, "target", { value: target });
  dispatchEvent(Object.assign(event, more));
}

function wait(milliseconds) {
  for (let n = 0; n < milliseconds; n += 20) {
    now += 20;
    mock.timers.tick(20);
  }
}

test("nothing waits if nothing was typed, or if something else was clicked or changed", () => {
  const { page, input, link } = begun();
  assert.equal(click(link), true);
  const choice = page.add("select");
  type(choice, "fr");
  assert.equal(click(link), true);
  type(input, "It snows.");
  assert.equal(click(page.add("p")), true);
  assert.equal(click(link), false);
});

test("a click right after typing follows the link once the address has the text", () => {
  const { input, link, followed } = begun();
  type(input, "It snows.");
  assert.equal(click(link), false);
  wait(100);
  assert.deepEqual(followed, []);
  location.search = "?sentence=It+snows.";
  wait(20);
  assert.deepEqual(followed, [link]);
  wait(10_000);
  assert.deepEqual(followed, [link]); // only once
  assert.equal(click(link), true); // later clicks need not wait
});

test("a link waits for the answer of the app, too", () => {
  const { app, input, link, followed } = begun();
  app.setAttribute("data-test-script-state", "running");
  type(input, "It rains.");
  assert.equal(click(link), false);
  wait(100);
  assert.deepEqual(followed, []);
  app.setAttribute("data-test-script-state", "notRunning");
  wait(20);
  assert.deepEqual(followed, [link]);
});

test("spaces make no difference", () => {
  const { input, link } = begun();
  type(input, "  It \n rains. ");
  assert.equal(click(link), true);
});

test("a click that opens another tab or window does not wait", () => {
  const { input, link } = begun();
  type(input, "It snows.");
  for (const held of ["ctrlKey", "metaKey", "shiftKey", "altKey"]) {
    assert.equal(click(link, { [held]: true }), true, held);
  }
  assert.equal(click(link, { button: 0 }), false);
});

test("a text that the app refuses holds the link for 5 seconds", () => {
  const { input, link, followed } = begun();
  type(input, "");
  click(link);
  wait(5000);
  assert.deepEqual(followed, []);
  wait(20);
  assert.deepEqual(followed, [link]);
});

test("without a click the page only forgets the text", () => {
  const { input, link, followed } = begun();
  type(input, "It snows.");
  location.search = "?sentence=It+snows.";
  wait(20);
  assert.deepEqual([followed, click(link)], [[], true]);
});

test("if the menu was drawn again, the new link to the same page is followed", () => {
  const { page, input, link, addLink, followed } = begun();
  type(input, "It snows.");
  click(link);
  link.remove();
  addLink("/scaling");
  const again = addLink("/heads");
  location.search = "?sentence=It+snows.";
  wait(20);
  assert.deepEqual(followed, [again]);
  assert.ok(page.body.children.includes(again));
});

test("two calls on a page follow a link only once", () => {
  const { input, link, followed } = begun();
  sendTypedTextFirst();
  type(input, "It snows.");
  click(link);
  location.search = "?sentence=It+snows.";
  wait(100);
  assert.deepEqual(followed, [link]);
});

test("no other script can keep a click or a change from being heard", (context) => {
  const add = context.mock.method(EventTarget.prototype, "addEventListener");
  begun();
  const given = add.mock.calls.map(({ arguments: [name, , options] }) => [name, options]);
  assert.deepEqual(given, [
    ["change", { capture: true }],
    ["click", { capture: true }],
  ]);
});
