// Greedy decoding, token by token, with everything that is shown of it.

import { joined, softmax } from "./layers.js";

const EXTRA_TOKENS = 50; // Vaswani et al. 2017, section 6.1
const CANDIDATES = 4;

// Ids of a source, its ends included -> ids of the target, candidates of each step, and for each kind of
// attention and layer what it has seen; `chosen` has ids that a visitor has put in the place of the model's own,
// `written` is called with the ids after each token.
export function translate(model, src, { bos_id, eos_id }, chosen = {}, written = () => {}) {
  const { max_length, never_written } = model.config;
  const [memory, ofSource] = model.encode(src);
  const caches = model.decoder.map(() => ({ self: {}, cross: {} }));
  const [ids, steps] = [[bos_id], []];
  const limit = Math.min(src.length + EXTRA_TOKENS, max_length);
  while (steps.length < limit && (ids.length === 1 || ids.at(-1) !== eos_id)) {
    const [logits, seen] = model.decode(ids.at(-1), steps.length, memory, caches);
    const allowed = logits.slice();
    for (const id of never_written) allowed[id] = -Infinity;
    const own = allowed.indexOf(allowed.reduce((a, b) => Math.max(a, b)));
    const id = chosen[steps.length] ?? own;
    steps.push({ seen, candidates: best(logits, id) });
    ids.push(id);
    written(ids);
  }
  const all = (name) =>
    caches.map((_, layer) => oneAfterAnother(steps.map(({ seen }) => seen[layer][name])));
  const seen = {
    encoder_self: ofSource.map(({ self }) => self),
    decoder_self: all("self"),
    cross: all("cross"),
  };
  return { src, ids, candidates: steps.map(({ candidates }) => candidates), seen };
}

// What an attention has seen of T tokens, one by one, as if it had seen them at once. Rows of weights grow
// longer: where there was no token yet, there is 0. Keys and values of the last step are those of all.
function oneAfterAnother(steps) {
  const rows = (name) => steps.map((step) => step[name]).reduce(joined); // (T, d_model)
  const { q, k, v, weights } = steps.at(-1);
  const [T, S] = [steps.length, k.length / q.length];
  const heads = weights.length / S;
  const all = new Float32Array(heads * T * S);
  steps.forEach((step, t) => {
    const seen = step.weights.length / heads;
    for (let h = 0; h < heads; h++)
      all.set(step.weights.subarray(h * seen, (h + 1) * seen), (h * T + t) * S);
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

// The most probable tokens and the one that was taken: [id, probability], best first.
function best(logits, taken) {
  const p = new Float64Array(logits);
  softmax(p);
  const order = [];
  while (order.length < CANDIDATES) {
    const rest = p.map((value, id) => (order.includes(id) ? -1 : value));
    order.push(rest.indexOf(rest.reduce((a, b) => Math.max(a, b))));
  }
  if (!order.includes(taken)) order[CANDIDATES - 1] = taken;
  return order.map((id) => [id, p[id]]);
}
