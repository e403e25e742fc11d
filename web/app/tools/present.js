// For projectors: shows only the picture, large, with keys in place of the controls. The controls
// are hidden, but still there: a key presses the control that does the same.

import { isTaken, letterKey } from "../../pictures/letter_key.js";
import { isPlaying, play } from "./play.js";
import { largeMap, reveal, step, stepLayer, switchLanguage } from "./page_controls.js";

const LARGEST_ZOOM = 1.6; // times as large as on the page

const root = document.documentElement;

/**
 * Begins or ends presenting.
 *
 * @param {boolean} isOn
 */
export function present(isOn) {
  root.toggleAttribute("data-present", isOn);
  if (!isOn) play(false);
  fitToScreen();
  dispatchEvent(new Event("resize")); // lets charts adapt to the new width
}

/** Zooms the page as far as a whole map still fits on the screen. */
export function fitToScreen() {
  root.style.setProperty("--zoom", LARGEST_ZOOM); // measure the map at this zoom
  const bottom = largeMap()?.getBoundingClientRect().bottom || 0;
  const fitting = (LARGEST_ZOOM * innerHeight) / bottom;
  root.style.setProperty("--zoom", Math.min(LARGEST_ZOOM, Math.max(1, fitting)));
}

const KEYS = {
  ArrowRight: () => step(1),
  ArrowLeft: () => step(-1),
  ArrowDown: () => stepLayer(1),
  ArrowUp: () => stepLayer(-1),
  " ": playPictureOrPage,
  Enter: reveal,
  l: switchLanguage,
  Escape: () => present(false),
};

// A picture that handles the key itself prevents the event's default.
function playPictureOrPage() {
  const isUnheard = dispatchEvent(new Event("play", { cancelable: true }));
  if (isUnheard) play(!isPlaying());
}

/**
 * Handles a key: "p" begins or ends presenting, the other keys work while presenting.
 *
 * @param {KeyboardEvent} event
 */
export function onKey(event) {
  if (isTaken(event) || !event.isTrusted) return;
  const key = letterKey(event);
  const isPresenting = root.hasAttribute("data-present");
  if (key === "p") present(!isPresenting);
  else if (isPresenting && KEYS[key]) KEYS[key]();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
