// The explorer in one file: what it asks its worker, and what it does with the answers.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { pageOfPictures } from "./saved_pictures.js";
import { Explorer } from "../../web/one_file/page/explorer.js";

mock.timers.enable({ apis: ["setTimeout"] });
const GIVEN = {
  "one_file.head_on": "{attention} {layer}.{head} on",
  "one_file.too_long": "too long: {length} of {max_length}",
  "map.title_head": "{attention} {layer}.{head}",
  "map.rows.cross": "{target} {source}",
  "gallery.agreement.title": "Agreement",
  "cell.title": "{row} {column} {weight}",
};

// Each text is its own name; that of another language begins with the language.
const wordsIn = (language) =>
  new Proxy(GIVEN, {
    get: (given, name) => (language === "zh" ? `zh ${name}` : (given[name] ?? name)),
  });

const MODELS = [
  {
    languages: ["en", "fr"],
    tags: ["en", "fr"],
    config: { n_layers: 2, n_heads: 2, d_model: 4 },
    aligner: [1, 0],
    little: 0.2,
    examples: ["It rains.", "It snows."],
    gallery: [
      { phenomenon: "agreement", sentence: "They run.", kind: "cross", layer: 0, head: 1 },
      {
        title: "Mine",
        task: ["Look.", "Why?"],
        sentence: "A cat.",
        kind: "cross",
        layer: 1,
        head: 0,
      },
    ],
  },
  {
    languages: ["en", "zh"],
    tags: ["en", "zh-Hans"],
    config: { n_layers: 3, n_heads: 2, d_model: 4 },
    aligner: null,
    examples: ["Hello."],
    gallery: [],
  },
];

const attention = (kind, T, queries) => ({
  kind,
  weights: new Float32Array(2 * 3 * T * 2).fill(0.5),
  shape: [2, 3, T, 2],
  queries,
  keys: ["he", "<eos>"],
});

const ANSWER = {
  text: "il",
  source: ["he", "<eos>"],
  target: ["<bos>", "il", "<eos>"],
  candidates: [
    [
      ["il", 0.75, 7],
      ["elle", 0.25, 8],
    ],
    [
      ["<eos>", 0.9, 2],
      ["va", 0.1, 9],
    ],
  ],
  taken: [7, 2],
  fromSource: [0.5, 0.1],
  cross: new Float32Array(2 * 2 * 2 * 2).fill(0.5),
  attentions: [
    attention("encoder_self", 2, { read: ["he", "<eos>"] }),
    attention("decoder_self", 2, { read: ["<bos>", "il"], written: ["il", "<eos>"] }),
    attention("cross", 2, { read: ["<bos>", "il"], written: ["il", "<eos>"] }),
  ],
};

// Opens the page at a link, with a browser in a language.
function opened({ hash = "", models = MODELS, browser = "en-GB" } = {}) {
  const page = pageOfPictures();
  page.addHtml("one_file/page/one_file.html");
  const main = document.querySelector("main");
  page.addHtml("saved_page/maps.html");
  main.append(document.querySelector("#maps"));
  document.getElementById = (id) => document.querySelector(`#${id}`);
  models.forEach((_, n) => page.add("script", { id: `weights-${n}` }));
  document.querySelector("#sentence").value = "";
  document.querySelector("#sentence").maxLength = 20;
  Object.defineProperty(globalThis, "navigator", {
    value: { language: browser },
    configurable: true,
  });
  globalThis.location = { hash };
  const links = [];
  globalThis.history = { state: null, replaceState: (_, __, url) => links.push(url) };
  URL.createObjectURL = () => "blob:worker";
  const workers = [];
  globalThis.Worker = class {
    constructor() {
      this.messages = [];
      workers.push(this);
    }

    postMessage(message) {
      this.messages.push(message);
    }
  };
  globalThis.CSS = { supports: () => true };
  const words = { en: wordsIn("en"), zh: wordsIn("zh") };
  const explorer = new Explorer({ models, words, css: { ribbons: "", lines: "" } });
  explorer.openLink();
  const at = (id) => document.querySelector(`#${id}`);
  const asked = () => workers.flatMap(({ messages }) => messages).at(-1);
  const answer = (more = {}) =>
    workers.at(-1).onmessage({ data: { n: asked().n, ...ANSWER, ...more } });
  const texts = (id) => at(id).children.map(({ textContent }) => textContent);
  const press = (id, n) => at(id).querySelectorAll("button")[n].click();
  return { page, explorer, workers, asked, answer, at, texts, press, links };
}

test("the first model is opened with its first example, at its aligning head", () => {
  const { asked, workers, at, explorer } = opened();
  const { n, text, chosen, off, options } = asked();
  assert.deepEqual([n, text, chosen, off], [1, "It rains.", {}, []]);
  assert.deepEqual(options, { cells: "weights", unit: "subwords", rows: "read" });
  assert.equal(workers.length, 1);
  assert.equal(at("sentence").value, "It rains.");
  assert.deepEqual([at("notice").hidden, at("notice").textContent], [false, "one_file.loading"]);
  assert.deepEqual([at("translation").ariaBusy, at("translation").lang], ["true", "fr"]);
  const { kind, layer, head } = explorer.maps.shown;
  assert.deepEqual([kind, layer, head], ["cross", 1, 0]);
});

test("a model without an aligning head begins with all heads of its last layer", () => {
  const { explorer, asked } = opened({ hash: "#model=en-zh" });
  const { kind, layer, head, rows } = explorer.maps.shown;
  assert.deepEqual([kind, layer, head, rows], ["cross", 2, null, "written"]);
  assert.equal(asked().text, "Hello.");
});

test("a link names the model, the sentence and the map", () => {
  const { explorer, asked } = opened({ hash: "#model=en-fr&sentence=He+runs.&layer=1&head=2" });
  assert.equal(asked().text, "He runs.");
  assert.deepEqual([explorer.maps.shown.layer, explorer.maps.shown.head], [0, 1]);
  assert.equal(opened({ hash: "#layer=3" }).explorer.maps.shown.layer, 1); // there is no third one
  assert.equal(opened({ hash: "#model=en-de" }).explorer.model, MODELS[0]);
  const long = opened({ hash: "#sentence=0123456789abcdefghijklmnop" });
  assert.equal(long.asked().text, "0123456789abcdefghij");
});

test("a link that is followed on the page opens its sentence", () => {
  const { asked } = opened();
  globalThis.location = { hash: "#sentence=A+dog." };
  dispatchEvent(new Event("hashchange"));
  assert.deepEqual([asked().n, asked().text], [2, "A dog."]);
});

test("a translation grows word by word, and then has its pictures and its link", () => {
  const { answer, asked, workers, at, explorer, links } = opened();
  workers[0].onmessage({ data: { n: asked().n, soFar: "i" } });
  assert.deepEqual([at("translation").textContent, at("translation").ariaBusy], ["i", "true"]);
  answer();
  assert.deepEqual([at("translation").textContent, at("translation").ariaBusy], ["il", "false"]);
  assert.equal(at("notice").hidden, true);
  assert.equal(at("maps").hidden, false);
  assert.equal(explorer.ribbons.payload.story, "It rains.");
  assert.deepEqual(explorer.ribbons.payload.targets, ["il", "<eos>"]);
  const link =
    "#sentence=It+rains.&model=en-fr&attention=cross&rows=read&panel=map&cells=weights" +
    "&unit=subwords&layer=2&head=1";
  assert.equal(links.at(-1), link);
});

test("the box of the sentence is as high as its text in a browser that lacks this style", () => {
  const { at, explorer } = opened();
  const box = at("sentence");
  const heights = [];
  const set = (height) => {
    heights.push(height);
  };
  Object.defineProperty(box.style, "height", { set });
  Object.assign(box, { clientHeight: 40, offsetHeight: 42, scrollHeight: 70 });
  explorer.ask();
  assert.deepEqual(heights, []);
  globalThis.CSS = { supports: (...style) => style.join() !== "field-sizing,content" };
  explorer.ask();
  assert.deepEqual(heights, ["0", "72px"]); // with its border
  box.scrollHeight = 100;
  box.dispatchEvent(new Event("input"));
  assert.equal(heights.at(-1), "102px");
  box.scrollHeight = 130;
  document.querySelector("#present").click(); // larger letters
  assert.equal(heights.at(-1), "132px");
});

test("a file with one model does not name it", () => {
  const { answer, links, texts } = opened({ models: MODELS.slice(0, 1) });
  answer();
  assert.doesNotMatch(links.at(-1), /model=/);
  assert.deepEqual(texts("models"), []);
});

test("an empty translation says so, and a problem is explained", () => {
  const { answer, at, explorer } = opened();
  answer({ text: "" });
  assert.equal(at("translation").textContent, "translation.empty");
  explorer.ask();
  answer({ problem: "too_long", length: 30, max_length: 20 });
  assert.deepEqual([at("notice").hidden, at("notice").textContent], [false, "too long: 30 of 20"]);
  assert.equal(at("translation").ariaBusy, "false");
});

test("answers to earlier questions are ignored", () => {
  const { answer, at, explorer } = opened();
  explorer.translate("He runs.");
  answer({ n: 1, text: "old" });
  assert.equal(at("translation").textContent, "");
  answer({ text: "new" });
  assert.equal(at("translation").textContent, "new");
});

test("a share below the little one is explained, but not that of the end", () => {
  const { answer, at } = opened();
  answer({ fromSource: [0.2, 0.1] });
  assert.equal(at("bars").textContent, "writing.source");
  answer({ fromSource: [0.19, 0.1] });
  assert.equal(at("bars").textContent, "writing.source writing.little");
  const other = opened({ models: [{ ...MODELS[0], little: undefined }] });
  other.answer({ fromSource: [0, 0] });
  assert.equal(other.at("bars").textContent, "writing.source");
});

test("a typed sentence is translated, without the task of an example", () => {
  const { at, asked, press } = opened();
  press("gallery", 1);
  assert.equal(at("task").hidden, false);
  at("sentence").value = "A bird.";
  at("sentence").dispatchEvent(new Event("change"));
  assert.deepEqual([asked().n, asked().text, at("task").hidden], [3, "A bird.", true]);
});

test("Enter sends the sentence, but not while an input method is open", () => {
  const { at } = opened();
  const calls = [];
  for (const name of ["blur", "focus"]) at("sentence")[name] = () => calls.push(name);
  const press = (key, isComposing = false) => {
    const event = new Event("keydown", { cancelable: true });
    at("sentence").dispatchEvent(Object.assign(event, { key, isComposing }));
    return event.defaultPrevented;
  };
  assert.deepEqual([press("a"), press("Enter", true), calls], [false, false, []]);
  assert.deepEqual([press("Enter"), calls], [true, ["blur", "focus"]]);
});

test("a chosen token is asked for, with those before it and without those after it", () => {
  const { answer, asked, explorer, texts, press } = opened();
  answer();
  explorer.ribbons.send("chosen", [1, 1]);
  assert.deepEqual(asked().chosen, { 1: 9 });
  answer();
  assert.deepEqual(texts("changes"), ["writing.back"]);
  assert.equal(explorer.ribbons.payload.story, "It rains. 9");
  explorer.ribbons.send("chosen", [0, 1]);
  assert.deepEqual(asked().chosen, { 0: 8 });
  explorer.ribbons.send("chosen", [1, 1]);
  assert.deepEqual(asked().chosen, { 0: 8, 1: 9 });
  answer();
  press("changes", 0);
  assert.deepEqual(asked().chosen, {});
});

test("a head is switched off and on again by its button, without the chosen tokens", () => {
  const { answer, asked, explorer, texts, press } = opened();
  answer();
  const button = () => explorer.maps.large.querySelector(".actions").children[0];
  explorer.chosen = { 0: 8 };
  assert.equal(button().textContent, "one_file.off");
  button().click();
  assert.deepEqual([asked().off, asked().chosen], [[["cross", 1, 0]], {}]);
  answer();
  assert.equal(button().textContent, "one_file.on");
  assert.deepEqual(texts("changes"), ["attention.cross 2.1 on"]);
  assert.equal(explorer.ribbons.payload.story, "It rains. cross,1,0");
  const isFaint = () =>
    explorer.maps.grid.tiles.map(({ cell }) => cell.classList.contains("faint"));
  assert.deepEqual(isFaint(), [false, false, false, true, false, false]);
  explorer.toggleHead("cross", 0, 1);
  assert.equal(asked().off.length, 2);
  answer();
  press("changes", 0);
  assert.deepEqual(asked().off, [["cross", 0, 1]]);
});

test("all heads together cannot be switched off", () => {
  const { answer, explorer } = opened({ hash: "#view=mean" });
  answer();
  assert.deepEqual(explorer.maps.large.querySelector(".actions").children, []);
});

test("the worker is asked again only for what the page cannot draw itself", () => {
  const { answer, asked, explorer } = opened();
  answer();
  explorer.onChoice("kind");
  explorer.onChoice("panel");
  assert.equal(asked().n, 1);
  for (const [n, name] of ["cells", "unit", "rows"].entries()) {
    explorer.onChoice(name);
    assert.equal(asked().n, n + 2);
  }
  explorer.onChoice("kind"); // nothing was answered since
  assert.equal(asked().n, 5);
});

test("a clicked cell is asked for and opened, but not if a new map is coming", () => {
  const { answer, asked, explorer, workers } = opened();
  answer();
  explorer.askForCell(1, 0);
  const cell = { kind: "cross", layer: 1, head: 0, row: 1, column: 0 };
  assert.deepEqual(asked(), { n: 1, cell });
  const values = Float32Array.of(0.5, 0.5);
  const numbers = { query: values, key: values, scores: values, weights: values };
  workers[0].onmessage({ data: { n: 1, opened: { row: 1, column: 0, ...numbers } } });
  const { node } = explorer.openedCell;
  assert.deepEqual([node.hidden, node.querySelector("h2").textContent], [false, "il he 0.5000"]);
  assert.deepEqual(explorer.openedCell.row.maps[0].matrix.languages, [null, "en"]);
  explorer.maps.drawLarge();
  assert.equal(node.hidden, true);
  explorer.ask();
  const { length } = workers[0].messages;
  explorer.askForCell(1, 0);
  assert.equal(workers[0].messages.length, length);
});

test("models are offered by their languages, and each has its own worker", () => {
  const { texts, at, press, workers, asked, explorer } = opened();
  assert.deepEqual(texts("models"), ["language.en → language.fr", "language.en → language.zh"]);
  const pressed = () => at("models").children.map(({ ariaPressed }) => ariaPressed);
  assert.deepEqual(pressed(), [true, false]);
  press("models", 1);
  assert.deepEqual([pressed(), workers.length], [[false, true], 2]);
  assert.equal(asked().text, "It rains."); // the sentence stays
  assert.equal(explorer.answer, null);
  press("models", 0);
  assert.equal(workers.length, 2);
});

test("examples are offered, and those of the gallery with their head and their task", () => {
  const { at, texts, asked, press, explorer } = opened();
  assert.equal(at("examples").textContent, "examples.chipsIt rains.It snows.");
  press("examples", 1);
  assert.deepEqual([asked().text, at("sentence").value], ["It snows.", "It snows."]);
  assert.equal(at("gallery").hidden, false);
  explorer.off = [["cross", 0, 0]];
  Object.assign(explorer.maps.shown, { cells: "contributions", panel: "lines" });
  press("gallery", 0);
  const { layer, head, cells, panel } = explorer.maps.shown;
  assert.deepEqual([layer, head, cells, panel], [0, 1, "weights", "map"]);
  assert.deepEqual([asked().text, asked().off, at("task").hidden], ["They run.", [], true]);
  const [node, { block }] = document.scrolledTo;
  assert.deepEqual([node, block], [at("maps"), "start"]);
  press("gallery", 1);
  assert.deepEqual([texts("task"), at("task").hidden], [["Look.", "Why?"], false]);
  const names = at("gallery")
    .querySelectorAll("button")
    .map(({ textContent }) => textContent);
  assert.deepEqual(names, ["Agreement", "Mine"]);
  assert.equal(opened({ hash: "#model=en-zh" }).at("gallery").hidden, true);
});

test("the interface has the language of the browser, or the one that is chosen", () => {
  const { page, at, answer } = opened({ browser: "zh-CN" });
  assert.equal(page.root.lang, "zh-Hans");
  assert.equal(at("notice").textContent, "zh one_file.loading");
  answer();
  const switches = document.querySelectorAll("[data-language]");
  const pressed = () => switches.map(({ ariaPressed }) => ariaPressed);
  assert.deepEqual(pressed(), [false, true]);
  switches[0].click();
  assert.deepEqual([page.root.lang, pressed()], ["en", [true, false]]);
  assert.equal(at("present").textContent, "tools.present");
  assert.equal(at("sentence").ariaLabel, "sentence.label");
  assert.equal(at("bars").textContent, "writing.source");
  assert.equal(opened({ browser: "fr" }).page.root.lang, "en");
});

// Presses a key on the page. Returns whether the page used it.
function pressKey(key, target = document.body, held = {}) {
  const event = new Event("keydown", { cancelable: true });
  Object.defineProperty(event, "target", { value: target });
  Object.assign(event, { key, ...held, composedPath: () => [target] });
  dispatchEvent(event);
  return event.defaultPrevented;
}

test("P shows only the picture, Escape and the button everything again", () => {
  const { page, at } = opened();
  const isPresented = () => page.root.hasAttribute("data-present");
  assert.deepEqual([pressKey("p"), isPresented()], [true, true]);
  assert.deepEqual([pressKey("p"), isPresented()], [true, false]);
  pressKey("p");
  assert.deepEqual([pressKey("Escape"), isPresented()], [true, false]);
  at("present").click();
  assert.equal(isPresented(), true);
  at("present").click();
  assert.equal(isPresented(), false);
  assert.equal(pressKey("p", at("sentence")), false);
  assert.equal(pressKey("x"), false);
});

test("the space bar plays the translation, but not on a button", () => {
  const { at } = opened();
  let isCancelable = null;
  addEventListener("play", ({ cancelable }) => (isCancelable = cancelable));
  assert.equal(pressKey(" ", at("present")), false);
  assert.equal(isCancelable, null);
  assert.equal(pressKey(" "), true);
  assert.equal(isCancelable, true);
});
