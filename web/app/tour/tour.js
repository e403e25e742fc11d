// A tour: a spotlight on a part of the page, and a bubble that says one thing about it.
// Both lie in the browser's top layer and leave the page below as it is, to be used.

import { mount } from "../mount.js";
import { button, element } from "../../pictures/elements.js";
import { still } from "../../pictures/motion.js";

const GAP = 12; // pixels between the spotlight, the bubble and the edges of the window
const AROUND = 6; // pixels by which the spotlight is larger than what it is on
const SETTLING = 2500; // milliseconds in which a page may still move what it shows
const AGAIN = 400; // milliseconds until it is looked at again
const BUTTON = ".st-key-tour-begin button"; // has the focus when a tour has ended
const OPEN = "[role=listbox], [data-testid=stPopoverBody], [role=dialog][aria-modal=true]"; // closed by Esc itself

class Tour {
  constructor(parent) {
    this.text = element("p", { id: "said" });
    this.place = element("span", { className: "place" });
    this.leaving = button("leave", "", () => this.leave());
    this.back = button("back", "", () => this.go(this.n - 1));
    this.next = button("next", "", () => this.go(this.n + 1));
    const row = element(
      "div",
      { className: "row" },
      this.place,
      this.leaving,
      this.back,
      this.next,
    );
    const popover = "manual";
    this.spot = element("div", { className: "spot", popover });
    this.bubble = element(
      "div",
      { className: "bubble", popover, role: "dialog", tabIndex: -1 },
      this.text,
      row,
    );
    this.bubble.setAttribute("aria-describedby", "said");
    this.bubble.onkeydown = ({ key }) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (by && this.n + by > 0 && this.n + by <= this.of) this.go(this.n + by);
    };
    parent.append(this.spot, this.bubble);
  }

  // What the server says; of the steps that it has sent, the visitor may be at another one already.
  show({ steps, at, of, words }) {
    Object.assign(this, { steps, of, words });
    this.leaving.textContent = words.leave;
    this.back.textContent = words.back;
    if (at !== this.at || !steps.some((step) => step.n === this.n)) this.n = this.at = at;
    this.describe();
    this.listen();
  }

  listen() {
    this.rest();
    this.listening = new AbortController();
    const { signal } = this.listening;
    const isEscape = ({ key, defaultPrevented }) =>
      key === "Escape" && !defaultPrevented && !document.querySelector(OPEN);
    document.addEventListener("keydown", (event) => isEscape(event) && this.leave(), { signal });
    document.addEventListener("click", (event) => this.isGround(event) && this.leave(), { signal });
    for (const name of ["wheel", "touchmove"])
      document.addEventListener(name, () => (this.settled = 0), { signal, passive: true }); // the visitor moves the page
    this.follow();
  }

  rest() {
    this.listening?.abort();
    cancelAnimationFrame(this.frame);
  }

  go(n) {
    if (n > this.of) return this.leave();
    if (!this.steps.some((step) => step.n === n)) {
      this.bubble.ariaBusy = "true"; // until the server has brought us there
      return this.send("pick", n);
    }
    this.n = n;
    return this.describe();
  }

  leave() {
    this.rest();
    for (const layer of [this.spot, this.bubble]) layer.hidePopover?.();
    this.shown = null;
    document.querySelector(BUTTON)?.focus({ preventScroll: true });
    this.send("pick", 0);
  }

  describe() {
    const step = this.steps.find((each) => each.n === this.n);
    this.step = step;
    this.text.textContent = step.text;
    this.place.textContent = this.bubble.ariaLabel = step.label;
    this.back.disabled = this.n === 1;
    this.next.textContent = this.n === this.of ? this.words.done : this.words.next;
    this.bubble.ariaBusy = "false";
    if (this.shown === step.n) return; // the page has changed and the step has not
    this.shown = step.n;
    this.settled = performance.now() + SETTLING;
    this.looked = 0;
    for (const layer of [this.spot, this.bubble])
      if (!layer.matches(":popover-open")) layer.showPopover?.();
    this.bubble.focus({ preventScroll: true });
  }

  // The page draws late, scrolls and changes: the spotlight goes with what it is on.
  follow() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.follow());
    const found = boxOf(this.step);
    const now = performance.now();
    if (found && now < this.settled && now > this.looked + AGAIN) {
      this.looked = now;
      this.bring(found);
    }
    this.lay(found);
  }

  // Scroll so far that both have room, if they have not.
  bring({ top, bottom }) {
    const lowest = Math.max(GAP, innerHeight - 3 * GAP - this.bubble.offsetHeight - (bottom - top)); // with the bubble below
    if (top >= GAP && top <= lowest) return;
    const by = top - (top > lowest ? lowest : GAP);
    document
      .querySelector(".stMain")
      .scrollBy({ top: by, behavior: still.matches ? "auto" : "smooth" });
  }

  lay(found) {
    const [wide, high] = [this.bubble.offsetWidth, this.bubble.offsetHeight];
    const [right, low] = [innerWidth - GAP, innerHeight - GAP];
    const seen =
      found && within(found, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
    this.spot.hidden = !seen;
    let [left, top] = [(innerWidth - wide) / 2, low - high];
    if (seen) {
      left = Math.min(Math.max(GAP, seen.left), right - wide);
      const beside = Math.min(Math.max(GAP, seen.top), low - high);
      if (seen.bottom + GAP + high <= low) top = seen.bottom + GAP;
      else if (seen.top - GAP - high >= GAP) top = seen.top - GAP - high;
      else if (seen.right + GAP + wide <= right) [left, top] = [seen.right + GAP, beside];
      else if (seen.left - GAP - wide >= GAP) [left, top] = [seen.left - GAP - wide, beside];
      else seen.bottom = Math.min(seen.bottom, top - GAP); // larger than the window: its upper part
      put(this.spot, {
        left: seen.left,
        top: seen.top,
        width: seen.right - seen.left,
        height: seen.bottom - seen.top,
      });
    }
    put(this.bubble, { left, top });
  }

  // Beside the bubble, the lit part, and whatever can be used.
  isGround(event) {
    const path = event.composedPath();
    const used =
      "a, button, input, textarea, label, summary, canvas, svg, [role=option], [role=slider]";
    if (!event.isTrusted || path.some((node) => node === this.bubble || node.matches?.(used)))
      return false;
    const { left, top, right, bottom } = this.spot.getBoundingClientRect();
    return !(
      event.clientX >= left &&
      event.clientX <= right &&
      event.clientY >= top &&
      event.clientY <= bottom
    );
  }
}

// What a step is on, as far as the boxes that scroll show it; null where it is not on the page.
function boxOf({ target, row }) {
  const parts = [...document.querySelectorAll(target)].filter((part) => part.checkVisibility());
  if (!parts.length) return null;
  let box = edges(
    Math.min,
    Math.max,
    parts.map((part) => part.getBoundingClientRect()),
  );
  const canvas = [...parts[0].querySelectorAll("*")]
    .map((host) => host.shadowRoot?.querySelector("canvas"))
    .find(Boolean);
  if (row !== null && canvas?.rowAt) box = within({ ...box, ...canvas.rowAt(row) }, box) ?? box; // see matrices.js
  const { left, top, right, bottom } = box;
  return { left: left - AROUND, top: top - AROUND, right: right + AROUND, bottom: bottom + AROUND };
}

function edges(first, last, boxes) {
  const of = (choose, side) => choose(...boxes.map((box) => box[side]));
  return {
    left: of(first, "left"),
    top: of(first, "top"),
    right: of(last, "right"),
    bottom: of(last, "bottom"),
  };
}

function within(...boxes) {
  const cut = edges(Math.max, Math.min, boxes);
  return cut.right > cut.left && cut.bottom > cut.top ? cut : null;
}

function put(layer, pixels) {
  for (const [name, n] of Object.entries(pixels)) layer.style[name] = `${n}px`;
}

export default mount(Tour);
