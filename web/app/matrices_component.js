import { Matrices } from "../pictures/matrices.js";
import { scrollTo } from "../pictures/motion.js";
import { mount } from "./mount.js";

const ANSWER_TIME = 3000; // milliseconds within which the page should answer a click
const LOOK_AGAIN = 100; // milliseconds between two checks for an answer

/**
 * Matrices in the app. A map shows a head clicked in the grid before the server answers, and the
 * element that a click on a cell opens is scrolled into view.
 *
 * In the payload, `follows` (true or false) and `opens` (a CSS selector or "") switch this on.
 */
class MatricesOfApp extends Matrices {
  constructor(parent) {
    super(parent);
    this.wasClicked = false; // since the last answer of the server
    this.isAhead = false; // whether the map shows a head that the server has not sent yet
    this.returning = 0; // timer that restores the map of the server
    this.looking = 0; // timer that looks for the element that a click opens
  }

  show(payload) {
    let start = 0;
    for (const matrix of payload.matrices) {
      const size = matrix.rows * matrix.columns;
      matrix.values = payload.cells.subarray(start, start + size);
      start += size;
    }
    this.markAhead(false);
    super.show(payload);
    if (payload.follows) this.listen("clicked-head", ({ detail }) => this.paintAhead(detail));
    if (payload.opens && payload.clicked && this.wasClicked) this.bringIntoView(payload.opens);
    this.wasClicked = false;
  }

  stop() {
    super.stop();
    clearInterval(this.looking);
  }

  choose(map, cell) {
    super.choose(map, cell);
    this.wasClicked = true;
  }

  // Paints the numbers of a head that was just clicked in the grid.
  // Without numbers or a timely answer, the map shows the server's last numbers again.
  paintAhead(numbers) {
    const { matrix } = this.maps[0];
    this.showSent();
    if (numbers?.length !== matrix.values.length) return;
    const values = matrix.values.map((value, n) => (Number.isNaN(value) ? NaN : numbers[n]));
    this.repaint({ ...matrix, values, notes: [], frames: [] });
    this.markAhead(true);
    this.returning = setTimeout(() => this.show(this.payload), ANSWER_TIME);
  }

  showSent() {
    if (this.isAhead) this.repaint(this.payload.matrices[0]);
    this.markAhead(false);
  }

  // Marks whether the map is ahead of the server.
  // If it is ahead, the page hides its outdated texts (page.css).
  markAhead(isAhead) {
    clearTimeout(this.returning);
    this.isAhead = isAhead;
    this.root.getRootNode().host?.toggleAttribute("data-ahead", isAhead);
  }

  repaint(matrix) {
    this.maps[0].replace(matrix, getComputedStyle(this.root));
    this.paint();
  }

  // The opened element appears below the map after the server has answered.
  bringIntoView(selector) {
    const until = performance.now() + ANSWER_TIME;
    clearInterval(this.looking);
    this.looking = setInterval(() => {
      const answer = document.querySelector(selector);
      if (answer) scrollTo(answer);
      if (answer || performance.now() > until) clearInterval(this.looking);
    }, LOOK_AGAIN);
  }
}

export default mount(MatricesOfApp);
