// A line of options on a phone, which scrolls to the chosen option.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { showChosenSoon } from "../../web/app/tools/chosen_option.js";

// The line is 200 pixels wide and begins at 30. Each option is 100 pixels wide.
function lineOf(chosen, { scrollWidth = 500, scrollLeft = 0 } = {}) {
  const page = new FakePage();
  const line = page.add("div", { scrollWidth, clientWidth: 200, scrollLeft });
  line.box = { left: 30, top: 0, width: 200, height: 40 };
  const options = [0, 1, 2, 3, 4].map((n) => {
    const option = document.createElement("button");
    option.box = { left: 30 + 100 * n - scrollLeft, top: 0, width: 100, height: 40 };
    line.append(option);
    return option;
  });
  const choose = (n) => {
    options.forEach((option, at) => option.setAttribute("aria-checked", at === n));
  };
  choose(chosen);
  document.querySelectorAll = () => [line];
  return { page, line, choose };
}

function look(page) {
  showChosenSoon();
  page.frame(16);
}

test("the chosen option is moved to the middle of its line", () => {
  const { page, line } = lineOf(3);
  look(page);
  assert.equal(line.scrollLeft, 250); // the option begins at 300, and its line at 30
});

test("the chosen option is found even if the line was scrolled before", () => {
  const { page, line } = lineOf(3, { scrollLeft: 120 });
  look(page);
  assert.equal(line.scrollLeft, 250);
});

test("a menu that scrolls shows the current page in its middle", () => {
  const { page, line } = lineOf(null);
  line.children[3].classList.add("here");
  look(page);
  assert.equal(line.scrollLeft, 250);
});

test("a line that shows all of its options is not scrolled", () => {
  for (const scrollWidth of [200, 201]) {
    const { page, line } = lineOf(3, { scrollWidth });
    look(page);
    assert.equal(line.scrollLeft, 0);
  }
  const { page, line } = lineOf(3, { scrollWidth: 202 });
  look(page);
  assert.equal(line.scrollLeft, 250);
});

test("a line without a chosen option is not scrolled", () => {
  const { page, line } = lineOf(null);
  look(page);
  assert.equal(line.scrollLeft, 0);
});

test("after the visitor has scrolled the line, it moves only when another option is chosen", () => {
  const { page, line, choose } = lineOf(3);
  look(page);
  line.scrollLeft = 0;
  look(page);
  assert.equal(line.scrollLeft, 0);
  choose(2);
  look(page);
  assert.equal(line.scrollLeft, 150);
});

test("a line is scrolled again when its width changes", () => {
  const { page, line } = lineOf(3);
  look(page);
  for (const width of ["scrollWidth", "clientWidth"]) {
    line.scrollLeft = 0;
    line[width] += 20;
    look(page);
    assert.notEqual(line.scrollLeft, 0);
  }
});

test("many changes of a page cause one check, before the next painting", () => {
  const { page, line } = lineOf(3);
  showChosenSoon();
  showChosenSoon();
  assert.equal(line.scrollLeft, 0);
  assert.equal(page.frames.length, 1);
  page.frame(16);
  assert.equal(line.scrollLeft, 250);
});
