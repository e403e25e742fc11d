// On a projector: the picture alone, large, and keys in place of the controls.
// What is hidden is still there: a key presses the control that stands for it.

const root = document.documentElement;
const REVEALS = ".st-key-map-reveal button, .st-key-experiments-reveal button"; // what a class guesses
const MAPS = ":is(.st-key-map, .st-key-two, .st-key-lines)";
const AT_MOST = 1.6; // times as large as on the page

function present(on) {
  root.toggleAttribute("data-present", on);
  if (!on) play(false);
  fit();
  dispatchEvent(new Event("resize")); // charts take the width that there is now
}

// As large as a whole map still fits on the screen.
function fit() {
  root.style.setProperty("--zoom", AT_MOST);
  const bottom = document.querySelector(MAPS)?.getBoundingClientRect().bottom || 0;
  const fitting = (AT_MOST * innerHeight) / bottom;
  root.style.setProperty("--zoom", Math.min(AT_MOST, Math.max(1, fitting)));
}

// The option beside the chosen one, of the first of these controls that the page has.
function press(keys, by) {
  const controls = keys.map((key) => [...document.querySelectorAll(`.st-key-${key} [role=radio]`)]);
  const options = controls.find(({ length }) => length > 1);
  if (!options) return null;
  const next = options[options.findIndex((option) => option.ariaChecked === "true") + by];
  next?.click();
  return Boolean(next);
}

// The slider that can be played, else the page's first one, by one step. React hears only of a value
// that was set behind its back. Returns whether there is one more step.
function slide(key, value) {
  const slider = document.querySelector(PLAYED) ?? document.querySelector(".stMain input[type=range]");
  if (!slider) return null;
  const by = Number(slider.step || 1) * (key === "ArrowLeft" ? -1 : 1);
  const set = Number(value ?? Number(slider.value) + by);
  slider.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(slider, set);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  slider.dispatchEvent(new KeyboardEvent("keyup", { key, bubbles: true }));
  return set < Number(slider.max);
}

// Token or training step where there is a slider, else the lesson's step, else the head.
function step(way) {
  const by = way === "next" ? 1 : -1;
  const button = document.querySelector(`.st-key-architecture-${way} button`);
  if (button) {
    button.click();
    return !button.disabled;
  }
  return slide(by > 0 ? "ArrowRight" : "ArrowLeft") ?? press(["qkv-step", "choice-head"], by) ?? move(0, by);
}

// So many layers and heads from the one that the page's grid of heads has picked, if it has a grid.
const move = (...by) => !dispatchEvent(new CustomEvent("move-head", { detail: by, cancelable: true }));

const KEYS = {
  ArrowRight: () => step("next"),
  ArrowLeft: () => step("back"),
  ArrowDown: () => press(["choice-layer"], 1) ?? move(1, 0),
  ArrowUp: () => press(["choice-layer"], -1) ?? move(-1, 0),
  " ": () => dispatchEvent(new Event("play", { cancelable: true })) && play(!playing),
  Enter: () => document.querySelector(REVEALS)?.click(),
  l: () => press(["language-switch"], 1) || press(["language-switch"], -1),
  Escape: () => present(false),
};

function onKey(event) {
  const [target] = event.composedPath(); // within a component, too
  const typing = target.closest?.("input, textarea, select, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !event.isTrusted) return;
  if (event.key === "p") present(!root.hasAttribute("data-present"));
  else if (root.hasAttribute("data-present") && KEYS[event.key]) KEYS[event.key]();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
