import { concatenate } from "./arrays.js";
import { measureCells, sourceShares } from "./cell_measures.js";
import { translate } from "./greedy.js";
import { Tokenizer } from "./tokenizer.js";
import { KINDS, Transformer } from "./transformer.js";
import { unpackWeights } from "./weights.js";
import { inWords } from "./word_maps.js";

/** A model with its tokenizer, and its last translation. */
export class Translator {
  /**
   * @param {object} packed `contents`, `weights` (base64), `config` and `vocabulary`, as
   *   model/one_file/export.py writes them
   */
  constructor({ contents, weights, config, vocabulary }) {
    this.model = new Transformer(unpackWeights(contents, bytesOf(weights)), config);
    this.tokenizer = new Tokenizer(vocabulary);
    this.question = ""; // key of the last translation
    this.found = null; // the result of `translate` for it
    this.shown = null; // the data that the page shows
  }

  /**
   * Answers a question of the page.
   *
   * @param {object} question
   * @param {string} question.text the typed text
   * @param {object} question.chosen see `translate`
   * @param {[string, number, number][]} question.off ablated heads
   * @param {object} question.options `cells`, `unit` and `rows` of the maps
   * @param {(text: string) => void} onText called with the translation so far
   * @returns {object} the translation and all maps, or a `problem`
   */
  answer({ text, chosen, off, options }, onText) {
    const { max_length } = this.model.config;
    const read = this.tokenizer.read(text);
    if (!read) return { problem: "empty" };
    const src = this.tokenizer.encode(read);
    if (src.length > max_length) return { problem: "too_long", length: src.length, max_length };

    const question = JSON.stringify([src, chosen, off]);
    if (question !== this.question) this.translate(src, chosen, off, onText);
    this.question = question;
    const attentions = KINDS.map((kind) => this.mapsOf(kind, options));
    return { ...this.shown, attentions };
  }

  // Translates, and stores what the page shows of the translation, except the maps.
  translate(src, chosen, off, onText) {
    const { model, tokenizer } = this;
    model.ablate(off);
    const onToken = (ids) => onText(tokenizer.decode(ids));
    this.found = translate(model, src, tokenizer.special, chosen, onToken);
    const { ids, candidates, seen } = this.found;
    const named = (tokens) => tokens.map((id) => tokenizer.display(id));
    this.shown = {
      text: tokenizer.decode(ids),
      source: named(src),
      target: named(ids),
      candidates: candidates.map((ofStep) =>
        ofStep.map(([id, probability]) => [tokenizer.display(id), probability, id]),
      ),
      taken: ids.slice(1),
      fromSource: sourceShares(model, seen),
      cross: seen.cross.map(({ weights }) => weights).reduce(concatenate), // (layers, H, T, S)
    };
  }

  // Returns all maps of one kind of attention: (layers, H + 1, T, S).
  // The last map of a layer is that of all heads together.
  mapsOf(kind, { cells, unit, rows }) {
    const { src, ids, seen } = this.found;
    const sides = { source: src, read: ids.slice(0, -1), written: ids.slice(1) };
    const [rowSide, columnSide] = sidesOf(kind, rows);
    const rowWords = this.words(sides[rowSide], unit);
    const columnWords = this.words(sides[columnSide], unit);
    const shape = [sides[rowSide].length, sides[columnSide].length];
    const maps = this.model.attentions(kind).map((attention, layer) => {
      const measured = measureCells(cells, kind, seen[kind][layer], attention);
      return inWords(measured.maps, shape, rowWords, columnWords);
    });
    const labels = (side) => this.labels(sides[side], unit);
    return {
      kind,
      weights: maps.reduce(concatenate),
      shape: [maps.length, this.model.config.n_heads + 1, rowWords.length, columnWords.length],
      queries:
        kind === "encoder_self"
          ? { read: labels("source") }
          : { read: labels("read"), written: labels("written") },
      keys: labels(columnSide),
    };
  }

  // Returns the positions of the tokens of each word, or of each token if the unit is subwords.
  words(ids, unit) {
    return unit === "words" ? this.tokenizer.words(ids) : ids.map((_, n) => [n]);
  }

  labels(ids, unit) {
    const words = this.words(ids, unit);
    return words.map((word) => this.tokenizer.display(...word.map((n) => ids[n])));
  }

  /**
   * Returns every number from a query and a key to their weight (section 3.2.1), for subwords.
   *
   * @param {{kind: string, layer: number, head: number, row: number, column: number}} cell from 0
   * @returns {object} `query` and `key` (d_head,), `scores` and `weights` of the row; keys
   *   after the query have the score NaN
   */
  openCell({ kind, layer, head, row, column }) {
    const { q, k, weights } = this.found.seen[kind][layer];
    const { d_model: d, n_heads } = this.model.config;
    const T = q.length / d;
    const S = k.length / d;
    const dHead = d / n_heads;
    const ofHead = (all, n) => all.subarray(n * d + head * dHead, n * d + (head + 1) * dHead);
    const query = ofHead(q, row);
    const scores = Float32Array.from({ length: S }, (_, s) => {
      if (kind === "decoder_self" && s > row) return NaN;
      return dot(ofHead(k, s), query) / Math.sqrt(dHead);
    });
    return {
      row,
      column,
      query,
      key: ofHead(k, column),
      scores,
      weights: weights.slice((head * T + row) * S, (head * T + row + 1) * S),
    };
  }
}

// Returns the tokens that name the rows and the columns of a map.
function sidesOf(kind, rows) {
  if (kind === "encoder_self") return ["source", "source"];
  return kind === "decoder_self" ? [rows, "read"] : [rows, "source"];
}

function dot(key, query) {
  return key.reduce((sum, value, i) => sum + value * query[i], 0);
}

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let n = 0; n < text.length; n++) bytes[n] = text.charCodeAt(n);
  return bytes;
}
