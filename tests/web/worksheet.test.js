// A worksheet: what a teacher can choose, and what is printed.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeElement, FakePage } from "./page.js";
import { askForWorksheet } from "../../web/pictures/worksheet.js";

const PARTS = ["map", "numbers", "grid", "lines"];
const WORDS = Object.fromEntries(
  [...PARTS, "name", "sentence", "translation", "fill", "answers", "title", "print", "cancel"].map(
    (name) => [`sheet_${name}`, `<${name}>`],
  ),
);
WORDS.sheet_too_small = "too small";

FakeElement.prototype.showModal = function showModal() {
  this.isShown = true;
};
FakeElement.prototype.close = function close() {
  this.dispatchEvent(new Event("close"));
};

// Asks for a worksheet, with more `words` than usual.
// The calls of `room` and `draw` say whether the page was laid out for paper.
function asked(subject = {}, words = {}) {
  const page = new FakePage();
  const laidOut = [];
  const note = (name) => laidOut.push(`${name} ${page.root.hasAttribute("data-paper")}`);
  let prints = 0;
  globalThis.print = () => (prints += 1);
  askForWorksheet(
    {
      title: "Title",
      sentence: "It rains.",
      target: "Il pleut.",
      legend: "Rows look.",
      room: () => {
        note("room");
        return { numbers: true, grid: true };
      },
      draw: (leftOut) => {
        note("draw");
        const picture = new FakeElement("div");
        picture.textContent = `picture without ${leftOut.join(", ") || "nothing"}`;
        return picture;
      },
      ...subject,
    },
    { ...WORDS, ...words },
  );
  const dialog = page.body.querySelector("dialog");
  const boxes = () => dialog.querySelectorAll("input");
  const choose = (...names) => {
    for (const box of boxes()) box.checked = names.includes(box.name);
  };
  const press = (className) => dialog.querySelector(`button.${className}`).click();
  const sheet = () => page.body.querySelector(".paper-sheet");
  return { page, dialog, boxes, choose, press, sheet, laidOut, prints: () => prints };
}

const texts = (parent) => parent.children.map((child) => child.textContent);

test("all parts are offered and chosen", () => {
  const { dialog, boxes, laidOut } = asked();
  assert.equal(dialog.isShown, true);
  assert.deepEqual(texts(dialog), [
    "<title>",
    " <map>",
    " <numbers>",
    " <grid>",
    " <lines>",
    "<print><cancel>",
  ]);
  assert.deepEqual(
    boxes().map(({ name, type, checked, disabled }) => [name, type, checked, disabled]),
    PARTS.map((name) => [name, "checkbox", true, false]),
  );
  assert.deepEqual(laidOut, ["room true"]);
});

test("a part says if cells are too small for it, an impossible one is not offered", () => {
  const { boxes, dialog } = asked({ room: () => ({ numbers: false }) });
  assert.deepEqual(
    boxes().map(({ name, checked, disabled }) => [name, checked, disabled]),
    [
      ["map", true, false],
      ["numbers", false, true],
      ["lines", true, false],
    ],
  );
  assert.equal(dialog.children[2].textContent, " <numbers> (too small)");
});

test("a second question replaces the first one, and Cancel ends it", () => {
  const { page } = asked();
  askForWorksheet({ room: () => ({}) }, WORDS);
  assert.equal(page.body.querySelectorAll("dialog").length, 1);
  const { page: other, press: pressOther, sheet } = asked();
  pressOther("cancel");
  assert.deepEqual([other.body.querySelectorAll("dialog").length, sheet()], [0, null]);
});

test("the whole sheet: texts, picture, empty grid, and eight lines", () => {
  const { page, press, sheet, laidOut, prints } = asked();
  press("print");
  assert.equal(page.body.querySelector("dialog"), null);
  assert.deepEqual(texts(sheet()), [
    "Title",
    "<name>",
    "<sentence> It rains.",
    "<translation> Il pleut.",
    "Rows look.picture without notes",
    "<fill>picture without cells, numbers",
    "<answers>",
  ]);
  assert.equal(sheet().querySelector(".lines").querySelectorAll(".ruled").length, 8);
  assert.deepEqual(laidOut, ["room true", "draw true", "draw true"]);
  assert.equal(prints(), 1);
  for (const sentence of sheet().querySelectorAll("bdi")) assert.equal(sentence.translate, false);
  assert.ok(page.body.hasAttribute("data-sheet")); // worksheet.css hides everything else
  dispatchEvent(new Event("afterprint"));
  assert.equal(sheet(), null);
  assert.ok(!page.body.hasAttribute("data-sheet"));
});

test("a question about what the picture shows is above its title", () => {
  const { press, sheet } = asked(
    { attention: "decoder_self" },
    { sheet_asks_decoder_self: "Why?" },
  );
  press("print");
  const [question, title, name] = sheet().children;
  assert.deepEqual([question.localName, question.textContent], ["h1", "Why?"]);
  assert.deepEqual([title.localName, title.textContent], ["p", "Title"]);
  assert.equal(name.textContent, "<name>");
});

test("a map can be printed without its numbers", () => {
  const { press, sheet, choose } = asked();
  choose("map");
  press("print");
  const [, , , , ...parts] = texts(sheet());
  assert.deepEqual(parts, ["Rows look.picture without notes, numbers"]);
});

test("an empty grid without a picture is explained as the picture would be", () => {
  const { press, sheet, choose } = asked();
  choose("grid");
  press("print");
  const [, , , , ...parts] = texts(sheet());
  assert.deepEqual(parts, ["Rows look.<fill>picture without cells, numbers"]);
});

test("a sheet without a sentence, a translation and a legend has none", () => {
  const { press, sheet, choose } = asked({ sentence: "", target: undefined, legend: "" });
  choose("map", "numbers");
  press("print");
  assert.deepEqual(texts(sheet()), ["Title", "<name>", "picture without notes"]);
  assert.equal(sheet().querySelector(".legend"), null);
});

test("lines alone are a sheet, too", () => {
  const { press, sheet, choose } = asked();
  choose("lines");
  press("print");
  assert.deepEqual(
    sheet()
      .querySelectorAll("section")
      .map(({ className }) => className),
    ["lines"],
  );
});
