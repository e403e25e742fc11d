// One cell, opened: query times key, dimension by dimension; then the scores of the row, and their softmax.

import { MatricesView } from "../../pictures/attention_map.js";
import { still } from "../../pictures/motion.js";
import { current, queries, showMatrices } from "../../saved_page/analysis_view.js";

export const opened = document.querySelector("#maps .opened");
const [product, ofRow] = [new MatricesView(opened), new MatricesView(opened)];

export function showCell({ query, key, scores, weights, row, column }, say) {
  const named = (...names) => names.map((name) => say(`cell.${name}`));
  const { keys } = current();
  const place = {
    row: queries(current())[row],
    column: keys[column],
    weight: weights[column].toFixed(4),
  };
  opened.querySelector("h2").textContent = say("cell.title", place);
  opened.hidden = false;
  const products = query.map((value, i) => value * key[i]);
  const sum = products.reduce((a, b) => a + b);
  const score = (sum / Math.sqrt(query.length)).toFixed(3);
  const scaled = `${say("cell.sum")} ${sum.toFixed(3)}, / √${query.length} = ${score}`;
  const three = Float32Array.of(...query, ...key, ...products);
  const factors = drawn(
    say("cell.step_product"),
    named("query", "key", "product"),
    [],
    "signed",
    three,
    scaled,
  );
  const both = [
    drawn(say("cell.score"), named("score"), keys, "signed", scores),
    drawn(say("cell.step_softmax"), named("weight"), keys, "weights", weights),
  ];
  showMatrices(product, [factors], { picked: null });
  showMatrices(ofRow, both, { picked: [1, 0, column] });
  opened.scrollIntoView({ block: "nearest", behavior: still.matches ? "instant" : "smooth" });
}

function drawn(title, rowLabels, columnLabels, scale, values, caption = "") {
  const limit = scale === "weights" ? 1 : values.reduce((a, b) => Math.max(a, Math.abs(b) || 0), 0);
  const written = {
    languages: [null, current().languages[1]],
    directions: ["inherit", "ltr"],
    told: {},
  };
  return { title, caption, rowLabels, columnLabels, scale, values, limit, ...written };
}
