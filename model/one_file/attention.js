// Scaled dot-product attention (Vaswani et al. 2017, section 3.2) with several heads, for one sentence.

// softmax(q kᵀ / √d_head) v of every head. q (T, d_model), k and v (S, d_model), the heads side by side;
// with `first`, query t sees the keys up to first + t. Returns mixtures (T, d_model), weights (H, T, S).
function scaledDotProductAttention(q, k, v, [T, S, H, d], first = null) {
  const dHead = d / H;
  const scale = 1 / Math.sqrt(dHead);
  const weights = new Float32Array(H * T * S);
  const out = new Float32Array(T * d);
  for (let h = 0; h < H; h++)
    for (let t = 0; t < T; t++) {
      const seen = first === null ? S : first + t + 1;
      const row = weights.subarray((h * T + t) * S, (h * T + t) * S + seen);
      for (let s = 0; s < seen; s++) {
        let score = 0;
        for (let i = 0; i < dHead; i++) score += q[t * d + h * dHead + i] * k[s * d + h * dHead + i];
        row[s] = score * scale;
      }
      softmax(row);
      for (let s = 0; s < seen; s++)
        for (let i = 0; i < dHead; i++) out[t * d + h * dHead + i] += row[s] * v[s * d + h * dHead + i];
    }
  return [out, weights];
}

class MultiHeadAttention {
  constructor(parameters, path, config) {
    this.heads = config.n_heads;
    for (const name of ["w_q", "w_k", "w_v", "w_o"]) this[name] = new Linear(parameters, `${path}.${name}`);
  }

  // queriesFrom (T, d_model), keysFrom (S, d_model) -> (T, d_model). A cache keeps keys and values: of
  // earlier tokens, or, if it is complete, of the whole source.
  forward(queriesFrom, keysFrom, { causal = false, cache = null } = {}) {
    const d = this.w_q.rows;
    const q = this.w_q.forward(queriesFrom); // (T, d_model)
    if (!cache?.complete) {
      const [k, v] = [this.w_k.forward(keysFrom), this.w_v.forward(keysFrom)];
      if (cache) cache.append(k, v);
      else cache = { k, v };
    }
    const [T, S] = [q.length / d, cache.k.length / d];
    const [mixed, weights] = scaledDotProductAttention(q, cache.k, cache.v, [T, S, this.heads, d], causal ? S - T : null);
    return [this.w_o.forward(mixed), weights];
  }
}

// Keys and values of one attention.
class AttentionCache {
  k = new Float32Array(0);
  v = new Float32Array(0);
  complete = false;

  append(k, v) {
    this.k = joined(this.k, k);
    this.v = joined(this.v, v);
  }
}
