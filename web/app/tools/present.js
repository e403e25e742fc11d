// On a projector: the picture alone, large, and keys in place of the controls.
// What is hidden is still there: a key presses the control that stands for it.

import { isPlaying, play } from "./play.js";
import { move, press, step } from "./stepping.js";

const root = document.documentElement;
const REVEALS = ".st-key-map-reveal button, .st-key-experiments-reveal button"; // what a class guesses
const MAPS = ":is(.st-key-map, .st-key-two, .st-key-lines)";
const AT_MOST = 1.6; // times as large as on the page

export function present(on) {
  root.toggleAttribute("data-present", on);
  if (!on) play(false);
  fit();
  dispatchEvent(new Event("resize")); // charts take the width that there is now
}

// As large as a whole map still fits on the screen.
export function fit() {
  root.style.setProperty("--zoom", AT_MOST);
  const bottom = document.querySelector(MAPS)?.getBoundingClientRect().bottom || 0;
  const fitting = (AT_MOST * innerHeight) / bottom;
  root.style.setProperty("--zoom", Math.min(AT_MOST, Math.max(1, fitting)));
}

const KEYS = {
  ArrowRight: () => step("next"),
  ArrowLeft: () => step("back"),
  ArrowDown: () => press(["choice-layer"], 1) ?? move(1, 0),
  ArrowUp: () => press(["choice-layer"], -1) ?? move(-1, 0),
  " ": () => dispatchEvent(new Event("play", { cancelable: true })) && play(!isPlaying()),
  Enter: () => document.querySelector(REVEALS)?.click(),
  l: () => press(["language-switch"], 1) || press(["language-switch"], -1),
  Escape: () => present(false),
};

export function onKey(event) {
  const [target] = event.composedPath(); // within a component, too
  const typing = target.closest?.("input, textarea, select, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !event.isTrusted) return;
  if (event.key === "p") present(!root.hasAttribute("data-present"));
  else if (root.hasAttribute("data-present") && KEYS[event.key]) KEYS[event.key]();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
