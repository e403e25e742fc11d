import { Matrices } from "../../pictures/matrices.js";
import { scrollTo } from "../../pictures/motion.js";
import { fixed } from "../../pictures/number_texts.js";
import { matricesPayload } from "../../saved_page/matrices_payload.js";

/** Shows the calculation of a cell: query times key, the scores of its row, their softmax. */
export class OpenedCell {
  /**
   * @param {HTMLElement} node in which it is shown
   * @param {(name: string, values?: object) => string} say a text of the interface
   */
  constructor(node, say) {
    this.node = node;
    this.say = say;
    this.product = new Matrices(node);
    this.row = new Matrices(node);
  }

  /** Removes the opened cell from the page. */
  hide() {
    this.node.hidden = true;
  }

  /**
   * @param {object} cell the worker's answer: `row` and `column`, `query` and `key` (d_head,), and
   *   `scores` and `weights` of the row
   * @param {string[]} queries labels of the rows of the map
   * @param {string[]} keys labels of its columns
   * @param {string | null} keyLanguage language tag of the keys
   */
  show({ row, column, query, key, scores, weights }, queries, keys, keyLanguage) {
    const { say } = this;
    const weight = weights[column].toFixed(4);
    this.node.querySelector("h2").textContent = say("cell.title", {
      row: queries[row],
      column: keys[column],
      weight,
    });
    this.node.hidden = false;
    const matrix = (title, rowLabels, columnLabels, scale, values, caption = "") => ({
      title: say(title),
      caption,
      rowLabels: rowLabels.map((name) => say(name)),
      columnLabels,
      scale,
      values,
      limit: scale === "weights" ? 1 : largestSize(values),
      languages: [null, keyLanguage],
      directions: ["inherit", "ltr"],
      inFull: {},
    });
    const factors = ["cell.query", "cell.key", "cell.product"];
    const products = query.map((value, i) => value * key[i]);
    const values = Float32Array.of(...query, ...key, ...products);
    const sum = this.sumOf(products);
    const product = matrix("cell.step_product", factors, [], "signed", values, sum);
    const softmax = [
      matrix("cell.score", ["cell.score"], keys, "signed", scores),
      matrix("cell.step_softmax", ["cell.weight"], keys, "weights", weights),
    ];
    const asTable = say("grid.table");
    this.product.show(matricesPayload([product], { asTable, clicked: null }));
    this.row.show(matricesPayload(softmax, { asTable, clicked: [1, 0, column] }));
    scrollTo(this.node);
  }

  // Returns a text such as "Sum 1.234, / √32 = 0.218".
  sumOf(products) {
    const sum = products.reduce((a, b) => a + b);
    const score = sum / Math.sqrt(products.length);
    const [sumText, scoreText] = [sum, score].map((n) => fixed(n, 3));
    return `${this.say("cell.sum")} ${sumText}, / √${products.length} = ${scoreText}`;
  }
}

function largestSize(values) {
  return values.reduce((largest, value) => Math.max(largest, Math.abs(value) || 0), 0);
}
