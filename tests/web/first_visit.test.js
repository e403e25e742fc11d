// Whether the page invites to a tour, and the translated menu of Streamlit.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { markFirstVisit } from "../../web/app/tools/first_visit.js";
import { translateMenu } from "../../web/app/tools/menu.js";

// A page in a browser with these stored data; null stores none.
function visited(stored) {
  const { root } = new FakePage();
  globalThis.localStorage = {
    getItem: (name) => stored.get(name) ?? null,
    setItem: (name, value) => stored.set(name, value),
  };
  markFirstVisit();
  return root.dataset.visit;
}

test("the first visit is marked, and later ones as such", () => {
  const stored = new Map();
  assert.deepEqual([visited(stored), visited(stored)], ["first", "again"]);
});

test("a page keeps its mark while the visitor goes from view to view", () => {
  const stored = new Map();
  assert.equal(visited(stored), "first");
  markFirstVisit();
  assert.equal(document.documentElement.dataset.visit, "first");
});

test("a browser that stores nothing is not invited at each visit", () => {
  assert.equal(visited(null), "again");
});

// A menu with texts, and an element whose name is for screen readers.
function menu(texts, ariaLabel) {
  const page = new FakePage();
  const place = page.add("div");
  place.setAttribute("data-testid", "stMainMenu");
  const named = document.createElement("button");
  Object.assign(named, { ariaLabel });
  named.setAttribute("aria-label", ariaLabel);
  place.append(named);
  const nodes = texts.map((data) => ({ data }));
  globalThis.NodeFilter = { SHOW_TEXT: 4 };
  document.createTreeWalker = () => {
    let n = -1;
    return {
      nextNode() {
        n += 1;
        this.currentNode = nodes[n];
        return n < nodes.length;
      },
    };
  };
  return { named, found: () => nodes.map(({ data }) => data) };
}

test("whole texts of the menu are translated, others stay", () => {
  const { found } = menu(["Print", "Print this", "toString"], "Close");
  translateMenu({ Print: "打印" });
  assert.deepEqual(found(), ["打印", "Print this", "toString"]);
});

test("names for screen readers follow each change of the language", () => {
  const { named } = menu([], "Close");
  for (const word of ["关闭", "Fermer"]) {
    translateMenu({ Close: word });
    assert.equal(named.ariaLabel, word);
  }
});
