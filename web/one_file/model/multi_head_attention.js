import { concatenate, softmax } from "./arrays.js";
import { Linear } from "./linear.js";

/** Scaled dot-product attention with several heads, for one sentence (section 3.2). */
export class MultiHeadAttention {
  /**
   * @param {object} parameters as `unpackWeights` returns them
   * @param {string} path of this layer in the names of the parameters
   * @param {object} config of the model
   */
  constructor(parameters, path, config) {
    this.heads = config.n_heads;
    this.off = new Set(); // heads, from 0, that are ablated: their output is 0
    this.w_q = new Linear(parameters, `${path}.w_q`);
    this.w_k = new Linear(parameters, `${path}.w_k`);
    this.w_v = new Linear(parameters, `${path}.w_v`);
    this.w_o = new Linear(parameters, `${path}.w_o`);
  }

  /**
   * Attends to a memory, or to the earlier tokens and those of x.
   *
   * It needs no causal mask, because no later token exists when a token is decoded.
   *
   * @param {Float32Array} x (T, d_model) input of the queries
   * @param {object} cache stores keys and values; those of a memory are computed at the first call
   * @param {Float32Array} [memory] (S, d_model) of the encoder; without it, self-attention
   * @returns {[Float32Array, object]} (T, d_model), and `q`, `k`, `v` and `weights` (H, T, S)
   */
  forward(x, cache, memory) {
    const { k = [], v = [] } = cache;
    if (!memory || !k.length) {
      cache.k = concatenate(k, this.w_k.forward(memory ?? x));
      cache.v = concatenate(v, this.w_v.forward(memory ?? x));
    }
    const q = this.w_q.forward(x);
    const d = this.w_q.rows;
    const sizes = { T: q.length / d, S: cache.k.length / d, H: this.heads, d };
    const [mixtures, weights] = attend(q, cache.k, cache.v, sizes, this.off);
    return [this.w_o.forward(mixtures), { q, ...cache, weights }];
  }
}

// Returns softmax(q kᵀ / √d_head) v of every head, (T, d_model), and the weights (H, T, S).
// q is (T, d_model); k and v are (S, d_model), with the heads side by side.
// The results of ablated heads are 0.
function attend(q, k, v, { T, S, H, d }, off) {
  const dHead = d / H;
  const scale = 1 / Math.sqrt(dHead);
  const weights = new Float32Array(H * T * S);
  const out = new Float32Array(T * d);
  for (let h = 0; h < H; h++) {
    const first = h * dHead; // first dimension of the head
    for (let t = 0; t < T; t++) {
      const row = weights.subarray((h * T + t) * S, (h * T + t + 1) * S);
      for (let s = 0; s < S; s++) {
        let score = 0;
        for (let i = first; i < first + dHead; i++) score += q[t * d + i] * k[s * d + i];
        row[s] = score * scale;
      }
      softmax(row);
      if (off.has(h)) continue;
      for (let s = 0; s < S; s++) {
        for (let i = first; i < first + dHead; i++) out[t * d + i] += row[s] * v[s * d + i];
      }
    }
  }
  return [out, weights];
}
