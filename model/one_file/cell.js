// One cell, opened: query times key, dimension by dimension; then the scores of the row, and their softmax.

const opened = document.querySelector("#maps .opened");
const [product, ofRow] = [new MatricesView(opened), new MatricesView(opened)];

page.open = (row, column) => {
  if (found.n !== asked) return; // what is seen is about to change
  const { kind, layer, head } = shown;
  worker.postMessage({ n: asked, cell: { kind, layer, head, row, column } });
};

function showCell({ query, key, scores, weights, row, column }) {
  const named = (...names) => names.map((name) => say(`cell.${name}`));
  const { keys } = current();
  const place = { row: queries(current())[row], column: keys[column], weight: weights[column].toFixed(4) };
  opened.querySelector("h2").textContent = say("cell.title", place);
  opened.hidden = false;
  const products = query.map((value, i) => value * key[i]);
  const sum = products.reduce((a, b) => a + b);
  const score = (sum / Math.sqrt(query.length)).toFixed(3);
  const scaled = `${say("cell.sum")} ${sum.toFixed(3)}, / √${query.length} = ${score}`;
  const three = Float32Array.of(...query, ...key, ...products);
  put(product, [drawn(say("cell.step_product"), named("query", "key", "product"), [], "signed", three, scaled)], null);
  const both = [
    drawn(say("cell.score"), named("score"), keys, "signed", scores),
    drawn(say("cell.step_softmax"), named("weight"), keys, "weights", weights),
  ];
  put(ofRow, both, [1, 0, column]);
  opened.scrollIntoView({ block: "nearest", behavior: still.matches ? "instant" : "smooth" });
}

function put(view, matrices, picked) {
  const cells = matrices.map(({ cells }) => cells).reduce((a, b) => Float32Array.of(...a, ...b));
  view.show({ cells, matrices, picked, operators: ["→"], links: [], largest: 44, asTable: say("grid.table") });
}

function drawn(title, rowLabels, columnLabels, scale, cells, caption = "") {
  const limit = scale === "weights" ? 1 : cells.reduce((a, b) => Math.max(a, Math.abs(b) || 0), 0);
  const [rows, columns] = [rowLabels.length, cells.length / rowLabels.length];
  return {
    ...{ title, caption, rowLabels, columnLabels, scale, cells, limit, rows, columns },
    ...{ languages: [null, current().languages[1]], directions: ["inherit", "ltr"], told: {} },
    ...{ groups: 1, group: null, large: false, notes: [], frames: [], covered: [] },
  };
}
