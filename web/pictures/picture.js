import { element } from "./elements.js";

// What a component shows, with what a screen reader says of it and the same as tables. Whoever extends
// it has `show`, `draw` and `tables`.
export class View {
  constructor(parent) {
    this.root = element("div", { className: "root" });
    this.live = element("div", { className: "unseen", ariaLive: "polite" });
    this.tip = element("div", { className: "tip", hidden: true });
    const paintOn = (brush) => this.paint(brush); // for who takes the picture away
    this.canvas = element("canvas", { ariaHidden: true, paintOn });
    this.summary = element("summary");
    this.scroll = element("div", { className: "scroll", role: "region", tabIndex: 0 }); // for keys
    this.details = element(
      "details",
      { ontoggle: () => this.refresh() },
      this.summary,
      this.scroll,
    );
    parent.append(this.root);
    // What was just taken off the page has no size, and no colours either.
    this.observer = new ResizeObserver(([{ target }]) => target.clientWidth && this.draw());
  }

  // Draws now and whenever the size of an element changes; the tables have this name.
  drawWith(node, name) {
    this.refresh(name);
    this.observer.disconnect();
    this.observer.observe(node);
    this.listening?.abort();
    this.listening = new AbortController();
  }

  // Listens to the page until it is shown anew, or rests.
  hear(name, act) {
    addEventListener(name, act, { signal: this.listening.signal });
  }

  rest() {
    this.observer.disconnect();
    this.listening.abort();
  }

  // The tables are written only while somebody has them open.
  refresh(name = this.summary.textContent) {
    this.summary.textContent = this.scroll.ariaLabel = name;
    if (this.details.open) this.scroll.replaceChildren(...this.tables());
  }

  // Beside the pointer, on its other side where there is no room.
  placeTip({ clientX, clientY }) {
    const frame = this.tip.parentNode.getBoundingClientRect();
    const x = clientX - frame.left;
    const left =
      x + 14 + this.tip.offsetWidth < frame.width ? x + 14 : x - 14 - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, left)}px`;
    this.tip.style.top = `${clientY - frame.top + 18}px`;
  }
}
