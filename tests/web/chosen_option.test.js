// A line of options on a phone, which scrolls to the option that was chosen.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakePage } from "./page.js";
import { showChosenSoon } from "../../web/app/tools/chosen_option.js";

mock.timers.enable({ apis: ["setTimeout"] });

// A line of 200 pixels that begins at 30. Each of its options is 100 pixels wide.
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

test("the chosen option is in the middle of its line", () => {
  const { line } = lineOf(3);
  look();
  assert.equal(line.scrollLeft, 250); // 300 from the left, 50 of them in the middle
});

test("it is there too if the line was scrolled before", () => {
  const { line } = lineOf(3, { scrollLeft: 120 });
  look();
  assert.equal(line.scrollLeft, 250);
});

test("a line that shows all of its options stays as it is", () => {
  for (const scrollWidth of [200, 201]) {
    const { line } = lineOf(3, { scrollWidth });
    look();
    assert.equal(line.scrollLeft, 0);
  }
  const { line } = lineOf(3, { scrollWidth: 202 });
  look();
  assert.equal(line.scrollLeft, 250);
});

test("a line without a chosen option stays as it is", () => {
  const { line } = lineOf(null);
  look();
  assert.equal(line.scrollLeft, 0);
});

test("who scrolls the line afterwards is left alone until another option is chosen", () => {
  const { line, choose } = lineOf(3);
  look();
  line.scrollLeft = 0;
  look();
  assert.equal(line.scrollLeft, 0);
  choose(2);
  look();
  assert.equal(line.scrollLeft, 150);
});

test("many changes of a page are one look, 0.2 seconds after the first one", () => {
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
