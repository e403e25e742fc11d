// The sentence box grows, but a sentence has one line.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeElement, FakePage } from "./page.js";
import { fitSentences, keepOneLine } from "../../web/app/tools/sentence_box.js";

// Types into a box. Returns whether the browser may go on, and what the box then got.
function typed({ key = "choice-sentence", ...event }) {
  const page = new FakePage();
  const got = [];
  globalThis.KeyboardEvent = class extends Event {
    constructor(name, { bubbles, ...keys }) {
      super(name, { bubbles });
      this.keys = keys;
    }
  };
  const target = new FakeElement("textarea");
  page.add("div", { className: `st-key-${key}` }).append(target);
  Object.assign(target, { selectionStart: 2, selectionEnd: 5 });
  target.setRangeText = (...text) => got.push(text);
  target.addEventListener("keydown", ({ keys, bubbles }) => got.push([keys, bubbles]));
  target.addEventListener("input", ({ bubbles }) => got.push(["input", bubbles]));
  let goesOn = true;
  keepOneLine({
    target,
    data: null,
    ...event,
    preventDefault: () => {
      goesOn = false;
    },
  });
  return [goesOn, got];
}

test("Enter sends the sentence, with the keys that Streamlit expects", () => {
  for (const inputType of ["insertLineBreak", "insertParagraph"]) {
    const keys = { key: "Enter", code: "Enter", ctrlKey: true };
    assert.deepEqual(typed({ inputType }), [false, [[keys, true]]]);
  }
});

test("lines of pasted text are joined, in the place of the selection", () => {
  const [goesOn, got] = typed({ inputType: "insertFromPaste", data: " It \r\n\n rains. \n" });
  assert.equal(goesOn, false);
  assert.deepEqual(got, [
    ["It rains.", 2, 5, "end"],
    ["input", true], // React reads the box at this event
  ]);
});

test("a text of one line, a removed letter and other boxes are left to the browser", () => {
  assert.deepEqual(typed({ inputType: "insertText", data: "a b" }), [true, []]);
  assert.deepEqual(typed({ inputType: "deleteContentBackward" }), [true, []]);
  assert.deepEqual(typed({ inputType: "insertLineBreak", key: "other" }), [true, []]);
  assert.deepEqual(typed({ inputType: "insertText", target: {}, data: "a\nb" }), [true, []]);
});

// Shows a sentence box in a browser that can size a box by its text, or cannot.
function shownBox(canSize) {
  globalThis.CSS = { supports: () => canSize };
  globalThis.getComputedStyle = () => ({ fontSize: "16px" });
  const page = new FakePage();
  const box = new FakeElement("textarea");
  page.add("div", { className: "st-key-choice-sentence" }).append(box);
  Object.assign(box, { value: "It rains.", clientWidth: 500, scrollHeight: 30 });
  return box;
}

test("a box is measured again when it gets another width or text, and only then", () => {
  const box = shownBox(false);
  const heights = [];
  for (const change of [{}, { scrollHeight: 99 }, { clientWidth: 400 }, { value: "It" }]) {
    Object.assign(box, change);
    fitSentences();
    heights.push(box.style["--text-height"]);
    box.scrollHeight += 10;
  }
  assert.deepEqual(heights, ["31px", "31px", "110px", "120px"]);
});

test("a hidden box is not measured, nor one that the browser sizes itself", () => {
  for (const [canSize, clientWidth] of [
    [false, 0],
    [true, 500],
  ]) {
    const box = Object.assign(shownBox(canSize), { clientWidth });
    fitSentences();
    assert.equal(box.style["--text-height"], undefined);
  }
});
