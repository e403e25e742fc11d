// Moves the page's controls by one step. ui/frame/projector.py selects the controls.

let selectors = null;

/**
 * Stores the CSS selectors of the controls.
 *
 * Where a list of selectors is given, the first one that the page has is used.
 *
 * @param {object} given
 * @param {string} given.slider a slider that can be played
 * @param {string} given.next button that goes to the next step
 * @param {string} given.back button that goes to the previous step
 * @param {string} given.steps a lesson whose steps the keys of a clicker change in any mode
 * @param {string[]} given.across radio buttons that the left and right arrow keys move
 * @param {string[]} given.down radio buttons that the up and down arrow keys move
 * @param {string[]} given.language radio buttons of the languages
 * @param {string} given.reveal button that reveals the answer to a class's guess
 * @param {string[]} given.cases radio buttons that show what a step of a lesson claims
 * @param {string} given.answer button that does the same
 * @param {string[]} given.views radio buttons of the views of the page
 * @param {string} given.here entry of the open page in the menu or in its own bar
 * @param {string} given.lesson the start page's link to the lesson of five minutes
 */
export function setControls(given) {
  selectors = given;
}

/**
 * Returns the slider that can be played.
 *
 * @returns {HTMLInputElement | null}
 */
export function playedSlider() {
  return document.querySelector(selectors.slider);
}

/**
 * Returns whether the page is a lesson whose steps follow the keys of a clicker.
 *
 * @returns {boolean}
 */
export function hasSteps() {
  return document.querySelector(selectors.steps) !== null;
}

/**
 * Returns the link of the start page to the lesson that a clicker opens.
 *
 * @returns {HTMLAnchorElement | null}
 */
export function lessonLink() {
  return document.querySelector(selectors.lesson);
}

/** Presses the button that reveals the answer to a class's guess. */
export function reveal() {
  document.querySelector(selectors.reveal)?.click();
}

/**
 * Shows the effect of a lesson's step: the next case of its control, or the answer to its question.
 *
 * @returns {boolean} whether something was left to show
 */
export function showEffect() {
  const answer = document.querySelector(selectors.answer);
  answer?.click();
  return Boolean(answer) || choose(selectors.cases, 1) === true;
}

/** Switches to the other language. */
export function switchLanguage() {
  if (!choose(selectors.language, 1)) choose(selectors.language, -1);
}

/**
 * Moves forward or back by one step: of a lesson, of a translation that is being written, or of a
 * slider (token or training step); or else by one head.
 *
 * @param {1 | -1} by
 * @returns {boolean} whether a further step exists
 */
export function step(by) {
  const button = document.querySelector(by > 0 ? selectors.next : selectors.back);
  if (button) {
    button.click();
    return !button.disabled;
  }
  if (writeToken(by)) return true;
  return slide(by) ?? choose(selectors.across, by) ?? moveHead(0, by);
}

/**
 * Moves forward or back with a clicker: by a step if there is one, or else by a view of the page,
 * or else by a page of the menu. So two buttons lead through the whole app.
 *
 * @param {1 | -1} by
 */
export function goOn(by) {
  if (!takeStep(by) && !choose(selectors.views, by)) openPageBeside(by);
}

// Moves like `step`, but only a slider that can be played. Returns whether something moved, and not
// whether a further step exists: `goOn` leaves a view only after its last step.
function takeStep(by) {
  const button = document.querySelector(by > 0 ? selectors.next : selectors.back);
  if (button) {
    button.click();
    return !button.disabled;
  }
  if (writeToken(by)) return true;
  const slider = playedSlider();
  if (slider) {
    const next = Number(slider.value) + by * Number(slider.step || 1);
    if (next < Number(slider.min) || next > Number(slider.max)) return false;
    slide(by);
    return true;
  }
  return choose(selectors.across, by) ?? moveHead(0, by);
}

// Writes or removes a token of the translation. Returns whether there was one.
// The picture then prevents the event's default.
function writeToken(by) {
  const event = new CustomEvent("token", { detail: by, cancelable: true });
  return !dispatchEvent(event);
}

function openPageBeside(by) {
  const places = [...document.querySelectorAll(selectors.here)];
  const here = places.at(-1)?.closest(".stElementContainer");
  const beside = by > 0 ? here?.nextElementSibling : here?.previousElementSibling;
  beside?.querySelector("a")?.click();
}

/**
 * Goes down or up by one layer.
 *
 * @param {1 | -1} by
 */
export function stepLayer(by) {
  if (choose(selectors.down, by) === null) moveHead(by, 0);
}

// Chooses the next option in the first of these controls that the page has.
// Returns whether such an option exists; null if the page has none of the controls.
function choose(controls, by) {
  const lists = controls.map((control) => [
    ...document.querySelectorAll(`${control} [role=radio]`),
  ]);
  const options = lists.find(({ length }) => length > 1);
  if (!options) return null;
  const next = options[options.findIndex((option) => option.ariaChecked === "true") + by];
  next?.click();
  return Boolean(next);
}

// Moves the slider that can be played, or else the first slider.
// Returns whether a further step exists; null if the page has no slider.
function slide(by) {
  const slider = playedSlider() ?? document.querySelector(".stMain input[type=range]");
  if (!slider) return null;
  const value = Number(slider.value) + by * Number(slider.step || 1);
  setSlider(slider, value, by > 0 ? "ArrowRight" : "ArrowLeft");
  return value < Number(slider.max);
}

/**
 * Moves a slider to its first step.
 *
 * @param {HTMLInputElement} slider
 * @returns {boolean} whether a further step exists
 */
export function rewind(slider) {
  setSlider(slider, Number(slider.min), "Home");
  return Number(slider.min) < Number(slider.max);
}

// React does not notice a value that is set on the element, so use the setter of its prototype.
function setSlider(slider, value, key) {
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  slider.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  set.call(slider, value);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  slider.dispatchEvent(new KeyboardEvent("keyup", { key, bubbles: true }));
}

// Moves by layers and heads in the grid of heads.
// Returns whether the page has a grid with such a head.
// The grid then prevents the event's default.
function moveHead(down, right) {
  const event = new CustomEvent("move-head", { detail: [down, right], cancelable: true });
  return !dispatchEvent(event);
}
