// Measures the cells of a map, like value_norms.py and contributions.py in model/maps.
// A cell is a weight, the length of a weighted value vector, or a share of the output.
// The length is that of Kobayashi et al. 2020, the share that of Ferrando et al. 2022.

/**
 * Returns the maps of one attention.
 *
 * @param {string} measure "weights", "value_norms" or "contributions"
 * @param {string} kind of the attention
 * @param {object} seen the results of the attention
 * @param {Residual} residual the attention with its residual connection
 * @param {object} [options]
 * @param {boolean} [options.eachHead] false: the maps of single heads stay empty, which is faster
 * @returns {{maps: Float32Array, kept: Float32Array}} `maps` (H + 1, T, S): the map of each head,
 *   then of all heads together; `kept` (T,): the residual connection's share of each row, in
 *   contributions of a cross-attention
 */
export function measureCells(measure, kind, seen, residual, { eachHead = true } = {}) {
  const { heads } = residual.sublayer;
  const d = residual.sublayer.w_o.rows;
  const T = seen.after.length / d;
  const S = seen.v.length / d;
  if (measure === "weights") return withMean(seen.weights, heads, T, S);

  const isCross = kind === "cross";
  const maps = new Float32Array((heads + 1) * T * S);
  const kept = new Float32Array(T);
  const values = transformedValues(seen.v, residual.sublayer); // (H, S, d_model)
  const part = new Float32Array(d); // weighted value of one head
  const together = new Float32Array(d); // sum of the weighted values of all heads
  for (let t = 0; t < T; t++) {
    const row = (all) => all.subarray(t * d, (t + 1) * d);
    const sizeOf = sizeOfPart(measure, residual, row(seen.sum), row(seen.after));
    let total = 0;

    // 1. Measure the contribution of each token
    for (let s = 0; s < S; s++) {
      const at = (h) => (h * T + t) * S + s;
      // In self-attention, the residual connection counts as part of the token itself.
      if (measure === "contributions" && !isCross && s === t) together.set(row(seen.before));
      else together.fill(0);
      for (let h = 0; h < heads; h++) {
        for (let i = 0; i < d; i++) {
          const value = seen.weights[at(h)] * values[(h * S + s) * d + i];
          part[i] = value;
          together[i] += value;
        }
        if (eachHead) maps[at(h)] = sizeOf(part);
      }
      const size = sizeOf(together);
      maps[at(heads)] = size;
      total += size;
    }
    if (measure === "value_norms") continue;

    // 2. In cross-attention, measure the contribution of the residual connection
    if (isCross) {
      const size = sizeOf(row(seen.before));
      kept[t] = size;
      total += size;
    }

    // 3. Divide by the total. If the total is 0, the residual connection has the whole share
    if (!total) {
      if (isCross) kept[t] = 1;
      else maps[(heads * T + t) * S + t] = 1;
      total = 1;
    }
    kept[t] /= total;
    for (let h = 0; h <= heads; h++) {
      for (let s = 0; s < S; s++) maps[(h * T + t) * S + s] /= total;
    }
  }
  return { maps, kept };
}

/**
 * Returns the source share of each target token, by ALTI+ (Ferrando et al. 2022).
 *
 * Each layer adds a share from the source to the shares that the earlier target tokens already
 * have. The rows of the encoder sum to 1 and do not change the shares.
 *
 * @param {Transformer} model
 * @param {object} seen the results of the decoder's attentions, layer by layer
 * @returns {number[]} (T,) shares
 */
export function sourceShares(model, { decoder_self, cross }) {
  let shares = null;
  decoder_self.forEach((seen, layer) => {
    const measure = (kind, ofKind) =>
      measureCells("contributions", kind, ofKind, model.attentions(kind)[layer], {
        eachHead: false,
      });
    const { kept } = measure("cross", cross[layer]);
    const T = kept.length;
    // the last map combines all heads
    const back = measure("decoder_self", seen).maps.subarray(-T * T);
    const before = shares ?? new Float32Array(T);
    shares = kept.map((own, t) => {
      const fromBefore = before.reduce((sum, share, s) => sum + share * back[t * T + s], 0);
      return 1 - own + own * fromBefore;
    });
  });
  return [...shares];
}

function withMean(weights, heads, T, S) {
  const maps = new Float32Array((heads + 1) * T * S);
  maps.set(weights);
  weights.forEach((weight, n) => {
    maps[heads * T * S + (n % (T * S))] += weight / heads;
  });
  return { maps, kept: new Float32Array(T) };
}

// Returns f(x_j) = (x_j W_V + b_V) W_O of every head, 0 for ablated heads: (H, S, d_model).
function transformedValues(v, { w_o, heads, off }) {
  const { weight, rows: d } = w_o;
  const S = v.length / d;
  const dHead = d / heads;
  const f = new Float32Array(heads * S * d);
  for (let h = 0; h < heads; h++) {
    if (off.has(h)) continue;
    for (let s = 0; s < S; s++) {
      for (let r = 0; r < d; r++) {
        let sum = 0;
        for (let i = h * dHead; i < (h + 1) * dHead; i++) sum += weight[r * d + i] * v[s * d + i];
        f[(h * S + s) * d + r] = sum;
      }
    }
  }
  return f;
}

// Returns a function that measures a summand of a row. The norm after the sum depends on the row.
function sizeOfPart(measure, { isPreNorm, norm }, sum, after) {
  if (measure === "value_norms") return length;
  const linear = isPreNorm ? (x) => x : norm.frozen(sum);
  return (part) => closeness(linear(part), after);
}

// Returns the Euclidean norm ‖x‖₂.
function length(x) {
  return Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));
}

// Returns max(0, ‖y‖₁ - ‖y - part‖₁).
function closeness(part, y) {
  let sum = 0;
  for (let i = 0; i < y.length; i++) sum += Math.abs(y[i]) - Math.abs(y[i] - part[i]);
  return Math.max(0, sum);
}
