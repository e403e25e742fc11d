const EPSILON = 1e-5; // as in PyTorch

/** Computes γ ⊙ (x - mean(x)) / σ(x) + β for every position (Ba et al. 2016). */
export class LayerNorm {
  /**
   * @param {object} parameters as `unpackWeights` returns them
   * @param {string} path of this layer in the names of the parameters
   */
  constructor(parameters, path) {
    this.gamma = parameters[`${path}.weight`].numbers;
    this.beta = parameters[`${path}.bias`].numbers;
  }

  /**
   * @param {Float32Array} x (T, d_model)
   * @returns {Float32Array} (T, d_model)
   */
  forward(x) {
    const d = this.gamma.length;
    const out = new Float32Array(x.length);
    for (let start = 0; start < x.length; start += d) {
      const row = x.subarray(start, start + d);
      this.frozen(row)(row).forEach((value, i) => {
        out[start + i] = value + this.beta[i];
      });
    }
    return out;
  }

  /**
   * Returns the norm as a linear map: without β, and with σ fixed to its value for x.
   *
   * @param {Float32Array} x (d_model,)
   * @returns {(part: Float32Array) => Float32Array} from (d_model,) to (d_model,)
   */
  frozen(x) {
    const middle = mean(x);
    const variance = mean(x.map((value) => (value - middle) ** 2));
    const deviation = Math.sqrt(variance + EPSILON);
    return (part) => {
      const own = mean(part);
      return part.map((value, i) => (this.gamma[i] * (value - own)) / deviation);
    };
  }
}

function mean(numbers) {
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}
