// A page is played: its next step, and the next, until the last one, a click, or another page. The
// browser moves the page's own slider, and waits until the answer to a step is there: in `--at` the
// page says which step of the slider it shows.

import { still } from "../../pictures/motion.js";
import { PLAYED, slide, step } from "./stepping.js";

const root = document.documentElement;
const PACE = 1200; // milliseconds from one step to the next, where the button says nothing else
const AGAIN = 100; // milliseconds until an answer is looked for again
export const TAKEN_IN_HAND = ["click", "pointerdown", "keydown"];
let playing = 0;
let playedAt = null; // what is played: a slider, or a page that has none

export const isPlaying = () => playing !== 0;

export function play(on) {
  clearTimeout(playing);
  playing = 0;
  root.toggleAttribute("data-playing", on);
  if (!on) return;
  playedAt = here();
  next();
}

function next() {
  const slider = document.querySelector(PLAYED);
  const last = slider && Number(slider.value) >= Number(slider.max);
  const more = last && !playing ? slide("Home", slider.min) : step("next");
  if (!more || still.matches) return play(false);
  playing = setTimeout(goOn, document.querySelector("[data-play]")?.dataset.play || PACE);
}

function goOn() {
  if (document.hidden || here() !== playedAt) play(false);
  else if (answered()) next();
  else playing = setTimeout(goOn, AGAIN);
}

const here = () => document.querySelector(PLAYED) ?? location.pathname;

function answered() {
  const slider = document.querySelector(PLAYED);
  const at = slider && getComputedStyle(slider).getPropertyValue("--at");
  return (
    document.querySelector("[data-test-script-state=notRunning]") &&
    (!at || Number(at) === Number(slider.value))
  );
}

// A click on the button plays or pauses; who takes the page in hand, or the slider with keys, ends it.
export function onPlay(event) {
  if (!event.isTrusted) return;
  if (event.target.closest?.("[data-play]")) event.type === "click" && play(!playing);
  else if (playing && (event.type !== "keydown" || event.target.type === "range")) play(false);
}
