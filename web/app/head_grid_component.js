import { HeadGrid } from "../pictures/head_grid.js";
import { UINT16_MAX } from "../pictures/packed_numbers.js";
import { mount } from "./mount.js";

/** The grid of heads in the app. Keys move the selection, and a large map beside it follows. */
class HeadGridOfApp extends HeadGrid {
  show(payload) {
    super.show(payload);
    this.listen("move-head", (event) => this.move(event)); // from web/app/tools/page_controls.js
  }

  // Moves the selection to another layer or head.
  move(event) {
    const [layers, heads] = this.payload.shape;
    const [down, right] = event.detail;
    const layer = this.payload.layer + down;
    const isLayer = this.payload.head === null && down !== 0;
    const head = isLayer ? null : (this.payload.head ?? 0) + right;
    if (event.defaultPrevented || layer < 1 || layer > layers || head === 0 || head > heads) return;
    event.preventDefault(); // tells the sender that this head exists
    if (head === null) this.send("click", [layer, 0]);
    else this.choose(layer, head);
  }

  // Lets the large map show a clicked head before the server answers (matrices_component.js).
  // Sends no numbers if the map already shows this head.
  choose(layer, head) {
    const isShown = layer === this.payload.layer && head === this.payload.head;
    const detail = isShown ? null : this.numbersOf(layer, head);
    dispatchEvent(new CustomEvent("clicked-head", { detail }));
    super.choose(layer, head);
  }

  numbersOf(layer, head) {
    const { limit } = this.payload;
    return Float32Array.from(this.mapOf({ layer, head }), (n) => (n / UINT16_MAX) * limit);
  }
}

export default mount(HeadGridOfApp);
