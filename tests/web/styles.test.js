// Firefox does not load the style sheet that a sanitised style element imports.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeElement, FakePage } from "./page.js";
import { loadStyles } from "../../web/app/tools/styles.js";

// As in a browser, a timer can hand values to its function.
const timers = [];
globalThis.setTimeout = (act, milliseconds, ...values) => timers.push([act, milliseconds, values]);
globalThis.clearTimeout = (id) => timers.splice(id - 1, 1);

// A page with a style element for each of these lists of rules; null has no sheet.
function pageWith(...lists) {
  timers.length = 0;
  const page = new FakePage();
  document.head = new FakeElement("head");
  page.root.append(document.head);
  for (const cssRules of lists) page.add("style", { sheet: cssRules && { cssRules } });
  const links = () => document.head.children.map(({ rel, href }) => `${rel} ${href}`);
  return { links };
}

const imported = (cssRules) => ({ href: "/page.css", styleSheet: cssRules && { cssRules } });

test("an empty imported sheet is linked, once", () => {
  const { links } = pageWith(null, [{ selectorText: "p" }], [imported([])]);
  loadStyles();
  loadStyles();
  assert.deepEqual(links(), ["stylesheet /page.css"]);
  assert.deepEqual(timers, []);
});

test("a sheet with rules is not linked", () => {
  const { links } = pageWith([imported([{}])], [{ selectorText: "p" }]);
  loadStyles();
  assert.deepEqual(links(), []);
});

test("while a sheet is loading it looks again four times a second, 20 times", () => {
  pageWith([imported(null)]);
  loadStyles();
  let looks = 0;
  while (timers.length) {
    const [act, milliseconds, values] = timers[0];
    assert.deepEqual([timers.length, milliseconds], [1, 250]);
    timers.length = 0;
    act(...values);
    looks += 1;
  }
  assert.equal(looks, 20);
});

test("a new call ends the earlier looks", (context) => {
  pageWith([imported(null)]);
  const clear = context.mock.method(globalThis, "clearTimeout");
  loadStyles();
  loadStyles();
  assert.equal(timers.length, 1);
  assert.equal(clear.mock.callCount(), 2);
});
