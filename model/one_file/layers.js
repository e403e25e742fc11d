// What a Transformer is made of: linear maps, norms, the feed-forward network, in float32.

// x W^T + b; the matrix is (rows, columns), as PyTorch has it.
class Linear {
  constructor(parameters, path) {
    const { numbers, shape } = parameters[`${path}.weight`];
    [this.weight, [this.rows, this.columns]] = [numbers, shape];
    this.bias = parameters[`${path}.bias`]?.numbers;
  }

  // (T, columns) -> (T, rows).
  forward(x) {
    const { weight, bias, rows, columns } = this;
    const T = x.length / columns;
    const fours = columns - (columns % 4);
    const out = new Float32Array(T * rows);
    for (let r = 0; r < rows; r++) {
      const from = r * columns;
      for (let t = 0; t < T; t++) {
        const at = t * columns;
        let [a, b, c, d] = [0, 0, 0, 0];
        for (let i = 0; i < fours; i += 4) {
          a += weight[from + i] * x[at + i];
          b += weight[from + i + 1] * x[at + i + 1];
          c += weight[from + i + 2] * x[at + i + 2];
          d += weight[from + i + 3] * x[at + i + 3];
        }
        for (let i = fours; i < columns; i++) a += weight[from + i] * x[at + i];
        out[t * rows + r] = a + b + c + d + (bias ? bias[r] : 0);
      }
    }
    return out;
  }
}

// γ ⊙ (x - mean x) / σ + β.
class LayerNorm {
  constructor(parameters, path) {
    this.gamma = parameters[`${path}.weight`].numbers;
    this.beta = parameters[`${path}.bias`].numbers;
  }

  forward(x) {
    const d = this.gamma.length;
    const out = new Float32Array(x.length);
    for (let at = 0; at < x.length; at += d) {
      let [mean, variance] = [0, 0];
      for (let i = 0; i < d; i++) mean += x[at + i] / d;
      for (let i = 0; i < d; i++) variance += (x[at + i] - mean) ** 2 / d;
      const scale = 1 / Math.sqrt(variance + 1e-5);
      for (let i = 0; i < d; i++) out[at + i] = this.gamma[i] * (x[at + i] - mean) * scale + this.beta[i];
    }
    return out;
  }
}

const ACTIVATIONS = {
  relu: (x) => Math.max(0, x),
  silu: (x) => x / (1 + Math.exp(-x)),
};

// max(0, x W_1 + b_1) W_2 + b_2, at every position alone.
class FeedForward {
  constructor(parameters, path, config) {
    this.activation = ACTIVATIONS[config.activation];
    [this.w_1, this.w_2] = [new Linear(parameters, `${path}.w_1`), new Linear(parameters, `${path}.w_2`)];
  }

  forward(x) {
    return [this.w_2.forward(this.w_1.forward(x).map(this.activation))];
  }
}

// pre-norm: x + sublayer(norm(x)); post-norm: norm(x + sublayer(x)).
class Residual {
  constructor(parameters, path, config) {
    this.preNorm = config.norm === "pre";
    this.norm = new LayerNorm(parameters, `${path}.norm`);
  }

  // A sublayer gives what is added, and what it has computed on the way if it is an attention.
  forward(x, sublayer) {
    const [added, seen] = sublayer(this.preNorm ? this.norm.forward(x) : x);
    const sum = x.map((value, n) => value + added[n]);
    const after = this.preNorm ? sum : this.norm.forward(sum);
    return [after, { ...seen, before: x, sum, after }];
  }
}

// In place: rows that sum to 1.
function softmax(row) {
  const largest = row.reduce((best, value) => Math.max(best, value), -Infinity);
  let sum = 0;
  for (let n = 0; n < row.length; n++) sum += row[n] = Math.exp(row[n] - largest);
  for (let n = 0; n < row.length; n++) row[n] /= sum;
}

function joined(first, second) {
  const both = new Float32Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
