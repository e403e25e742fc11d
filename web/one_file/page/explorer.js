import { button, element } from "../../pictures/elements.js";
import { isTaken, letterKey } from "../../pictures/letter_key.js";
import { scrollTo } from "../../pictures/motion.js";
import { Ribbons } from "../../pictures/ribbons.js";
import { fill } from "../../pictures/texts.js";
import { AnalysisView } from "../../saved_page/analysis_view.js";
import { languageName } from "../../saved_page/language_names.js";
import { inOwnRoot } from "../../saved_page/own_root.js";
import { choicesOf, linkTo, readLink, writeLink } from "../../saved_page/page_link.js";
import { analysisPayload, ribbonsPayload } from "./answer_payloads.js";
import { ModelWorkers } from "./model_workers.js";
import { OpenedCell } from "./opened_cell.js";

const CHOICES_OF_WORKER = ["cells", "unit", "rows"]; // the page draws other choices itself
const RIBBON_TEXTS = [
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

const OFFERED = {
  kind: ["encoder_self", "decoder_self", "cross"],
  rows: ["written", "read"],
  panel: ["map", "lines"],
  cells: ["weights", "value_norms", "contributions"],
  unit: ["subwords", "words"],
};

const byId = (id) => document.getElementById(id);

/** The explorer in one file: sends typed text to a worker, and shows the worker's answers. */
export class Explorer {
  /** @param {object} packed `one_file` in model/one_file/export.py writes it */
  constructor(packed) {
    this.packed = packed;
    this.model = null; // the page's data of the current model
    this.worker = null;
    this.answer = null; // the worker's last complete answer
    this.asked = 0; // number of the last question
    this.chosen = {}; // position in the translation -> id of the token that the visitor chose
    this.off = []; // heads that are switched off: [kind, layer, head] from 0
    this.sentence = byId("sentence");
    this.translation = byId("translation");
    this.notice = byId("notice");
    this.workers = new ModelWorkers(packed.models, (answer) => this.onAnswer(answer));
    this.ribbons = inOwnRoot(Ribbons, byId("ribbons"), packed.css.ribbons);
    this.ribbons.send = (_, [position, n]) => this.chooseToken(position, n);
    this.maps = new AnalysisView(byId("maps"), {
      texts: () => ({ sentence: this.sentence.value, target: this.translation.textContent }),
      onChoice: (name) => this.onChoice(name),
      onDrawn: () => this.onMapDrawn(),
      onOpenCell: (row, column) => this.askForCell(row, column),
    });
    this.openedCell = new OpenedCell(this.maps.node.querySelector(".opened"), (...text) =>
      this.say(...text),
    );
    setLanguage(navigator.language.startsWith("zh") ? "zh" : "en");
    this.listen();
  }

  listen() {
    byId("present").addEventListener("click", () => present());
    this.sentence.addEventListener("change", () => this.translate(this.sentence.value));
    this.sentence.addEventListener("keydown", (event) => sendAtEnter(event));
    this.sentence.addEventListener("input", () => this.fitBox());
    addEventListener("resize", () => this.fitBox());
    for (const node of document.querySelectorAll("[data-language]")) {
      node.addEventListener("click", () => {
        setLanguage(node.dataset.language);
        this.writeTexts();
      });
    }
    addEventListener("keydown", onKey);
    addEventListener("hashchange", () => this.openLink());
  }

  /**
   * Starts one of the models of the file, and translates the text on the page.
   *
   * @param {number} n which model, from 0
   * @param {URLSearchParams} [link] to a map of it
   */
  openModel(n, link = new URLSearchParams()) {
    this.model = this.packed.models[n];
    const { aligner, config, tags, examples } = this.model;
    Object.assign(this.maps.shown, {
      kind: "cross",
      layer: aligner?.[0] ?? config.n_layers - 1,
      head: aligner?.[1] ?? null,
      rows: aligner ? "read" : "written",
      cells: "weights",
      unit: "subwords",
      ...choicesOf(link, { ...OFFERED, layers: config.n_layers, heads: config.n_heads }),
    });
    this.answer = null;
    this.chosen = {};
    this.off = [];
    this.translation.lang = tags[1];
    this.sentence.value ||= examples[0];
    this.notice.hidden = false;
    this.notice.textContent = this.say("one_file.loading");
    this.worker = this.workers.of(n);
    this.writeTexts();
    this.ask();
  }

  /** Opens the model, the sentence and the map that the link of the page names. */
  openLink() {
    const link = readLink();
    const n = this.packed.models.findIndex((model) => nameOfModel(model) === link.get("model"));
    if (link.has("sentence")) {
      this.sentence.value = link.get("sentence").slice(0, this.sentence.maxLength);
    }
    this.openModel(Math.max(0, n), link);
  }

  // Writes what the page shows into its address.
  writeLink() {
    const texts = { sentence: this.sentence.value };
    if (this.packed.models.length > 1) texts.model = nameOfModel(this.model);
    writeLink(linkTo(this.maps.shown, texts));
  }

  translate(text) {
    this.sentence.value = text;
    this.chosen = {};
    this.showTask([]);
    this.ask();
  }

  // Asks the worker for a translation and its maps. Answers to earlier questions are ignored.
  ask() {
    const { cells, unit, rows } = this.maps.shown;
    this.asked += 1;
    this.translation.ariaBusy = "true";
    this.fitBox();
    this.worker.postMessage({
      n: this.asked,
      text: this.sentence.value,
      chosen: this.chosen,
      off: this.off,
      options: { cells, unit, rows },
    });
  }

  // Makes the box as high as its text. Firefox 140 and WebKit 2.50 lack the style for it.
  fitBox() {
    if (CSS.supports("field-sizing", "content")) return;
    const box = this.sentence;
    const border = box.offsetHeight - box.clientHeight;
    box.style.height = "0";
    box.style.height = `${box.scrollHeight + border}px`;
  }

  askForCell(row, column) {
    if (this.answer.n !== this.asked) return; // a new map will replace the clicked map
    const { kind, layer, head } = this.maps.shown;
    this.worker.postMessage({ n: this.asked, cell: { kind, layer, head, row, column } });
  }

  onAnswer(answer) {
    if (answer.n !== this.asked) return;
    if ("soFar" in answer) this.translation.textContent = answer.soFar;
    else if (answer.opened) this.showCell(answer.opened);
    else this.showEnd(answer);
  }

  showEnd(answer) {
    const { problem } = answer;
    this.translation.ariaBusy = "false";
    this.notice.hidden = !problem;
    if (problem) this.notice.textContent = this.say(`one_file.${problem}`, answer);
    else this.show(answer);
  }

  // Shows a translation and its maps.
  show(answer) {
    const { words, css } = this.packed;
    this.answer = answer;
    this.translation.textContent = answer.text || this.say("translation.empty");
    this.showBars();
    this.showChanges();
    const story = [this.sentence.value, ...Object.values(this.chosen), ...this.off].join(" ");
    byId("of-ribbons").textContent = this.titleOfRibbons();
    this.ribbons.show(ribbonsPayload(answer, this.model, this.ribbonTexts(), story));
    const page = { words: words[language()], css };
    const isOff = (...head) => this.isOff(...head);
    this.maps.open(analysisPayload(answer, this.model, page, this.maps.shown, isOff));
  }

  // Explains the bars below the tokens, and says whether one of them is short.
  showBars() {
    const words = this.answer.fromSource.slice(0, -1);
    const hasLittle = words.some((share) => share < (this.model.little ?? 0));
    const little = hasLittle ? ` ${this.say("writing.little")}` : "";
    byId("bars").textContent = this.say("writing.source") + little;
  }

  showCell(cell) {
    const { keys, languages } = this.maps.current;
    this.openedCell.show(cell, this.maps.queries, keys, languages[1]);
  }

  chooseToken(position, n) {
    const before = Object.entries(this.chosen).filter(([at]) => Number(at) < position);
    this.chosen = Object.fromEntries(before);
    this.chosen[position] = this.answer.candidates[position][n][2];
    this.ask();
  }

  // Shows buttons that undo the visitor's changes.
  showChanges() {
    const buttons = this.off.map(([kind, layer, head]) => {
      const attention = this.say(`attention.${kind}`);
      const text = this.say("one_file.head_on", { attention, layer: layer + 1, head: head + 1 });
      return button("", text, () => this.toggleHead(kind, layer, head));
    });
    if (Object.keys(this.chosen).length) {
      const back = () => this.translate(this.sentence.value);
      buttons.unshift(button("", this.say("writing.back"), back));
    }
    byId("changes").replaceChildren(...buttons);
  }

  isOff(...head) {
    return this.off.some((other) => isSame(other, head));
  }

  toggleHead(...head) {
    const others = this.off.filter((other) => !isSame(other, head));
    this.off = this.isOff(...head) ? others : [...this.off, head];
    this.chosen = {};
    this.ask();
  }

  // Draws at once if no worker is needed, so that the next key acts on the visible map.
  onChoice(name) {
    const isAnswered = this.answer?.n === this.asked;
    if (isAnswered && !CHOICES_OF_WORKER.includes(name)) this.maps.draw();
    else this.ask();
  }

  // Shows a button that switches the head of the large map off or on.
  onMapDrawn() {
    const { kind, layer, head } = this.maps.shown;
    const text = this.say(this.isOff(kind, layer, head) ? "one_file.on" : "one_file.off");
    const toggle = button("", text, () => this.toggleHead(kind, layer, head));
    const buttons = head === null ? [] : [toggle];
    this.maps.large.querySelector(".actions").replaceChildren(...buttons);
    this.openedCell.hide();
    this.writeLink();
  }

  /**
   * Returns a text in the language of the interface.
   *
   * @param {string} name
   * @param {object} [values] the values of its placeholders
   * @returns {string}
   */
  say(name, values = {}) {
    return fill(this.packed.words[language()][name], values);
  }

  nameOf(code, side) {
    return languageName(this.packed.words[language()], code, side);
  }

  // Returns the title of the ribbons, which is only for paper.
  titleOfRibbons() {
    const { aligner, config } = this.model;
    const [layer, head] = aligner ?? [config.n_layers - 1, 0];
    return this.say(`map.title_${aligner ? "head" : "mean"}`, {
      attention: this.say("attention.cross"),
      layer: layer + 1,
      head: head + 1,
      heads: config.n_heads,
    });
  }

  ribbonTexts() {
    const words = this.packed.words[language()];
    const [source, target] = this.model.languages;
    const texts = RIBBON_TEXTS.map((name) => [name, words[`writing.${name}`]]);
    return {
      source: this.nameOf(source, "source"),
      target: this.nameOf(target, "target"),
      ...Object.fromEntries(texts),
    };
  }

  // Writes all texts of the page in the language of the interface.
  writeTexts() {
    for (const node of document.querySelectorAll("[data-text]")) {
      node.textContent = this.say(node.dataset.text);
    }
    for (const node of document.querySelectorAll("[data-language]")) {
      node.ariaPressed = node.dataset.language === language();
    }
    this.sentence.ariaLabel = this.say("sentence.label");
    this.offerModels();
    this.offerExamples();
    this.offerGallery();
    if (this.answer) this.show(this.answer);
  }

  offerModels() {
    const buttons = this.packed.models.map((model, n) => {
      const [source, target] = model.languages;
      const name = `${this.nameOf(source, "source")} → ${this.nameOf(target, "target")}`;
      const made = button("", name, () => this.openModel(n));
      made.ariaPressed = model === this.model;
      return made;
    });
    byId("models").replaceChildren(...(buttons.length > 1 ? buttons : []));
  }

  offerExamples() {
    const { examples } = this.model;
    const buttons = examples.map((text) => button("", text, () => this.translate(text)));
    byId("examples").replaceChildren(this.say("examples.chips"), ...buttons);
  }

  // Shows the prepared examples: each is a sentence and a head.
  offerGallery() {
    const { gallery } = this.model;
    const buttons = gallery.map(({ phenomenon, title, task = [], sentence, ...head }) =>
      button("", title ?? this.say(`gallery.${phenomenon}.title`), () => {
        this.showExample(sentence, head);
        this.showTask(task);
      }),
    );
    byId("gallery").hidden = !gallery.length;
    byId("gallery").lastChild.replaceChildren(...buttons);
  }

  // Shows what a teacher wrote about an example: what to look for, and a question.
  showTask(texts) {
    const paragraphs = texts.map((text) => element("p", { dir: "auto" }, text));
    byId("task").replaceChildren(...paragraphs);
    byId("task").hidden = !texts.length;
  }

  showExample(sentence, head) {
    Object.assign(this.maps.shown, head, { cells: "weights", panel: "map" });
    this.off = [];
    this.translate(sentence);
    scrollTo(this.maps.node, "start");
  }
}

// Returns the name of a model in a link, such as "en-fr".
function nameOfModel({ languages }) {
  return languages.join("-");
}

// Returns the language of the interface.
function language() {
  return document.documentElement.lang.startsWith("zh") ? "zh" : "en";
}

function setLanguage(code) {
  document.documentElement.lang = code === "zh" ? "zh-Hans" : "en";
}

function isSame(one, other) {
  return one.join() === other.join();
}

// Sends the text of the box at Enter. The box has several lines only so that it can grow.
function sendAtEnter(event) {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  event.target.blur(); // makes the browser send the event "change" now
  event.target.focus();
}

// Shows only the sentence, its translation and the picture, or everything again.
function present(isOn) {
  document.documentElement.toggleAttribute("data-present", isOn);
  dispatchEvent(new Event("resize")); // the box of the sentence has letters of a different size now
}

function onKey(event) {
  if (isTaken(event, "input:not([type=radio]), textarea, select")) return;
  const key = letterKey(event);
  if (key === "p") present();
  else if (key === "Escape") present(false);
  else if (key === " " && event.target === document.body) {
    dispatchEvent(new Event("play", { cancelable: true }));
  } else return;
  event.preventDefault();
}
