// Presentation mode for projectors: shows only the picture, as large as the screen.
// The controls are hidden but still exist. A key presses the control with the same effect.
// A clicker sends PageUp, PageDown, F5 and b.

import { isTaken, letterKey } from "../../pictures/letter_key.js";
import { fitToScreen } from "./fit_to_screen.js";
import {
  goOn,
  hasSteps,
  lessonLink,
  reveal,
  step,
  stepLayer,
  switchLanguage,
} from "./page_controls.js";
import { isPlaying, play } from "./play.js";

const PARAMETER = "present"; // in the address
const KEYS_REST = 500; // milliseconds after the last key until the server learns the mode

const root = document.documentElement;

let onChange = null; // function that tells the server whether the page is presented
let presentsOnServer = null; // the value that the server received last
let timer = 0;

/**
 * Keeps presentation mode on or off on a page that has just been drawn. A page that is loaded with
 * the parameter is marked from the beginning: see ui/server/first_paint.py.
 *
 * @param {(isOn: boolean) => void} tellServer called when the mode has changed
 */
export function keepPresenting(tellServer) {
  onChange = tellServer;
  presentsOnServer ??= root.hasAttribute("data-present");
  writeAddress();
}

/**
 * Switches presentation mode on or off.
 *
 * @param {boolean} isOn
 */
export function present(isOn) {
  root.toggleAttribute("data-present", isOn);
  root.removeAttribute("data-black");
  root.removeAttribute("data-code");
  if (!isOn) play(false);
  writeAddress();
  tellSoon();
  fitToScreen();
  dispatchEvent(new Event("resize")); // lets charts adapt to the new width
}

// Writes into the address whether the page is presented, so that a reload keeps the view.
function writeAddress() {
  const isOn = root.hasAttribute("data-present");
  const address = new URL(location.href);
  if ((address.searchParams.get(PARAMETER) === "1") === isOn) return;
  if (isOn) address.searchParams.set(PARAMETER, "1");
  else address.searchParams.delete(PARAMETER);
  history.replaceState(history.state, "", address);
}

// Delays the message to the server.
// Streamlit sends a slider's new value only a moment after a key press.
// A page run before this moment would reset the slider.
function tellSoon() {
  clearTimeout(timer);
  timer = setTimeout(tell, KEYS_REST);
}

function tell() {
  timer = 0;
  const isOn = root.hasAttribute("data-present");
  if (isOn === presentsOnServer) return;
  presentsOnServer = isOn;
  onChange(isOn);
}

const KEYS = {
  ArrowRight: () => step(1),
  ArrowLeft: () => step(-1),
  ArrowDown: () => stepLayer(1),
  ArrowUp: () => stepLayer(-1),
  PageDown: () => goOn(1),
  PageUp: () => goOn(-1),
  " ": playPictureOrPage,
  Enter: reveal,
  b: () => root.toggleAttribute("data-black"),
  ".": () => root.toggleAttribute("data-black"),
  q: () => root.toggleAttribute("data-code"),
  l: switchLanguage,
  Escape: () => present(false),
};

// Plays a picture, or else the page. A picture that plays prevents the event's default.
function playPictureOrPage() {
  const isUnheard = dispatchEvent(new Event("play", { cancelable: true }));
  if (isUnheard) play(!isPlaying());
}

/**
 * Handles a key: "p" switches presentation mode on or off, F5 switches it on, and the other keys
 * work only in presentation mode.
 *
 * @param {KeyboardEvent} event
 */
export function onKey(event) {
  if (isTaken(event) || !event.isTrusted) return;
  if (timer) tellSoon();
  const key = letterKey(event);
  const isPresenting = root.hasAttribute("data-present");
  // While presenting, F5 reloads the page as usual. The address keeps the view. Only on the start
  // page both keys of a clicker open the lesson.
  const lesson = isPresenting && (key === "F5" || key === "PageDown") ? lessonLink() : null;
  const isUsed = lesson !== null || Object.hasOwn(KEYS, key);
  if (key === "p" || (key === "F5" && !isPresenting)) present(!isPresenting);
  else if (root.hasAttribute("data-black") && isUsed) root.removeAttribute("data-black");
  else if (hasSteps() && key.startsWith("Page")) return; // see step_keys.js
  else if (lesson) lesson.click();
  else if (isPresenting && isUsed) KEYS[key]();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
