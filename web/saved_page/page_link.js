// Reads and writes links to the state of a page without a server.
// An example is #sentence=It+rains.&layer=3&head=4.
// The names are those of the app's links. Layers and heads count from 1.

import { wholeLink } from "../pictures/whole_link.js";

// Name of a parameter -> name of the choice in `AnalysisView.shown`. Each is one of a few texts.
const LISTED = { attention: "kind", rows: "rows", panel: "panel", cells: "cells", unit: "unit" };
const MEAN = "mean"; // value of `view` for all heads together

/**
 * Returns the parameters of the link that opened the page.
 *
 * @returns {URLSearchParams}
 */
export function readLink() {
  return new URLSearchParams(location.hash.slice(1));
}

/**
 * Returns the choices of a link that this page offers. All others are ignored.
 *
 * @param {URLSearchParams} link
 * @param {object} offered `layers` and `heads` are numbers; `kind`, `rows`, `panel`,
 *   `cells` and `unit` are lists of options
 * @returns {object} by the names of `AnalysisView.shown`
 */
export function choicesOf(link, offered) {
  const chosen = {};
  for (const [name, choice] of Object.entries(LISTED)) {
    const value = link.get(name);
    if (offered[choice]?.includes(value)) chosen[choice] = value;
  }
  const layer = numberOf(link.get("layer"), offered.layers);
  const head = numberOf(link.get("head"), offered.heads);
  if (layer) chosen.layer = layer - 1;
  if (head) chosen.head = head - 1;
  if (link.get("view") === MEAN) chosen.head = null;
  return chosen;
}

function numberOf(text, highest) {
  return /^[1-9]\d{0,3}$/.test(text) && Number(text) <= highest ? Number(text) : 0;
}

/**
 * Returns a link to the current state of the page.
 *
 * @param {object} shown as in `AnalysisView`
 * @param {object} [texts] further parameters, such as the sentence
 * @returns {string} begins with "#"
 */
export function linkTo(shown, texts = {}) {
  const link = new URLSearchParams(texts);
  for (const [name, choice] of Object.entries(LISTED)) {
    if (shown[choice]) link.set(name, shown[choice]);
  }
  link.set("layer", shown.layer + 1);
  if (shown.head === null) link.set("view", MEAN);
  else link.set("head", shown.head + 1);
  return wholeLink(`#${link}`);
}

/**
 * Writes a link into the address of the page, so that it can be copied from there.
 *
 * @param {string} link
 */
export function writeLink(link) {
  try {
    history.replaceState(history.state, "", link);
  } catch {
    // a frame in a notebook has no address of its own
  }
}
