// A worksheet for a class: a sentence, its translation, a picture, and lines for answers.
// It can also contain an empty grid to fill in.

import { button, element } from "./elements.js";
import { drawForPaper } from "./paper.js";

const PARTS = ["map", "numbers", "grid", "lines"];
const OF_CELLS = ["numbers", "grid"]; // parts that need cells that are large enough
const LINES = 8; // number of empty lines for answers
const EMPTY = ["cells", "numbers"]; // the parts of a map that an empty grid does not show
const NOTES = "notes"; // sum and entropy of each row, which a class does not need
const MARKS = /<[be]os>/; // the tokens at the ends of a sentence

/**
 * Asks for the content of a worksheet, and prints it.
 *
 * @param {object} subject of the worksheet
 * @param {string} subject.title
 * @param {string} [subject.attention] "cross", "encoder_self" or "decoder_self" if the picture
 *   shows where this attention looks: then a question is above the title
 * @param {string} [subject.sentence]
 * @param {string} [subject.target] its translation
 * @param {string} [subject.legend] sentences that explain the picture
 * @param {() => object} subject.room returns an object with the parts that the picture can have:
 *   "numbers" and "grid" (an empty grid); a part is false if its cells would be too small on paper
 * @param {(leftOut: string[]) => Element} subject.draw returns the picture without "cells",
 *   "numbers" or "notes"
 * @param {object} words `sheet_title`, `sheet_print` and others
 */
export function askForWorksheet(subject, words) {
  document.querySelector("dialog.sheet-parts")?.remove();
  const room = drawForPaper(subject.room);
  const offered = PARTS.filter((part) => !OF_CELLS.includes(part) || part in room);
  const choices = offered.map((part) => {
    const disabled = room[part] === false;
    const input = element("input", { type: "checkbox", name: part, checked: !disabled, disabled });
    const why = disabled ? ` (${words.sheet_too_small})` : "";
    return element("label", {}, input, ` ${words[`sheet_${part}`]}${why}`);
  });
  const hasMap = OF_CELLS.some((part) => part in room);
  const whyLess = !hasMap && words.sheet_no_map ? [element("small", {}, words.sheet_no_map)] : [];
  const dialog = element("dialog", { className: "sheet-parts" });
  const print = () => {
    const chosen = [...dialog.querySelectorAll(":checked")].map(({ name }) => name);
    dialog.close();
    printSheet(worksheet(subject, chosen, words));
  };
  dialog.append(
    element("h2", {}, words.sheet_title),
    ...choices,
    ...whyLess,
    element(
      "p",
      {},
      button("print", words.sheet_print, print),
      button("cancel", words.sheet_cancel, () => dialog.close()),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

// Makes a worksheet with the chosen parts; see `PARTS`.
function worksheet({ title, attention, sentence, target, legend, draw }, chosen, words) {
  const parts = [...heading(title, words[`sheet_asks_${attention}`]), ruled(words.sheet_name)];
  if (sentence) parts.push(labelled(words.sheet_sentence, sentence));
  if (target) parts.push(labelled(words.sheet_translation, target));
  drawForPaper(() => {
    if (chosen.includes("map")) {
      const picture = draw(chosen.includes("numbers") ? [NOTES] : [NOTES, "numbers"]);
      const above = explained(picture, legend, words);
      parts.push(element("section", { className: "picture" }, ...above, picture));
    }
    if (chosen.includes("grid")) {
      const grid = draw(EMPTY);
      const above = chosen.includes("map") ? [] : explained(grid, legend, words);
      const fill = element("p", {}, words.sheet_fill);
      parts.push(element("section", { className: "grid" }, ...above, fill, grid));
    }
  });
  if (chosen.includes("lines")) {
    const lines = Array.from({ length: LINES }, () => element("div", { className: "ruled" }));
    const answers = element("p", {}, words.sheet_answers);
    parts.push(element("section", { className: "lines" }, answers, ...lines));
  }
  return element("article", { className: "paper-sheet" }, ...parts);
}

// Returns what explains the rows, the columns and the marks of a picture; [] if nothing does.
function explained(picture, legend, words) {
  const marks = MARKS.test(picture.textContent) ? words.sheet_marks : "";
  const text = [legend, marks].filter(Boolean).join(" ");
  return text ? [element("p", { className: "legend" }, text)] : [];
}

// A title such as "Cross-attention · layer 3" tells a class less than a question.
function heading(title, question) {
  if (!question) return [element("h1", {}, title)];
  return [element("h1", {}, question), element("p", { className: "map-title" }, title)];
}

function ruled(label) {
  return element("p", { className: "ruled" }, label);
}

function labelled(label, text) {
  return element("p", {}, element("b", {}, label), " ", element("bdi", { translate: false }, text));
}

function printSheet(sheet) {
  document.body.append(sheet);
  document.body.toggleAttribute("data-sheet", true);
  const forget = () => {
    sheet.remove();
    document.body.toggleAttribute("data-sheet", false);
  };
  addEventListener("afterprint", forget, { once: true });
  print();
}
