// The buttons of a figure: its picture as a file or on the clipboard, its numbers from the server.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakeElement, FakePage } from "./page.js";
import { FigureButtons } from "../../web/app/tools/save_figure.js";
import { setLightColours } from "../../web/app/tools/light_colours.js";

mock.timers.enable({ apis: ["setTimeout"] });
const WORDS = {
  copied: "Copied",
  no_copy: "Cannot copy",
  no_picture: "No picture",
  no_file: "No file came.",
  too_large: "Too large.",
  guarded: "Your browser guards its canvases.",
};

globalThis.Node = { ELEMENT_NODE: 1, TEXT_NODE: 3 };
FakeElement.prototype.nodeType = 1;
FakeElement.prototype.getBoundingClientRect = function place() {
  const { left, top, width, height } = this.box;
  const box = { left, top, width, height, right: left + width, bottom: top + height };
  return { ...box, toJSON: () => box };
};
globalThis.ClipboardItem = class {
  constructor(parts) {
    this.parts = parts;
  }
};

let saved = []; // names of files, with their content
let urls = new Map();

// A page with one figure, whose picture is 400 by 100 pixels.
function figure({ width = 400, height = 100, clipboard = {}, pixel = null } = {}) {
  const page = new FakePage();
  document.head = new FakeElement("head");
  saved = [];
  urls = new Map();
  document.createElement = ((create) => (name) => {
    const made = create(name);
    if (name === "a") made.click = () => saved.push([made.download, urls.get(made.href)]);
    made.getContext().getImageData = () => ({ data: pixel ?? [18, 52, 86] });
    return made;
  })(document.createElement);
  globalThis.getComputedStyle = ({ style }) => ({
    opacity: "1",
    color: "rgb(0, 0, 0)",
    backgroundColor: "rgb(9, 50, 100)",
    fontFamily: "serif",
    outlineStyle: "none",
    ...style,
  });
  setLightColours({ css: "", ink: "", swaps: {} });
  Object.defineProperty(globalThis, "navigator", { value: { clipboard }, configurable: true });
  URL.createObjectURL = (blob) => {
    urls.set(`blob:${urls.size}`, blob);
    return `blob:${urls.size - 1}`;
  };
  URL.revokeObjectURL = (url) => urls.delete(url);
  page.body.className = "stApp";
  const made = page.add("div", { className: "st-key-figure-heads" });
  made.clientWidth = width;
  const bar = add(made, "div", { className: "figure-bar" });
  Object.assign(bar.dataset, { name: "heads", file: "heads-en", title: "Heads" });
  add(bar, "p", { className: "caption" }, "a caption");
  const take = add(bar, "div", { className: "take" });
  add(take, "pre", { className: "python" }, "import numpy");
  const part = add(made, "div", { className: "stHtml", offsetHeight: height });
  part.box = { left: 0, top: 0, width, height };

  const asked = [];
  const buttons = new FigureButtons((file) => asked.push(file));
  buttons.words = WORDS;
  const press = async (kind) => {
    const button = add(take, "button", {}, kind);
    button.setAttribute("data-take", kind);
    await buttons.onClick({ target: button });
    return button.textContent;
  };
  const notices = () => made.querySelectorAll(".notice").map((each) => each.textContent);
  return { page, made, take, asked, buttons, press, notices };
}

// Shows frames of a page until what waits for them has ended.
async function shown(page, waiting) {
  let hasEnded = false;
  const end = () => (hasEnded = true);
  waiting.then(end, end);
  while (!hasEnded) await nextFrame(page);
  return waiting;
}

async function nextFrame(page) {
  await new Promise(globalThis.setImmediate);
  page.frame(16);
}

function add(parent, name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  parent.append(made);
  return made;
}

test("a click beside the buttons is none of theirs", async () => {
  const { buttons, made } = figure();
  await buttons.onClick({ target: made });
  await buttons.onClick({ target: {} });
});

test("an SVG is saved under the name of the figure, and its address forgotten", async () => {
  const { press } = figure();
  await press("svg");
  const [[name, blob]] = saved;
  assert.deepEqual([name, blob.type], ["heads-en.svg", "image/svg+xml"]);
  assert.match(await blob.text(), /<title>Heads<\/title>/);
  mock.timers.tick(9999);
  assert.equal(urls.size, 1);
  mock.timers.tick(1);
  assert.equal(urls.size, 0);
});

// Paints pictures. Returns the sizes of images and canvases, and what is painted on them.
function painting(pixel = [9, 50, 100, 255]) {
  const sizes = [];
  globalThis.Image = class {
    constructor(width, height) {
      sizes.push(["image", width, height]);
    }

    decode() {
      assert.ok(urls.has(this.src));
    }
  };
  globalThis.OffscreenCanvas = class {
    constructor(width, height) {
      Object.assign(this, { width, height });
      sizes.push(["canvas", width, height]);
    }

    getContext() {
      return {
        drawImage: (_, ...box) => sizes.push(["painted", ...box]),
        getImageData: () => ({ data: pixel }),
      };
    }

    convertToBlob() {
      return new Blob(["s".repeat(33), "rest"]);
    }
  };
  return sizes;
}

test("a PNG has two pixels for each of the page, and title and caption as texts", async () => {
  const sizes = painting();
  const { press } = figure();
  await press("png");
  // margins of 24 pixels, a title of 26.6 (1.4 of 19) and a gap of 16 above the picture
  assert.deepEqual(sizes, [
    ["image", 448, 191],
    ["canvas", 896, 382],
    ["painted", 0, 0, 896, 382],
  ]);
  const [[name, blob]] = saved;
  assert.equal(name, "heads-en.png");
  const text = await blob.text();
  assert.match(text, /Title\0+Heads/);
  assert.match(text, /Description\0+a caption/);
  assert.equal(urls.size, 1); // that of the PNG: that of the SVG is forgotten
});

test("a very long picture has 16,000 pixels", async () => {
  const sizes = painting();
  const { press } = figure({ width: 15_952, height: 100 });
  await press("png");
  assert.equal(sizes[0][1], 16_000);
  assert.equal(sizes[1][1], 16_000);
});

test("a guarded canvas is explained below the buttons until the next success", async () => {
  painting([200, 50, 100, 255]);
  const { press, notices } = figure();
  assert.equal(await press("png"), "png");
  assert.deepEqual(saved, []);
  assert.deepEqual(notices(), [WORDS.guarded]);
  await press("png");
  assert.deepEqual(notices(), [WORDS.guarded]);
  await press("svg");
  assert.deepEqual(notices(), []);
});

test("the caption and the program are copied as texts", async () => {
  const copied = [];
  const { press, take } = figure({ clipboard: { writeText: (text) => copied.push(text) } });
  add(take, "p", { className: "caption" }, "a caption to copy");
  assert.equal(await press("caption"), "Copied");
  assert.equal(await press("python"), "Copied");
  assert.deepEqual(copied, ["a caption to copy", "import numpy"]);
});

test("a picture is copied as PNG, with its caption as text", async () => {
  painting();
  let item = null;
  const { press } = figure({ clipboard: { write: ([given]) => (item = given) } });
  assert.equal(await press("copy"), "Copied");
  assert.deepEqual(Object.keys(item.parts), ["image/png", "text/plain"]);
  const text = await item.parts["text/plain"];
  assert.deepEqual([text.type, await text.text()], ["text/plain", "a caption"]);
  assert.match(await (await item.parts["image/png"]).text(), /^s+/);
});

test("a canvas that is guarded is not copied", async () => {
  painting();
  let isWritten = false;
  const write = () => (isWritten = true);
  const { press, notices } = figure({ clipboard: { write }, pixel: [0, 0, 0] });
  assert.equal(await press("copy"), "copy");
  assert.deepEqual([isWritten, notices()], [false, [WORDS.guarded]]);
});

test("where the browser forbids copying, the button says so", async () => {
  const refuse = () => Promise.reject(new Error("forbidden"));
  for (const kind of ["copy", "python"]) {
    painting();
    const { press } = figure({ clipboard: { writeText: refuse, write: refuse } });
    assert.equal(await press(kind), "Cannot copy");
  }
});

test("where the picture fails, the button says so and the error is not hidden", async () => {
  painting();
  globalThis.OffscreenCanvas = null;
  const { press, take } = figure();
  await assert.rejects(press("png"), TypeError);
  assert.equal(take.lastChild.textContent, "No picture");
});

test("numbers come from the server's button, which is asked for if it is not there", async () => {
  const { page, made, asked, press } = figure();
  const pressed = press("csv");
  assert.deepEqual(asked, [["heads", "csv"]]);
  const clicks = [];
  const box = add(made, "div", { className: "st-key-take-heads-csv" });
  add(box, "button", { click: () => clicks.push("csv") });
  await shown(page, pressed);
  await shown(page, press("csv"));
  assert.deepEqual([asked.length, clicks], [1, ["csv", "csv"]]);
});

test("without an answer within 15 seconds a sentence says so", async (context) => {
  let now = 0;
  context.mock.method(performance, "now", () => now);
  const { page, press, notices } = figure();
  const pressed = press("csv");
  now = 14_999;
  page.frame(16);
  await Promise.resolve();
  assert.deepEqual(notices(), []);
  now = 15_000;
  page.frame(16);
  await assert.rejects(pressed);
  assert.deepEqual(notices(), [WORDS.no_file]);
});

test("a picture that the server would refuse is not sent, and a sentence says what to do", async () => {
  const { asked, made, press, notices } = figure();
  made.querySelector(".caption").textContent = "x".repeat(2_500_000); // the picture contains it
  await press("pdf");
  assert.deepEqual([asked, notices()], [[], [WORDS.too_large]]);
});

// Replaces a figure by a copy, as the page does at the end of a training.
function replace(made) {
  const copy = document.createElement("div");
  copy.className = made.className;
  const bar = add(copy, "div", { className: "figure-bar" });
  add(bar, "div", { className: "take" });
  made.replaceWith(copy);
  return copy;
}

test("a file comes, or a sentence, also if the page meanwhile replaces the figure", async (context) => {
  let now = 0;
  context.mock.method(performance, "now", () => now);
  const { page, made, press } = figure();
  const clicks = [];
  const pressed = press("csv");
  const copy = replace(made);
  const box = add(copy, "div", { className: "st-key-take-heads-csv" });
  add(box, "button", { click: () => clicks.push("csv") });
  await shown(page, pressed);
  assert.deepEqual(clicks, ["csv"]);

  const other = figure();
  const missing = other.press("csv");
  const second = replace(other.made);
  now = 15_000;
  await assert.rejects(shown(other.page, missing));
  assert.equal(second.querySelector(".notice").textContent, WORDS.no_file);
});

test("if the server refuses a file, a sentence says so", async () => {
  const { page, made, press, notices } = figure();
  const box = add(made, "div", { className: "st-key-take-heads-csv" });
  const streamlits = add(box, "div", { className: "stDownloadButton" });
  const button = add(streamlits, "button", { click: () => (button.disabled = true) });
  const pressed = press("csv");
  for (let n = 0; n < 3; n += 1) await nextFrame(page);
  assert.deepEqual(notices(), []); // the server is at work
  const error = add(streamlits, "div", {}, "no such file");
  error.setAttribute("data-testid", "stDownloadButtonError");
  button.disabled = false;
  await assert.rejects(shown(page, pressed), /no such file/);
  assert.deepEqual(notices(), [WORDS.no_file]);
});

test("each PDF is a request of its own, with the picture and its width", async () => {
  const { page, made, asked, press } = figure();
  const clicks = [];
  for (const n of [1, 2]) {
    const box = add(made, "div", { className: `st-key-take-heads-pdf-${n}` });
    add(box, "button", { click: () => clicks.push(n) });
    const pressed = press("pdf");
    await shown(page, pressed);
  }
  assert.deepEqual(clicks, [1, 2]);
  assert.deepEqual(
    asked.map(([name, kind, svg, width, n]) => [name, kind, svg.includes("<svg"), width, n]),
    [
      ["heads", "pdf", true, 448, 1],
      ["heads", "pdf", true, 448, 2],
    ],
  );
});

test("the cells of a map overlap in a PDF, and not in an SVG", async () => {
  const { page, made, asked, press } = figure();
  const canvas = add(made.querySelector(".stHtml"), "canvas", { width: 10 });
  const cells = { columns: 1, colours: Uint32Array.of(0xff0000ff) };
  canvas.box = { left: 0, top: 0, width: 10, height: 10 };
  canvas.paintOn = (brush) => brush.drawImage({ cells }, 0, 0, 10, 10);
  add(add(made, "div", { className: "st-key-take-heads-pdf-1" }), "button", { click() {} });
  const pressed = press("pdf");
  await shown(page, pressed);
  assert.match(asked[0][2], /M0 0H1.05v1.05H0Z/);
  await press("svg");
  const [[, blob]] = saved;
  assert.match(await blob.text(), /M0 0H1v1H0Z/);
});
