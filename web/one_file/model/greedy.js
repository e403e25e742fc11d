import { argmax } from "../../pictures/arithmetic.js";
import { concatenate, softmax } from "./arrays.js";

const EXTRA_TOKENS = 50; // tokens by which a translation may be longer than its source: section 6.1
const CANDIDATES = 4; // candidates that are shown for each step

/**
 * Translates greedily, token by token, and returns all data that the page shows.
 *
 * @param {Transformer} model
 * @param {number[]} src ids of the source with its special tokens
 * @param {object} special `bos_id` and `eos_id`
 * @param {object} [chosen] step -> id that the visitor chose instead of the model's own
 * @param {(ids: number[]) => void} [onToken] called with all ids after each token
 * @returns {object} `ids` of the target; `candidates` of each step; `seen`, the
 *   results of each attention, by kind and layer
 */
export function translate(model, src, { bos_id, eos_id }, chosen = {}, onToken = () => {}) {
  const [memory, seenByEncoder] = model.encode(src);
  const caches = model.decoder.map(() => ({ self: {}, cross: {} }));
  const ids = [bos_id];
  const steps = [];
  const limit = Math.min(src.length + EXTRA_TOKENS, model.config.max_length);
  while (steps.length < limit && (ids.length === 1 || ids.at(-1) !== eos_id)) {
    const [logits, seen] = model.decode(ids.at(-1), steps.length, memory, caches);
    const id = chosen[steps.length] ?? argmax(logits);
    steps.push({ seen, candidates: best(logits, id) });
    ids.push(id);
    onToken(ids);
  }

  const ofAllSteps = (name) =>
    caches.map((_, layer) => oneAfterAnother(steps.map(({ seen }) => seen[layer][name])));
  return {
    src,
    ids,
    candidates: steps.map(({ candidates }) => candidates),
    seen: {
      encoder_self: seenByEncoder.map(({ self }) => self),
      decoder_self: ofAllSteps("self"),
      cross: ofAllSteps("cross"),
    },
  };
}

/**
 * Joins the results of an attention for single tokens to its results for all T tokens.
 *
 * Later rows of weights are longer. Earlier rows get the weight 0 for tokens that did not exist
 * yet. Keys and values of the last step are those of all tokens.
 *
 * @param {object[]} steps of one token each; `weights` is (H, 1, S of the step)
 * @returns {object} the results for T tokens; `weights` is (H, T, S)
 */
export function oneAfterAnother(steps) {
  const rows = (name) => steps.map((step) => step[name]).reduce(concatenate); // (T, d_model)
  const { q, k, v, weights } = steps.at(-1);
  const T = steps.length;
  const S = k.length / q.length;
  const H = weights.length / S;
  const all = new Float32Array(H * T * S);
  steps.forEach((step, t) => {
    const size = step.weights.length / H;
    for (let h = 0; h < H; h++) {
      all.set(step.weights.subarray(h * size, (h + 1) * size), (h * T + t) * S);
    }
  });
  return {
    q: rows("q"),
    k,
    v,
    weights: all,
    before: rows("before"),
    sum: rows("sum"),
    after: rows("after"),
  };
}

/**
 * Returns the most probable tokens. The chosen token replaces the last one if it is not among them.
 *
 * @param {Float32Array} logits (V,)
 * @param {number} taken id of the chosen token
 * @returns {[number, number][]} id and probability, best first
 */
export function best(logits, taken) {
  const probabilities = new Float64Array(logits);
  softmax(probabilities);
  const rest = probabilities.slice();
  const ids = [];
  for (let n = 0; n < CANDIDATES; n++) {
    const id = argmax(rest);
    ids.push(id);
    rest[id] = -1;
  }
  if (!ids.includes(taken)) ids[CANDIDATES - 1] = taken;
  return ids.map((id) => [id, probabilities[id]]);
}
