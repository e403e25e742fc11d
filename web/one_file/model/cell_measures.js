// What a cell of a map can be: a weight; how long the vector is that it brings (Kobayashi et al. 2020); or its
// share of what an attention and its residual connection give (Ferrando et al. 2022). Written like
// model/maps/value_norms.py and model/maps/contributions.py.

// f(x_j) = (x_j W_V + b_V) W_O of every head, of those that are off 0: (H, S, d_model).
function transformedValues(v, { w_o: { weight, rows: d }, heads, off }) {
  const [S, dHead] = [v.length / d, d / heads];
  const f = new Float32Array(heads * S * d);
  for (let h = 0; h < heads; h++)
    for (let s = 0; s < S && !off.has(h); s++)
      for (let r = 0; r < d; r++) {
        let sum = 0;
        for (let i = h * dHead; i < (h + 1) * dHead; i++) sum += weight[r * d + i] * v[s * d + i];
        f[(h * S + s) * d + r] = sum;
      }
  return f;
}

// The maps of the heads of one attention, and after them that of all its heads together, (H + 1, T, S); and of
// contributions how much of each row was there before, (T,). Without `each` those of the heads stay empty.
export function cellsOf(cells, kind, seen, { sublayer: attention, norm, preNorm }, each = true) {
  const { v, weights, before, sum, after } = seen;
  const {
    heads,
    w_o: { rows: d },
  } = attention;
  const [T, S] = [after.length / d, v.length / d];
  const maps = new Float32Array((heads + 1) * T * S);
  const kept = new Float32Array(T);
  if (cells === "weights") {
    maps.set(weights);
    weights.forEach((weight, n) => (maps[heads * T * S + (n % (T * S))] += weight / heads));
    return { maps, kept };
  }
  const f = transformedValues(v, attention);
  const [part, together] = [new Float32Array(d), new Float32Array(d)];
  for (let t = 0; t < T; t++) {
    const row = (all) => all.subarray(t * d, (t + 1) * d);
    const [y, linear] = [row(after), preNorm ? (x) => x : norm.frozen(row(sum))];
    const size = cells === "value_norms" ? length : (x) => nearer(linear(x), y);
    let whole = 0;
    for (let s = 0; s < S; s++) {
      const at = (h) => (h * T + t) * S + s;
      const itself = kind !== "cross" && s === t && cells === "contributions"; // what was kept is the token's own
      if (itself) together.set(row(before));
      else together.fill(0);
      for (let h = 0; h < heads; h++) {
        for (let i = 0; i < d; i++)
          together[i] += part[i] = weights[at(h)] * f[(h * S + s) * d + i];
        if (each) maps[at(h)] = size(part);
      }
      whole += maps[at(heads)] = size(together);
    }
    if (cells === "value_norms") continue;
    if (kind === "cross") whole += kept[t] = size(row(before));
    if (!whole) {
      if (kind === "cross") kept[t] = 1;
      else maps[(heads * T + t) * S + t] = 1;
      whole = 1;
    }
    kept[t] /= whole;
    for (let h = 0; h <= heads; h++) for (let s = 0; s < S; s++) maps[(h * T + t) * S + s] /= whole;
  }
  return { maps, kept };
}

// How much of each of T target tokens comes from the source, by ALTI+: what a layer takes from the source,
// and what it keeps of what the tokens before had of it. Encoder rows sum to 1 and change no sum.
export function fromSource(model, { decoder_self, cross }) {
  let share = null;
  decoder_self.forEach((seen, layer) => {
    const of = (kind, seen) =>
      cellsOf("contributions", kind, seen, model.attentions(kind)[layer], false);
    const { kept } = of("cross", cross[layer]);
    const T = kept.length;
    const back = of("decoder_self", seen).maps.subarray(-T * T);
    share ??= new Float32Array(T);
    share = kept.map(
      (own, t) => 1 - own + own * share.reduce((sum, of, s) => sum + of * back[t * T + s], 0),
    );
  });
  return [...share];
}

const length = (x) => Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));

// max(0, ‖y‖₁ - ‖y - part‖₁).
function nearer(part, y) {
  let sum = 0;
  for (let i = 0; i < y.length; i++) sum += Math.abs(y[i]) - Math.abs(y[i] - part[i]);
  return Math.max(0, sum);
}

// Sum over the subwords of a key word, mean over those of a query word (Clark et al. 2019, section 4.1):
// (n, T, S) -> (n, query words, key words).
export function inWords(maps, [T, S], rows, columns) {
  const n = maps.length / T / S;
  const merged = new Float32Array(n * rows.length * columns.length);
  let at = 0;
  for (let map = 0; map < n; map++)
    for (const row of rows)
      for (const column of columns) {
        for (const t of row)
          for (const s of column) merged[at] += maps[(map * T + t) * S + s] / row.length;
        at++;
      }
  return merged;
}
