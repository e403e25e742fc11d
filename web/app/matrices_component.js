// In the app. The map beside the grid of heads is painted as soon as a head is picked there, and what a
// click on a cell opens below is brought into view.

import { mount } from "./mount.js";
import { MatricesView } from "../pictures/attention_map.js";
import { still } from "../pictures/motion.js";

const PATIENCE = 3000; // milliseconds in which the answer to a click should stand on the page

class Matrices extends MatricesView {
  show(payload) {
    let end = 0; // of the cells of a matrix in those of all
    for (const matrix of payload.matrices)
      matrix.values = payload.cells.subarray(end, (end += matrix.rows * matrix.columns));
    super.show(payload);
    this.settle();
    if (payload.follows) this.hear("picked-head", ({ detail }) => this.paintAhead(detail));
    if (payload.opens && payload.picked && this.clicked) this.bringIntoView(payload.opens);
    this.clicked = false;
  }

  rest() {
    super.rest();
    clearInterval(this.waiting);
  }

  choose(panel, cell) {
    super.choose(panel, cell);
    this.clicked = true;
  }

  // The numbers of the head that was picked; what the server says of it comes with its answer. Where
  // that is that nothing changes, or none comes, everything is as it was. No numbers: so it is at once.
  paintAhead(numbers) {
    const [{ matrix }] = this.panels;
    this.settle();
    if (numbers?.length !== matrix.values.length) return;
    const values = matrix.values.map((value, n) => (Number.isNaN(value) ? NaN : numbers[n]));
    document.querySelector(".st-key-map").dataset.ahead = "";
    this.repaint({ ...matrix, values, notes: [], frames: [] });
    this.settling = setTimeout(() => this.show(this.payload), PATIENCE);
  }

  settle() {
    clearTimeout(this.settling);
    const host = document.querySelector(".st-key-map[data-ahead]");
    if (!host) return;
    delete host.dataset.ahead;
    this.repaint(this.payload.matrices[0]);
  }

  // With other numbers in the same places.
  repaint(matrix) {
    this.panels[0].matrix = matrix;
    this.panels[0].colour(getComputedStyle(this.root));
    this.paint();
  }

  // What a click opens stands below, perhaps below what the screen shows.
  bringIntoView(opened) {
    const until = performance.now() + PATIENCE;
    this.waiting = setInterval(() => {
      const answer = document.querySelector(opened);
      answer?.scrollIntoView({ block: "nearest", behavior: still.matches ? "instant" : "smooth" });
      if (answer || performance.now() > until) clearInterval(this.waiting);
    }, 100);
  }
}

export default mount(Matrices);
