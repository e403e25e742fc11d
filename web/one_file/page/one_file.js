// The page of the explorer in one file: what is typed goes to the worker, what comes back is shown.

import { button } from "../../pictures/elements.js";
import { still } from "../../pictures/motion.js";
import { RibbonsView } from "../../pictures/ribbons.js";
import { fill } from "../../pictures/texts.js";
import {
  draw,
  inOwnRoot,
  languageIn,
  large,
  mapOf,
  openAnalysis,
  page,
  shown,
  withMeans,
} from "../../saved_page/analysis_view.js";
import { opened, showCell } from "./opened_cell.js";

const packed = JSON.parse(document.getElementById("model").textContent);
const script = URL.createObjectURL(new Blob([document.getElementById("worker").textContent]));
const byId = (id) => document.getElementById(id);
const [box, translation, notice, changes] = ["sentence", "translation", "notice", "changes"].map(
  byId,
);
const languageNow = () => (document.documentElement.lang.startsWith("zh") ? "zh" : "en");
const nameOf = (language, n) =>
  languageIn(packed.words[languageNow()], language, ["source", "target"][n]);
const say = (name, values = {}) => fill(packed.words[languageNow()][name], values);
const WRITING = [
  "play",
  "pause",
  "position",
  "speed",
  "hint",
  "map",
  "weights",
  "rivals",
  "unread",
  "told",
  "from_source",
];
const workers = [];
let [worker, model, asked, chosen, off, found] = [null, null, 0, {}, [], null];

const ribbons = inOwnRoot(RibbonsView, byId("ribbons"), packed.css.ribbons);
ribbons.send = (_, [place, n]) => {
  chosen = Object.fromEntries(Object.entries(chosen).filter(([at]) => Number(at) < place));
  chosen[place] = found.candidates[place][n][2];
  ask();
};

// One of the models of this file begins; what is on the page is translated by it.
function begin(n) {
  model = packed.models[n];
  const { aligner, config, tags, examples } = model;
  Object.assign(shown, {
    kind: "cross",
    layer: aligner?.[0] ?? config.n_layers - 1,
    head: aligner?.[1] ?? null,
  });
  Object.assign(shown, { rows: aligner ? "read" : "written", cells: "weights", unit: "subwords" });
  [translation.lang, found, off, chosen] = [tags[1], null, [], {}];
  box.value ||= examples[0];
  notice.hidden = false;
  notice.textContent = say("one_file.loading");
  worker = workers[n] ??= awake(n);
  speak(languageNow());
  ask();
}

// A worker that has the weights, which the page then has no more.
function awake(n) {
  const made = new Worker(script);
  const weights = byId(`weights-${n}`);
  made.onmessage = ({ data }) => answered(data);
  made.postMessage({ ...packed.models[n], weights: weights.textContent });
  weights.remove();
  return made;
}

// The last question counts; the answers to those before it come too late.
function ask() {
  const { cells, unit, rows } = shown;
  translation.ariaBusy = "true";
  worker.postMessage({ n: ++asked, text: box.value, chosen, off, how: { cells, unit, rows } });
}

function answered(data) {
  if (data.n !== asked) return;
  if ("soFar" in data) return (translation.textContent = data.soFar);
  if (data.opened) return showCell(data.opened, say);
  translation.ariaBusy = "false";
  notice.hidden = !data.problem;
  if (data.problem) notice.textContent = say(`one_file.${data.problem}`, data);
  else show((found = data));
}

function show(answer) {
  translation.textContent = answer.text || say("translation.empty");
  const little = answer.fromSource.slice(0, -1).some((share) => share < (model.little ?? 0));
  byId("bars").textContent = say("writing.source") + (little ? ` ${say("writing.little")}` : "");
  showChanges();
  ribbons.show(ribbonsOf(answer));
  openAnalysis(analysisOf(answer));
}

function ribbonsOf({ source, target, candidates, taken, fromSource, cross }) {
  const {
    languages,
    tags,
    aligner,
    little,
    config: { n_layers, n_heads },
  } = model;
  const [targets, S, T] = [target.slice(1), source.length, target.length - 1];
  const of = withMeans(cross, [n_layers, n_heads, T, S]);
  const cells = aligner ? mapOf(of, ...aligner).subarray(S) : mapOf(of, n_layers - 1, null); // <bos> says nothing
  const [first, second] = languages.map(nameOf);
  const texts = { source: first, target: second };
  for (const name of WRITING) texts[name] = packed.words[languageNow()][`writing.${name}`];
  return {
    story: [box.value, ...Object.values(chosen), ...off].join(" "),
    ...{ sources: source, targets },
    joined: [source, targets].map((tokens) => tokens.map((token) => token.startsWith("·"))),
    ...{ cells, rows: cells.length / S, fromSource, little, texts },
    rivals: candidates.map((of, t) => of.map(([token, p, id]) => [token, p, id === taken[t]])),
    ...{ languages: tags, directions: ["ltr", "ltr"], told: {} },
  };
}

function analysisOf({ attentions }) {
  const {
    languages,
    tags,
    config: { n_layers, n_heads },
  } = model;
  const maps = n_heads + 1; // of a layer
  const sides = {
    encoder_self: ["source", "source"],
    decoder_self: ["target", "target"],
    cross: ["target", "source"],
  };
  return {
    attentions: attentions.map((each) => ({
      ...{ ...each, heads: n_heads, sides: sides[each.kind], direction: "ltr", told: {} },
      causal: each.kind === "decoder_self" && (shown.unit === "subwords" || shown.rows === "read"),
      marks: Array.from({ length: n_layers * maps }, (_, n) => [
        [],
        isOff(each.kind, Math.floor(n / maps), n % maps),
      ]),
    })),
    start: {},
    languages: { source: languages[0], target: languages[1] },
    tags: { source: tags[0], target: tags[1] },
    words: packed.words[languageNow()],
    css: packed.css,
    offers: { cells: ["weights", "value_norms", "contributions"], unit: ["subwords", "words"] },
  };
}

// What a visitor has changed, and the way back from it.
function showChanges() {
  const offered = off.map(([kind, layer, head]) => {
    const place = { attention: say(`attention.${kind}`), layer: layer + 1, head: head + 1 };
    return button("", say("one_file.head_on", place), () => turn(kind, layer, head));
  });
  if (Object.keys(chosen).length)
    offered.unshift(button("", say("writing.back"), () => type(box.value)));
  changes.replaceChildren(...offered);
}

const isOff = (...place) => off.some((of) => of.join() === place.join());

function turn(...place) {
  off = isOff(...place) ? off.filter((of) => of.join() !== place.join()) : [...off, place];
  chosen = {};
  ask();
}

// These three need the worker. All else is drawn at once: a key pressed next opens a cell of what is seen.
page.changed = (name) =>
  found?.n === asked && !["cells", "unit", "rows"].includes(name) ? draw() : ask();
page.drawn = () => {
  const { kind, layer, head } = shown;
  const text = say(isOff(kind, layer, head) ? "one_file.on" : "one_file.off");
  const offered = head === null ? [] : [button("", text, () => turn(kind, layer, head))];
  large.querySelector(".actions").replaceChildren(...offered);
  opened.hidden = true;
};

page.open = (row, column) => {
  if (found.n !== asked) return; // what is seen is about to change
  const { kind, layer, head } = shown;
  worker.postMessage({ n: asked, cell: { kind, layer, head, row, column } });
};

// Words of the page itself, which stand in it by their names.
function speak(language) {
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  for (const node of document.querySelectorAll("[data-text]"))
    node.textContent = say(node.dataset.text);
  box.ariaLabel = say("sentence.label");
  for (const node of document.querySelectorAll("[data-language]"))
    node.ariaPressed = node.dataset.language === language;
  const models = packed.models.map((each, n) => {
    const name = each.languages.map(nameOf).join(" → ");
    return Object.assign(
      button("", name, () => begin(n)),
      { ariaPressed: each === model },
    );
  });
  byId("models").replaceChildren(...(models.length > 1 ? models : []));
  const examples = model.examples.map((text) => button("", text, () => type(text)));
  byId("examples").replaceChildren(say("examples.chips"), ...examples);
  byId("gallery").hidden = !model.gallery.length;
  byId("gallery").lastChild.replaceChildren(...model.gallery.map(exhibit));
  if (found) show(found);
}

// A prepared example: its sentence, in the head that shows it.
function exhibit({ phenomenon, sentence, ...how }) {
  return button("", say(`gallery.${phenomenon}.title`), () => {
    Object.assign(shown, how, { cells: "weights", panel: "map" });
    off = [];
    type(sentence);
    byId("maps").scrollIntoView({ behavior: still.matches ? "instant" : "smooth" });
  });
}

function type(text) {
  box.value = text;
  chosen = {};
  ask();
}

// On a projector: the sentence, its translation and the picture.
const present = (on) => document.documentElement.toggleAttribute("data-present", on);

addEventListener("keydown", (event) => {
  const typing = event.composedPath()[0].closest?.("input:not([type=radio])");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "p") present();
  else if (event.key === "Escape") present(false);
  else if (event.key === " " && event.target === document.body)
    dispatchEvent(new Event("play", { cancelable: true }));
  else return;
  event.preventDefault();
});
byId("present").addEventListener("click", () => present());
box.addEventListener("change", () => type(box.value));
for (const node of document.querySelectorAll("[data-language]"))
  node.addEventListener("click", () => speak(node.dataset.language));
document.documentElement.lang = navigator.language.startsWith("zh") ? "zh-Hans" : "en";
begin(0);
