// A worksheet for a class: a sentence, its translation, the picture with or without numbers, an
// empty grid to fill in, and lines for answers.

import { button, element } from "../../pictures/elements.js";
import { REDRAW } from "../../pictures/paper.js";
import { drawShown } from "./figure_picture.js";
import { printed } from "./print.js";

const PARTS = ["map", "numbers", "grid", "lines"];
const LINES = 8; // for answers
const EMPTY = ["cells", "numbers"]; // what an empty grid leaves out

/**
 * Asks what a worksheet should hold, and prints it.
 *
 * @param {Element} figure
 * @param {object} words of the tools of a page
 */
export function askForWorksheet(figure, words) {
  document.querySelector("dialog.sheet-parts")?.remove();
  const hasGrid = mapsOf(figure).length === 1;
  const offered = PARTS.filter((part) => hasGrid || !["numbers", "grid"].includes(part));
  const choices = offered.map((part) => {
    const input = element("input", { type: "checkbox", name: part, checked: true });
    return element("label", {}, input, ` ${words[`sheet_${part}`]}`);
  });
  const dialog = element("dialog", { className: "sheet-parts" });
  const print = () => {
    const chosen = [...dialog.querySelectorAll(":checked")].map(({ name }) => name);
    dialog.close();
    printSheet(worksheet(figure, chosen, words));
  };
  dialog.append(
    element("h2", {}, words.sheet_title),
    ...choices,
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

function worksheet(figure, chosen, words) {
  const { title, sentence, target } = figure.querySelector(".figure-bar").dataset;
  const parts = [element("h1", {}, title), ruled(words.sheet_name)];
  if (sentence) parts.push(labelled(words.sheet_sentence, sentence));
  if (target) parts.push(labelled(words.sheet_translation, target));
  document.documentElement.toggleAttribute("data-paper", true);
  dispatchEvent(new Event(REDRAW));
  if (chosen.includes("map")) {
    const leftOut = chosen.includes("numbers") ? [] : ["numbers"];
    parts.push(drawnWithout(figure, leftOut, { title: false }));
  }
  if (chosen.includes("grid")) {
    const grid = drawnWithout(figure, EMPTY, { title: false, facts: false });
    parts.push(element("section", {}, element("p", {}, words.sheet_fill), grid));
  }
  document.documentElement.toggleAttribute("data-paper", false);
  dispatchEvent(new Event(REDRAW));
  if (chosen.includes("lines")) {
    const lines = Array.from({ length: LINES }, () => element("div", { className: "ruled" }));
    parts.push(element("section", {}, element("p", {}, words.sheet_answers), ...lines));
  }
  return element("article", { className: "paper-sheet" }, ...parts);
}

function ruled(label) {
  return element("p", { className: "ruled" }, label);
}

function labelled(label, text) {
  return element("p", {}, element("b", {}, label), " ", element("bdi", { translate: false }, text));
}

function drawnWithout(figure, leftOut, around) {
  const maps = mapsOf(figure);
  for (const map of maps) map.leaveOut(leftOut);
  const picture = drawShown(figure, around);
  for (const map of maps) map.leaveOut([]);
  return element("div", { className: "drawn" }, ...(picture ? [printed(picture)] : []));
}

// The maps of a figure, each on its own canvas, also inside components.
function mapsOf(figure) {
  const roots = [...figure.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot);
  return [figure, ...roots.filter(Boolean)]
    .flatMap((root) => [...root.querySelectorAll("canvas")])
    .filter(({ leaveOut }) => leaveOut);
}

function printSheet(sheet) {
  document.body.append(sheet);
  addEventListener("afterprint", () => sheet.remove(), { once: true });
  print();
}
