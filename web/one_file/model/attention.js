// Scaled dot-product attention (Vaswani et al. 2017, section 3.2) with several heads, for one sentence.

import { Linear, joined, softmax } from "./layers.js";

// softmax(q kᵀ / √d_head) v of every head. q (T, d_model), k and v (S, d_model), the heads side by side.
// Returns mixtures (T, d_model), of a head that is off all 0, and weights (H, T, S).
function scaledDotProductAttention(q, k, v, [T, S, H, d], off) {
  const dHead = d / H;
  const scale = 1 / Math.sqrt(dHead);
  const weights = new Float32Array(H * T * S);
  const out = new Float32Array(T * d);
  for (let h = 0; h < H; h++)
    for (let t = 0; t < T; t++) {
      const row = weights.subarray((h * T + t) * S, (h * T + t + 1) * S);
      for (let s = 0; s < S; s++) {
        let score = 0;
        for (let i = 0; i < dHead; i++)
          score += q[t * d + h * dHead + i] * k[s * d + h * dHead + i];
        row[s] = score * scale;
      }
      softmax(row);
      if (off.has(h)) continue;
      for (let s = 0; s < S; s++)
        for (let i = 0; i < dHead; i++)
          out[t * d + h * dHead + i] += row[s] * v[s * d + h * dHead + i];
    }
  return [out, weights];
}

export class MultiHeadAttention {
  constructor(parameters, path, config) {
    this.heads = config.n_heads;
    this.off = new Set(); // heads, from 0, that are ablated: their output is 0
    for (const name of ["w_q", "w_k", "w_v", "w_o"])
      this[name] = new Linear(parameters, `${path}.${name}`);
  }

  // Queries from (T, d_model) see a memory, or these tokens after those before -> (T, d_model), and what was
  // computed on the way. The cache keeps keys and values, of a memory from the first time on. There is no
  // causal mask: a token is decoded when no later one is there.
  forward(x, cache, memory) {
    const { k = [], v = [] } = cache;
    if (!memory || !k.length) {
      cache.k = joined(k, this.w_k.forward(memory ?? x));
      cache.v = joined(v, this.w_v.forward(memory ?? x));
    }
    const q = this.w_q.forward(x);
    const d = this.w_q.rows;
    const sizes = [q.length / d, cache.k.length / d, this.heads, d];
    const [mixed, weights] = scaledDotProductAttention(q, cache.k, cache.v, sizes, this.off);
    return [this.w_o.forward(mixed), { q, ...cache, weights }];
  }
}
