// The grid of all heads (model/pictures/grid.js) beside the large map of a page, which a picked head is
// painted on before the server answers. `pack` in __init__.py says what arrives here.

const PATIENCE = 3000; // milliseconds in which an answer should be there
const DRAWING = 300; // milliseconds in which the chart has drawn it

class GridView extends HeadGrid {
  own = new Map(); // cell of the large map -> its colour before it was painted
  byKeys = (event) => this.move(event);

  show(payload) {
    addEventListener("pick-head", this.byKeys); // see tools/present.js
    if (this.own.size) this.settleIn(DRAWING);
    delete document.querySelector(".st-key-map")?.dataset.ahead;
    super.show(payload);
  }

  rest() {
    removeEventListener("pick-head", this.byKeys);
    super.rest();
  }

  // To another layer, whether one head of it is shown or all, or to another head.
  move(event) {
    const [layers, heads] = this.payload.shape;
    const [down, right] = event.detail;
    const layer = this.payload.layer + down;
    const head = this.payload.head === null && down ? null : (this.payload.head ?? 0) + right;
    if (event.defaultPrevented || layer < 1 || layer > layers || head === 0 || head > heads) return;
    event.preventDefault();
    if (head === null) this.send("pick", [layer, 0]);
    else this.choose(layer, head);
  }

  choose(layer, head) {
    if (layer === this.payload.layer && head === this.payload.head) this.settle();
    else this.paintLarge({ layer, head });
    super.choose(layer, head);
  }

  // The large map, which stands beside the grid, in the colours of the picked head at once: its cells
  // are paths, row by row. What is said of it comes with the server's answer; style.css hides the
  // old words if that takes long. A huge map is no paths and waits for the answer.
  paintLarge(item) {
    const large = document.querySelector(".st-key-map");
    const paths = large?.querySelector(".mark-rect.role-mark")?.querySelectorAll("path") ?? []; // frames come after
    const [, , queries, keys] = this.payload.shape;
    const all = Array.from({ length: queries * keys }, (_, cell) => cell);
    const causal = all.filter((cell) => cell % keys <= Math.floor(cell / keys));
    const shown = [all, causal].find(({ length }) => length === paths.length);
    if (!shown) return;
    const colours = palette(getComputedStyle(this.grid), "sequential");
    const start = this.offset(item);
    shown.forEach((cell, place) => {
      const [r, g, b] = new Uint8Array(colours.buffer, 4 * (this.payload.cells[start + cell] >> 8), 3);
      const path = paths[place];
      if (!this.own.has(path)) this.own.set(path, path.getAttribute("fill"));
      path.setAttribute("fill", `rgb(${r}, ${g}, ${b})`);
    });
    large.dataset.ahead = "";
    this.settleIn(PATIENCE);
  }

  settleIn(milliseconds) {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.settle(), milliseconds);
  }

  // What the answer has not drawn anew was right before: it gets its own colour back. So does
  // everything when the answer is that nothing changes, or none comes.
  settle() {
    clearTimeout(this.settling);
    for (const [path, fill] of this.own) if (path.isConnected) path.setAttribute("fill", fill);
    this.own.clear();
    delete document.querySelector(".st-key-map")?.dataset.ahead;
  }
}

export default mount(GridView);
