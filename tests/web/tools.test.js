// The tools of a page: their buttons, what they switch on, and that a new page replaces them.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakePage } from "./page.js";

mock.timers.enable({ apis: ["setTimeout"] });
const page = new FakePage();
document.head = page.add("head");
const events = new EventTarget();
for (const name of ["addEventListener", "dispatchEvent"])
  document[name] = events[name].bind(events);
globalThis.location = new URL("https://maps.example/?a=1");
globalThis.history = {
  state: null,
  pushState() {},
  replaceState: (_, __, url) => (globalThis.location = new URL(String(url), location)),
};
globalThis.CSS = { supports: () => true };
globalThis.localStorage = { getItem: () => null, setItem() {} };
for (const name of ["Element", "Range"]) {
  globalThis[name] = class {
    getBoundingClientRect() {}
  };
}
globalThis.Node = class {
  removeChild() {}

  insertBefore() {}
};
const observed = [];
globalThis.MutationObserver = class {
  constructor(act) {
    this.act = act;
  }

  observe(node, options) {
    observed.push([this, node, options]);
  }

  disconnect() {
    this.isOver = true;
  }
};
const { default: tools } = await import("../../web/app/tools/tools.js");

const PAYLOAD = {
  words: { present: "Present", copy: "Copy", copied: "Copied", by_hand: "By hand" },
  menu: {},
  lang: "fr",
  controls: { slider: ".slider", steps: ".steps" },
  light: { css: "", ink: "", swaps: {} },
};

// Shows the tools of a page. Returns what they send, and their buttons.
function shown(changes = {}) {
  const parentElement = page.add("div");
  const sent = [];
  const setTriggerValue = (...message) => sent.push(message);
  const end = tools({ data: { ...PAYLOAD, ...changes }, parentElement, setTriggerValue });
  return { sent, end, buttons: parentElement.children, view: parentElement.view };
}

test("the page has the language and the words of its tools, and figures their buttons", () => {
  const { buttons } = shown();
  assert.equal(page.root.lang, "fr");
  assert.deepEqual(
    buttons.map(({ textContent, className }) => [className, textContent]),
    [
      ["present", "Present"],
      ["copy", "Copy"],
    ],
  );
  assert.equal(page.root.hasAttribute("data-takes"), true);
});

test("a browser that lacks the standard for zoomed pages gets it", () => {
  shown();
  assert.ok("currentCSSZoom" in Element.prototype);
});

test("the button presents the page, and the server learns it", () => {
  const { sent, buttons } = shown();
  buttons[0].click();
  assert.equal(page.root.hasAttribute("data-present"), true);
  mock.timers.tick(500);
  assert.deepEqual(sent, [["presents", true]]);
  page.root.removeAttribute("data-present");
});

test("the button copies the address, or says that one has to do it by hand", async () => {
  for (const [isAllowed, message] of [
    [true, "Copied"],
    [false, "By hand"],
  ]) {
    const writeText = () => (isAllowed ? null : Promise.reject(new Error("forbidden")));
    Object.defineProperty(globalThis, "navigator", {
      value: { clipboard: { writeText } },
      configurable: true,
    });
    const { view } = shown();
    await view.copy();
    assert.equal(view.copyButton.textContent, message);
  }
});

test("every change of the page is observed, at any depth", () => {
  observed.length = 0;
  shown();
  const ofPage = observed.filter(([, node]) => node === page.body);
  assert.ok(ofPage.length > 0);
  for (const [, , options] of ofPage) {
    assert.deepEqual(options, { childList: true, subtree: true });
  }
  const link = page.add("a", { className: "own-tab" });
  for (const [{ act }] of ofPage) act([]);
  assert.equal(link.target, "_blank");
});

test("a page that has connected again asks the server for a run", () => {
  const app = page.add("div");
  app.setAttribute("data-test-connection-state", "CONNECTED");
  observed.length = 0;
  const { sent } = shown();
  const [[{ act }]] = observed.filter(([, node]) => node === app);
  act([]);
  assert.deepEqual(sent, [["again", true]]);
  app.remove();
});

test("keys and clicks are heard before the handlers of the page", (context) => {
  const add = context.mock.method(document, "addEventListener");
  shown();
  const given = add.mock.calls.map(({ arguments: [name, , options] }) => [name, options.capture]);
  assert.ok(given.filter(([name]) => name === "keydown").every(([, capture]) => capture));
  assert.deepEqual(given.at(-1), ["click", undefined]); // of the buttons of figures
});

test("new tools replace those before them, and a page without tools has none", () => {
  observed.length = 0;
  const first = shown();
  const [[ofFirst]] = observed;
  const second = shown();
  assert.equal(ofFirst.isOver, true);
  first.end();
  second.end();
  assert.equal(page.root.hasAttribute("data-takes"), false);
  const event = Object.assign(new Event("keydown"), { key: "p", composedPath: () => [page.body] });
  Object.defineProperty(event, "isTrusted", { value: true });
  document.dispatchEvent(event);
  assert.equal(page.root.hasAttribute("data-present"), false);
});

test("a figure asks the server through them", () => {
  const { sent, view } = shown();
  view.figures.askForFile(["heads", "csv"]);
  assert.deepEqual(sent, [["take", ["heads", "csv"]]]);
});

test("a page may be translated by the browser, and printed", () => {
  shown();
  assert.equal(Node.prototype.removeChild.isPatient, true);
  const box = page.add("div", { className: "token-table", scrollWidth: 9, clientWidth: 5 });
  const main = page.add("div", { className: "stMainBlockContainer stApp" });
  document.styleSheets = [];
  dispatchEvent(new Event("beforeprint"));
  assert.equal(box.hasAttribute("data-turned"), true);
  dispatchEvent(new Event("afterprint"));
  for (const part of [box, main]) part.remove();
});
