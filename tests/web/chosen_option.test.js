// A line of options on a phone, which scrolls to the chosen option.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakePage } from "./page.js";
import { showChosenSoon } from "../../web/app/tools/chosen_option.js";

mock.timers.enable({ apis: ["setTimeout"] });

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
  return { line, choose };
}

function look() {
  showChosenSoon();
  mock.timers.tick(200);
}

test("the chosen option is moved to the middle of its line", () => {
  const { line } = lineOf(3);
  look();
  assert.equal(line.scrollLeft, 250); // the option begins at 300, and its line at 30
});

test("the chosen option is found even if the line was scrolled before", () => {
  const { line } = lineOf(3, { scrollLeft: 120 });
  look();
  assert.equal(line.scrollLeft, 250);
});

test("a menu that scrolls shows the current page in its middle", () => {
  const { line } = lineOf(null);
  line.children[3].classList.add("here");
  look();
  assert.equal(line.scrollLeft, 250);
});

test("a line that shows all of its options is not scrolled", () => {
  for (const scrollWidth of [200, 201]) {
    const { line } = lineOf(3, { scrollWidth });
    look();
    assert.equal(line.scrollLeft, 0);
  }
  const { line } = lineOf(3, { scrollWidth: 202 });
  look();
  assert.equal(line.scrollLeft, 250);
});

test("a line without a chosen option is not scrolled", () => {
  const { line } = lineOf(null);
  look();
  assert.equal(line.scrollLeft, 0);
});

test("after the visitor has scrolled the line, it moves only when another option is chosen", () => {
  const { line, choose } = lineOf(3);
  look();
  line.scrollLeft = 0;
  look();
  assert.equal(line.scrollLeft, 0);
  choose(2);
  look();
  assert.equal(line.scrollLeft, 150);
});

test("many changes of a page cause one check, 0.2 seconds after the first change", () => {
  const { line } = lineOf(3);
  showChosenSoon();
  mock.timers.tick(199);
  showChosenSoon();
  assert.equal(line.scrollLeft, 0);
  mock.timers.tick(1);
  assert.equal(line.scrollLeft, 250);
  line.scrollLeft = 0;
  mock.timers.tick(400);
  assert.equal(line.scrollLeft, 0);
});
