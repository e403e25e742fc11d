// What a Transformer is made of: linear maps, norms, the feed-forward network, in float32.

// x W^T + b; the matrix is (rows, columns), as PyTorch has it.
export class Linear {
  constructor(parameters, path) {
    const { numbers, shape } = parameters[`${path}.weight`];
    [this.weight, [this.rows, this.columns]] = [numbers, shape];
    this.bias = parameters[`${path}.bias`]?.numbers ?? new Float32Array(this.rows);
  }

  // (T, columns) -> (T, rows). Four rows at once: each number of x is read once for all of them. Where rows are
  // no multiple of four, the last four begin among those before.
  forward(input) {
    const { weight, bias, rows, columns } = this;
    const x = new Float64Array(input); // as the sums are
    const T = x.length / columns;
    const out = new Float32Array(T * rows);
    for (let four = 0; four < rows; four += 4) {
      const r = Math.max(0, Math.min(four, rows - 4));
      const first = r * columns;
      const [second, third, fourth] = [first + columns, first + 2 * columns, first + 3 * columns];
      for (let t = 0; t < T; t++) {
        let [a, b, c, d] = [bias[r], bias[r + 1], bias[r + 2], bias[r + 3]];
        for (let i = 0, at = t * columns; i < columns; i++, at++) {
          a += weight[first + i] * x[at];
          b += weight[second + i] * x[at];
          c += weight[third + i] * x[at];
          d += weight[fourth + i] * x[at];
        }
        const to = t * rows + r;
        [out[to], out[to + 1], out[to + 2], out[to + 3]] = [a, b, c, d];
      }
    }
    return out;
  }
}

// γ ⊙ (x - mean x) / σ + β.
export class LayerNorm {
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
export class FeedForward {
  constructor(parameters, path, config) {
    this.activation = ACTIVATIONS[config.activation];
    [this.w_1, this.w_2] = [
      new Linear(parameters, `${path}.w_1`),
      new Linear(parameters, `${path}.w_2`),
    ];
  }

  forward(x) {
    return [this.w_2.forward(this.w_1.forward(x).map(this.activation))];
  }
}

// pre-norm: x + sublayer(norm(x)); post-norm: norm(x + sublayer(x)).
export class Residual {
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
export function softmax(row) {
  const largest = row.reduce((best, value) => Math.max(best, value), -Infinity);
  let sum = 0;
  for (let n = 0; n < row.length; n++) sum += row[n] = Math.exp(row[n] - largest);
  for (let n = 0; n < row.length; n++) row[n] /= sum;
}

export function joined(first, second) {
  const both = new Float32Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
