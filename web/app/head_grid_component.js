// The grid of all heads (model/pictures/grid.js) in the app. `pack` in __init__.py says what arrives here.

import { mount } from "./mount.js";
import { HeadGrid } from "../pictures/head_grid.js";
import { UNIT } from "../pictures/packed_numbers.js";

class GridView extends HeadGrid {
  show(payload) {
    super.show(payload);
    this.hear("move-head", (event) => this.move(event)); // see tools/present.js
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

  // The large map beside the grid, if there is one, is painted at once: see matrices.js.
  choose(layer, head) {
    const { limit, ...shown } = this.payload;
    const numbers = Float32Array.from(this.mapOf({ layer, head }), (n) => (n / UNIT) * limit);
    const same = layer === shown.layer && head === shown.head;
    dispatchEvent(new CustomEvent("picked-head", { detail: same ? null : numbers }));
    super.choose(layer, head);
  }
}

export default mount(GridView);
