// On a projector: the picture alone, large, and keys in place of the controls.
// What is hidden is still there: a key presses the control that stands for it.

const root = document.documentElement;
const PLAY = 1200; // milliseconds from one picture to the next
let playing = 0;

function present(on) {
  root.toggleAttribute("data-present", on);
  if (!on) play(false);
  dispatchEvent(new Event("resize")); // charts take the width that there is now
}

function play(on) {
  clearInterval(playing);
  playing = on ? setInterval(() => step("next") || play(false), PLAY) : 0;
}

// The option beside the chosen one, of the first of these controls that the page has.
function press(keys, by) {
  for (const key of keys) {
    const options = [...document.querySelectorAll(`.st-key-${key} [role=radio]`)];
    if (options.length > 1) {
      const now = options.findIndex((option) => option.ariaChecked === "true");
      options[now + by]?.click();
      return now + by >= 0 && now + by < options.length;
    }
  }
  return null;
}

// The page's first slider; React hears only of a value that was set behind its back.
function slide(by) {
  const slider = document.querySelector(".stMain input[type=range]");
  if (!slider) return null;
  const value = Number(slider.value) + by * Number(slider.step || 1);
  const key = { key: by > 0 ? "ArrowRight" : "ArrowLeft", bubbles: true };
  slider.dispatchEvent(new KeyboardEvent("keydown", key));
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(slider, value);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  slider.dispatchEvent(new KeyboardEvent("keyup", key));
  return value < Number(slider.max);
}

// Token or training step where there is a slider, else the lesson's step, else the head.
function step(way) {
  const by = way === "next" ? 1 : -1;
  const button = document.querySelector(`.st-key-architecture-${way} button`);
  if (button) {
    button.click();
    return !button.disabled;
  }
  return slide(by) ?? press(["qkv-step", "choice-head"], by) ?? false;
}

const KEYS = {
  ArrowRight: () => step("next"),
  ArrowLeft: () => step("back"),
  ArrowDown: () => press(["choice-layer"], 1),
  ArrowUp: () => press(["choice-layer"], -1),
  " ": () => play(!playing),
  Escape: () => present(false),
};

function onKey(event) {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !event.isTrusted) return;
  if (event.key === "p") present(!root.hasAttribute("data-present"));
  else if (root.hasAttribute("data-present") && KEYS[event.key]) KEYS[event.key]();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
