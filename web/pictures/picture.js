import { element } from "./elements.js";
import { REDRAW } from "./paper.js";

const TIP_BESIDE = 14; // pixels between the pointer and a tip beside it
const TIP_BELOW = 18; // pixels between the pointer and the top of a tip

/**
 * The base of every picture: the drawing, its description for screen readers, and its numbers as
 * tables.
 *
 * A subclass has `show(payload)`, which receives the data; `draw()`, which draws them in the
 * available size; and `tables()`. If it draws on `canvas`, it also has `paint(brush)`.
 */
export class Picture {
  /** @param {Element | ShadowRoot} parent of the picture */
  constructor(parent) {
    this.root = element("div", { className: "root" });
    this.live = element("div", { className: "unseen", ariaLive: "polite" }); // read aloud
    this.tip = element("div", { className: "tip", hidden: true }); // beside the pointer
    this.canvas = element("canvas", {
      ariaHidden: true,
      paintOn: (brush) => this.paint(brush), // called when the figure is saved as SVG
    });
    this.summary = element("summary");
    this.tablesBox = element("div", { className: "scroll", role: "region", tabIndex: 0 });
    this.details = element(
      "details",
      { ontoggle: () => this.writeTables() },
      this.summary,
      this.tablesBox,
    );
    parent.append(this.root);

    // A removed element has neither size nor colours.
    this.observer = new ResizeObserver(([{ target }]) => target.clientWidth && this.draw());
    this.listening = null; // AbortController of the events of the window
  }

  /**
   * Draws now and whenever the size of an element changes, until `stop`.
   *
   * @param {Element} node
   * @param {string} [tablesName] caption of the tables
   */
  drawWith(node, tablesName) {
    this.writeTables(tablesName);
    this.observer.disconnect();
    this.observer.observe(node);
    this.listening?.abort();
    this.listening = new AbortController();
    this.listen(REDRAW, () => node.clientWidth && this.draw());
  }

  /**
   * Listens to an event of the page until the next call of `drawWith` or `stop`.
   *
   * @param {string} name
   * @param {(event: Event) => void} act
   */
  listen(name, act) {
    addEventListener(name, act, { signal: this.listening.signal });
  }

  /** Ends drawing and listening. */
  stop() {
    this.observer.disconnect();
    this.listening.abort();
  }

  /**
   * Writes the tables, but only if they are open, because large tables take time.
   *
   * @param {string} [name] their caption; by default unchanged
   */
  writeTables(name = this.summary.textContent) {
    this.summary.textContent = name;
    this.tablesBox.ariaLabel = name;
    if (this.details.open) this.tablesBox.replaceChildren(...this.tables());
  }

  /**
   * Puts the tip to the right of the pointer, or to the left if it does not fit.
   *
   * @param {{clientX: number, clientY: number}} event
   */
  placeTip({ clientX, clientY }) {
    const parent = this.tip.parentNode;
    const frame = parent.getBoundingClientRect();
    const zoom = frame.width / parent.offsetWidth; // of the page
    const x = (clientX - frame.left) / zoom;
    const fits = x + TIP_BESIDE + this.tip.offsetWidth < parent.offsetWidth;
    const left = fits ? x + TIP_BESIDE : x - TIP_BESIDE - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, left)}px`;
    this.tip.style.top = `${(clientY - frame.top) / zoom + TIP_BELOW}px`;
  }
}
