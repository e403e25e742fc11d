import { button, element } from "../../pictures/elements.js";
import { prefersStill } from "../../pictures/motion.js";
import { mount } from "../mount.js";
import { boxOf, intersection, placeBubble } from "./spotlight.js";

const GAP = 12; // pixels between the spotlight, the bubble and the edges of the window
const SCROLLED_WITHIN = 2500; // milliseconds within which a page may still move its content
const LOOK_AGAIN = 400; // milliseconds between two checks whether to scroll
// Lists and dialogs of Streamlit, which Escape closes before it closes the tour.
const OPEN = "[role=listbox], [data-testid=stPopoverBody], [role=dialog][aria-modal=true]";
// Elements that a click may use while the tour is open.
const USABLE =
  "a, button, input, textarea, label, summary, canvas, svg, [role=option], [role=slider]";

/**
 * A tour: a spotlight on an element of the page, and a bubble that explains it.
 *
 * Both are in the browser's top layer; the page below stays usable. `show_bubbles` in
 * ui/components/tour describes the payload. Steps count from 1.
 */
class Tour {
  constructor(parent) {
    this.steps = []; // the steps of the tour on this page
    this.count = 0; // number of steps of the whole tour
    this.words = {};
    this.sentStep = 0; // the step that the server sent last
    this.current = 0; // the visitor's step
    this.shown = null; // the step that the bubble shows
    this.beginButton = ""; // CSS selector of the button that gets the focus after the tour
    this.scrollUntil = 0; // time until which the tour scrolls the page
    this.lookedAt = 0; // time of the last check whether to scroll
    this.frame = 0;
    this.listening = null;
    this.text = element("p", { id: "said" });
    this.place = element("span", { className: "place" });
    this.leaveButton = button("leave", "", () => this.leave());
    this.backButton = button("back", "", () => this.go(this.current - 1));
    this.nextButton = button("next", "", () => this.go(this.current + 1));
    const row = element(
      "div",
      { className: "row" },
      this.place,
      this.leaveButton,
      this.backButton,
      this.nextButton,
    );
    this.spot = element("div", { className: "spot", popover: "manual" });
    this.bubble = element(
      "div",
      {
        className: "bubble",
        popover: "manual",
        role: "dialog",
        tabIndex: -1,
        onkeydown: (event) => this.key(event),
      },
      this.text,
      row,
    );
    this.bubble.setAttribute("aria-describedby", "said");
    parent.append(this.spot, this.bubble);
  }

  key({ key }) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
    const next = this.current + by;
    if (by && next > 0 && next <= this.count) this.go(next);
  }

  // The visitor may already have moved to another of the steps that the server has sent.
  show({ steps, at, of, words, begin }) {
    this.steps = steps;
    this.count = of;
    this.words = words;
    this.beginButton = begin;
    this.leaveButton.textContent = words.leave;
    this.backButton.textContent = words.back;
    if (at !== this.sentStep || !this.stepOf(this.current)) {
      this.sentStep = at;
      this.current = at;
    }
    this.describe();
    this.listen();
  }

  stepOf(n) {
    return this.steps.find((step) => step.n === n);
  }

  listen() {
    this.stop();
    this.listening = new AbortController();
    const { signal } = this.listening;
    const onKey = (event) => this.isLeaving(event) && this.leave();
    // If the bubble moves while a button is pressed, the click reaches the page behind it.
    let pressedOnGround = false;
    const onPress = (event) => {
      pressedOnGround = this.isOnGround(event);
    };
    const onClick = (event) => pressedOnGround && this.isOnGround(event) && this.leave();
    const onScroll = () => {
      this.scrollUntil = 0; // the visitor scrolls now
    };
    document.addEventListener("keydown", onKey, { signal });
    document.addEventListener("pointerdown", onPress, { signal });
    document.addEventListener("click", onClick, { signal });
    for (const name of ["wheel", "touchmove"]) {
      document.addEventListener(name, onScroll, { signal, passive: true });
    }
    this.follow();
  }

  stop() {
    this.listening?.abort();
    cancelAnimationFrame(this.frame);
  }

  isLeaving({ key, defaultPrevented }) {
    return key === "Escape" && !defaultPrevented && !document.querySelector(OPEN);
  }

  // Returns whether a click is outside the bubble, the highlighted element and all usable elements.
  isOnGround(event) {
    const isUsed = (node) => node === this.bubble || node.matches?.(USABLE);
    if (!event.isTrusted || event.composedPath().some(isUsed)) return false;
    const { left, top, right, bottom } = this.spot.getBoundingClientRect();
    const isBeside = event.clientX < left || event.clientX > right;
    return isBeside || event.clientY < top || event.clientY > bottom;
  }

  go(n) {
    if (n > this.count) {
      this.leave();
    } else if (this.stepOf(n)) {
      this.current = n;
      this.describe();
    } else {
      this.bubble.ariaBusy = "true"; // until the server has opened the page of the step
      this.send("click", n);
    }
  }

  leave() {
    this.stop();
    for (const layer of [this.spot, this.bubble]) layer.hidePopover?.();
    this.shown = null;
    document.querySelector(this.beginButton)?.focus({ preventScroll: true });
    this.send("click", 0);
  }

  // Writes the step into the bubble, and announces it to screen readers unless it is already shown.
  describe() {
    const { n, text, label } = this.stepOf(this.current);
    this.text.textContent = text;
    this.place.textContent = label;
    this.bubble.ariaLabel = label;
    this.bubble.ariaBusy = "false";
    this.backButton.disabled = n === 1;
    this.nextButton.textContent = n === this.count ? this.words.done : this.words.next;
    if (this.shown === n) return;
    this.shown = n;
    this.scrollUntil = performance.now() + SCROLLED_WITHIN;
    this.lookedAt = 0;
    for (const layer of [this.spot, this.bubble]) {
      if (!layer.matches(":popover-open")) layer.showPopover?.();
    }
    this.bubble.focus({ preventScroll: true });
  }

  // Moves the spotlight to its target in every frame, because the page may scroll or change.
  follow() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.follow());
    const box = boxOf(this.stepOf(this.current));
    const now = performance.now();
    if (box && now < this.scrollUntil && now > this.lookedAt + LOOK_AGAIN) {
      this.lookedAt = now;
      this.scrollTo(box);
    }
    this.layOut(box);
  }

  // Scrolls the page, if needed, so that the target and the bubble below it fit.
  scrollTo({ top, bottom }) {
    const room = innerHeight - 3 * GAP - this.bubble.offsetHeight;
    const lowest = Math.max(GAP, room - (bottom - top));
    if (top >= GAP && top <= lowest) return;
    const by = top - (top > lowest ? lowest : GAP);
    const behavior = prefersStill() ? "instant" : "smooth";
    document.querySelector(".stMain").scrollBy({ top: by, behavior });
  }

  // Places the spotlight and the bubble; `box` is null if the target is not on the page.
  layOut(box) {
    const screen = { width: innerWidth, height: innerHeight };
    const whole = { left: 0, top: 0, right: screen.width, bottom: screen.height };
    const size = { width: this.bubble.offsetWidth, height: this.bubble.offsetHeight };
    const lit = box && intersection(box, whole);
    const { left, top, covers } = placeBubble(lit, size, screen, GAP);
    this.spot.hidden = !lit;
    if (lit) {
      const bottom = covers ? Math.min(lit.bottom, top - GAP) : lit.bottom;
      const litSize = { width: lit.right - lit.left, height: bottom - lit.top };
      setPixels(this.spot, { left: lit.left, top: lit.top, ...litSize });
    }
    setPixels(this.bubble, { left, top });
  }
}

function setPixels(layer, pixels) {
  for (const [name, n] of Object.entries(pixels)) layer.style[name] = `${n}px`;
}

export default mount(Tour);
