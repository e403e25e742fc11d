// The controls of a page, moved by one step.

export const PLAYED = ".st-key-play input[type=range]";

// The option beside the chosen one, of the first of these controls that the page has.
export function press(keys, by) {
  const controls = keys.map((key) => [...document.querySelectorAll(`.st-key-${key} [role=radio]`)]);
  const options = controls.find(({ length }) => length > 1);
  if (!options) return null;
  const next = options[options.findIndex((option) => option.ariaChecked === "true") + by];
  next?.click();
  return Boolean(next);
}

// The slider that can be played, else the page's first one, by one step. React hears only of a value
// that was set behind its back. Returns whether there is one more step.
export function slide(key, value) {
  const slider =
    document.querySelector(PLAYED) ?? document.querySelector(".stMain input[type=range]");
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
export function step(way) {
  const by = way === "next" ? 1 : -1;
  const button = document.querySelector(`.st-key-architecture-${way} button`);
  if (button) {
    button.click();
    return !button.disabled;
  }
  return (
    slide(by > 0 ? "ArrowRight" : "ArrowLeft") ??
    press(["qkv-step", "choice-head"], by) ??
    move(0, by)
  );
}

// So many layers and heads from the one that the page's grid of heads has picked, if it has a grid.
export const move = (...by) =>
  !dispatchEvent(new CustomEvent("move-head", { detail: by, cancelable: true }));
