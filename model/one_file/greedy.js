// Greedy decoding, token by token, with everything that is shown of it.

const EXTRA_TOKENS = 50; // Vaswani et al. 2017, section 6.1
const CANDIDATES = 4;

// Ids of a source, its ends included -> what a page shows; `chosen` has ids that a visitor has put in the
// place of the model's own. All weights are (layers, H, T, S).
function translate(model, src, { bos_id, eos_id }, chosen = {}) {
  const { n_layers, n_heads, max_length, never_written } = model.config;
  const [memory, encoder_self] = model.encode(src);
  const cache = model.decoder.map(() => ({}));
  const [ids, steps] = [[bos_id], []];
  const limit = Math.min(src.length + EXTRA_TOKENS, max_length);
  while (steps.length < limit && (ids.length === 1 || ids.at(-1) !== eos_id)) {
    const [logits, back, across] = model.decode(ids.at(-1), steps.length, memory, cache);
    for (const id of never_written) logits[id] = -Infinity;
    const own = logits.indexOf(logits.reduce((a, b) => Math.max(a, b)));
    const id = chosen[steps.length] ?? own;
    steps.push({ back, across, candidates: best(logits, id) });
    ids.push(id);
  }
  const T = steps.length;
  const rows = (name, columns) => {
    const all = new Float32Array(n_layers * n_heads * T * columns);
    steps.forEach((step, t) => {
      const own = step[name].reduce(joined); // (layers, H, 1, up to columns)
      const seen = own.length / n_layers / n_heads;
      for (let h = 0; h < n_layers * n_heads; h++) all.set(own.subarray(h * seen, (h + 1) * seen), (h * T + t) * columns);
    });
    return all;
  };
  const candidates = steps.map((step) => step.candidates);
  const weights = { decoder_self: rows("back", T), cross: rows("across", src.length) };
  return { src, ids, candidates, weights: { encoder_self: encoder_self.reduce(joined), ...weights } };
}

// The most probable tokens and the one that was taken: [id, probability], best first.
function best(logits, taken) {
  const p = Float64Array.from(logits);
  softmax(p);
  const order = [...p.keys()].sort((a, b) => p[b] - p[a]).slice(0, CANDIDATES);
  if (!order.includes(taken)) order[CANDIDATES - 1] = taken;
  return order.map((id) => [id, p[id]]);
}
