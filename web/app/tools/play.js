// Plays a page: moves its slider step by step until the last step, a click, or another page.
// After each step it waits for the server.
// The slider's CSS property `--at` holds the step that the page shows.

import { prefersStill } from "../../pictures/motion.js";
import { playedSlider, rewind, step } from "./page_controls.js";

const STEP_TIME = 1200; // milliseconds of a step, unless the button sets a different time
const LOOK_AGAIN = 100; // milliseconds between two checks for an answer

let timer = 0; // 0 if nothing is played
let begunWith = ""; // page and sentence that were played last
let played = null; // the slider that is played, or the address of a page without a slider

/** The events that may begin or end playing. */
export const PLAY_EVENTS = ["click", "pointerdown", "keydown"];

/**
 * Returns whether the page is being played.
 *
 * @returns {boolean}
 */
export function isPlaying() {
  return timer !== 0;
}

/**
 * Begins or ends playing.
 *
 * @param {boolean} isOn
 */
export function play(isOn) {
  clearTimeout(timer);
  timer = 0;
  document.documentElement.toggleAttribute("data-playing", isOn);
  if (!isOn) return;
  played = playable();
  goOn();
}

// Takes the next step, or the first one if playing begins anew. Waits for its answer, or ends.
function goOn() {
  const slider = playedSlider();
  const hasMore = slider && !isPlaying() && beginsAnew(slider) ? rewind(slider) : step(1);
  if (!hasMore || prefersStill()) {
    play(false);
    return;
  }
  const ownTime = document.querySelector("[data-play]")?.dataset.play;
  timer = setTimeout(goOnWhenAnswered, ownTime || STEP_TIME);
}

// Returns whether playing begins at the first step: at the end, and at the first play of a sentence
// on a page that opens at a later step.
function beginsAnew(slider) {
  const sentence = new URLSearchParams(location.search).get("sentence");
  const beginsWith = `${location.pathname} ${sentence}`;
  const isFirstPlay = begunWith !== beginsWith;
  begunWith = beginsWith;
  const opensLater = document.querySelector("[data-play][data-opens-later]") !== null;
  return Number(slider.value) >= Number(slider.max) || (isFirstPlay && opensLater);
}

function goOnWhenAnswered() {
  if (document.hidden || playable() !== played) play(false);
  else if (isAnswered()) goOn();
  else timer = setTimeout(goOnWhenAnswered, LOOK_AGAIN);
}

function playable() {
  return playedSlider() ?? location.pathname;
}

function isAnswered() {
  if (!document.querySelector("[data-test-script-state=notRunning]")) return false;
  const slider = playedSlider();
  const at = slider && getComputedStyle(slider).getPropertyValue("--at");
  return !at || Number(at) === Number(slider.value);
}

/**
 * Begins playing at a click on the button. Ends it at any click, or at a key on a slider.
 *
 * @param {Event} event one of PLAY_EVENTS
 */
export function onPlayEvent(event) {
  if (!event.isTrusted) return; // ignore the clicks of this script
  if (event.target.closest?.("[data-play]")) {
    if (event.type === "click") play(!isPlaying());
  } else if (isPlaying() && (event.type !== "keydown" || event.target.type === "range")) {
    play(false);
  }
}
