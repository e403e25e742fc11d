// The model at work, beside the page, which never stands still for it. The scripts before this one are it.

import { cellsOf, fromSource, inWords } from "./cell_measures.js";
import { translate } from "./greedy.js";
import { joined } from "./layers.js";
import { Tokenizer } from "./tokenizer.js";
import { KINDS, Transformer } from "./transformer.js";
import { unpackWeights } from "./weights.js";

let model, tokenizer, last;

globalThis.onmessage = ({ data }) => {
  if (data.weights) {
    model = new Transformer(unpackWeights(data.contents, bytesOf(data.weights)), data.config);
    tokenizer = new Tokenizer(data.vocabulary);
    return;
  }
  if (data.cell) return postMessage({ n: data.n, opened: opened(data.cell) });
  const { n, text, chosen, off, how } = data;
  const read = tokenizer.read(text);
  const src = read ? tokenizer.encode(read) : [];
  const { max_length } = model.config;
  if (!read) return postMessage({ n, problem: "empty" });
  if (src.length > max_length)
    return postMessage({ n, problem: "too_long", length: src.length, max_length });
  const asked = JSON.stringify([src, chosen, off]);
  const written = (ids) => postMessage({ n, soFar: tokenizer.decode(ids) });
  if (last?.asked !== asked) last = { asked, ...translated(src, chosen, off, written) };
  postMessage({ n, ...last.shown, attentions: KINDS.map((kind) => mapsOf(kind, how)) });
};

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let n = 0; n < text.length; n++) bytes[n] = text.charCodeAt(n);
  return bytes;
}

// A translation, and what stays the same however it is looked at.
function translated(src, chosen, off, written) {
  model.ablate(off);
  const found = translate(model, src, tokenizer.special, chosen, written);
  const { ids, candidates, seen } = found;
  const named = (ids) => ids.map((id) => tokenizer.display(id));
  const shown = {
    text: tokenizer.decode(ids),
    source: named(src),
    target: named(ids),
    candidates: candidates.map((of) => of.map(([id, p]) => [tokenizer.display(id), p, id])),
    taken: ids.slice(1),
    fromSource: fromSource(model, seen),
    cross: seen.cross.map(({ weights }) => weights).reduce(joined), // (layers, H, T, S)
  };
  return { ...found, shown };
}

// All maps of one kind, in the asked cells, of subwords or words: (layers, heads and all together, T, S).
function mapsOf(kind, { cells, unit, rows }) {
  const { src, ids, seen } = last;
  const sides = { source: src, read: ids.slice(0, -1), written: ids.slice(1) };
  const words = (side) => (unit === "words" ? tokenizer.words(side) : side.map((_, n) => [n]));
  const labels = (side) =>
    words(side).map((word) => tokenizer.display(...word.map((n) => side[n])));
  const [own, keys] = {
    encoder_self: ["source", "source"],
    decoder_self: [rows, "read"],
    cross: [rows, "source"],
  }[kind];
  const [queries, columns] = [words(sides[own]), words(sides[keys])];
  const size = [sides[own].length, sides[keys].length];
  const parts = model.attentions(kind);
  const maps = parts.map((of, layer) =>
    inWords(cellsOf(cells, kind, seen[kind][layer], of).maps, size, queries, columns),
  );
  return {
    kind,
    weights: maps.reduce(joined),
    shape: [maps.length, model.config.n_heads + 1, queries.length, columns.length],
    queries:
      kind === "encoder_self"
        ? { read: labels(src) }
        : { read: labels(sides.read), written: labels(sides.written) },
    keys: labels(sides[keys]),
  };
}

// Every number from a query and a key to their weight (Vaswani et al. 2017, section 3.2.1), of subwords. Keys
// that come later than the query have no score.
function opened({ kind, layer, head, row, column }) {
  const { q, k, weights } = last.seen[kind][layer];
  const { d_model: d, n_heads } = model.config;
  const [T, S, dHead] = [q.length / d, k.length / d, d / n_heads];
  const of = (all, n) => all.subarray(n * d + head * dHead, n * d + (head + 1) * dHead);
  const [query, key] = [of(q, row), of(k, column)];
  const dot = (key) => key.reduce((sum, value, i) => sum + value * query[i], 0);
  const score = (_, s) =>
    kind === "decoder_self" && s > row ? NaN : dot(of(k, s)) / Math.sqrt(dHead);
  const scores = Float32Array.from({ length: S }, score);
  return {
    row,
    column,
    query,
    key,
    scores,
    weights: weights.slice((head * T + row) * S, (head * T + row + 1) * S),
  };
}
