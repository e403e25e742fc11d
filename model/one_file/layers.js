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
      const row = x.subarray(at, at + d);
      this.frozen(row)(row).forEach((value, i) => (out[at + i] = value + this.beta[i]));
    }
    return out;
  }

  // The linear map that it is, but for β, once its σ is that of x.
  frozen(x) {
    const mean = (of) => of.reduce((sum, value) => sum + value, 0) / of.length;
    const middle = mean(x);
    const deviation = Math.sqrt(mean(x.map((value) => (value - middle) ** 2)) + 1e-5);
    return (part) => {
      const own = mean(part);
      return part.map((value, i) => (this.gamma[i] * (value - own)) / deviation);
    };
  }
}

const ACTIVATIONS = { relu: (x) => Math.max(0, x), silu: (x) => x / (1 + Math.exp(-x)) };

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
  constructor(parameters, path, config, sublayer) {
    this.preNorm = config.norm === "pre";
    this.norm = new LayerNorm(parameters, `${path}.norm`);
    this.sublayer = sublayer;
  }

  // A sublayer gives what is added, and what it has computed on the way if it is an attention.
  forward(x, ...others) {
    const [added, seen] = this.sublayer.forward(this.preNorm ? this.norm.forward(x) : x, ...others);
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
