// Boxes that scroll can be reached by keys.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakePage } from "./page.js";
import { markScrollingSoon } from "../../web/app/tools/scroll.js";

mock.timers.enable({ apis: ["setTimeout"] });

// A box of 100 by 50 pixels with a content of this size.
function boxWith({ scrollWidth = 100, scrollHeight = 50, className = "token-table" }) {
  const page = new FakePage();
  const size = { clientWidth: 100, clientHeight: 50 };
  return page.add("div", { className, ...size, scrollWidth, scrollHeight });
}

function look() {
  markScrollingSoon();
  mock.timers.tick(200);
}

test("a box that scrolls has a tabindex and a mark, two pixels suffice", () => {
  for (const [content, scrolls] of [
    [{ scrollWidth: 102 }, true],
    [{ scrollWidth: 101 }, false],
    [{ scrollHeight: 52 }, true],
    [{ scrollHeight: 51 }, false],
    [{ scrollWidth: 300, scrollHeight: 300 }, true],
  ]) {
    const box = boxWith(content);
    look();
    assert.equal(box.hasAttribute("data-scrolls"), scrolls, JSON.stringify(content));
    assert.equal(box.tabIndex, scrolls ? 0 : undefined);
  }
});

test("a box that no longer scrolls loses both", () => {
  const box = boxWith({ scrollWidth: 300 });
  look();
  box.setAttribute("tabindex", 0);
  box.scrollWidth = 100;
  look();
  assert.deepEqual(
    ["data-scrolls", "tabindex"].map((name) => box.hasAttribute(name)),
    [false, false],
  );
});

test("a box that is marked already is left alone, other boxes are none of ours", () => {
  const box = boxWith({ scrollWidth: 300 });
  look();
  box.tabIndex = -1;
  look();
  assert.equal(box.tabIndex, -1);
  const other = boxWith({ scrollWidth: 300, className: "other" });
  look();
  assert.equal(other.tabIndex, undefined);
});

test("many changes of a page are one look, 0.2 seconds after the first one", () => {
  const box = boxWith({ scrollWidth: 300 });
  const isMarked = () => box.hasAttribute("data-scrolls");
  markScrollingSoon();
  mock.timers.tick(199);
  markScrollingSoon();
  assert.equal(isMarked(), false);
  mock.timers.tick(1);
  assert.equal(isMarked(), true);
  box.scrollWidth = 100;
  mock.timers.tick(1000);
  assert.equal(isMarked(), true);
});
