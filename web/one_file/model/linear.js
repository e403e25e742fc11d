const ROWS_AT_ONCE = 4; // rows that share one pass over x

/** Computes x Wᵀ + b. W is (rows, columns), as in PyTorch. */
export class Linear {
  /**
   * @param {object} parameters as `unpackWeights` returns them
   * @param {string} path of this layer in the names of the parameters
   */
  constructor(parameters, path) {
    const { numbers, shape } = parameters[`${path}.weight`];
    [this.rows, this.columns] = shape;
    this.weight = numbers;
    this.bias = parameters[`${path}.bias`]?.numbers ?? new Float32Array(this.rows);
  }

  /**
   * @param {Float32Array} input (T, columns)
   * @returns {Float32Array} (T, rows)
   */
  forward(input) {
    const { weight, bias, rows, columns } = this;
    const x = new Float64Array(input); // sums are computed in float64
    const T = x.length / columns;
    const out = new Float32Array(T * rows);
    for (let next = 0; next < rows; next += ROWS_AT_ONCE) {
      // If rows is not a multiple of four, the last four rows overlap with earlier ones.
      const row = Math.max(0, Math.min(next, rows - ROWS_AT_ONCE));
      const first = row * columns;
      const second = first + columns;
      const third = second + columns;
      const fourth = third + columns;
      for (let t = 0; t < T; t++) {
        let a = bias[row];
        let b = bias[row + 1];
        let c = bias[row + 2];
        let d = bias[row + 3];
        for (let i = 0, at = t * columns; i < columns; i++, at++) {
          a += weight[first + i] * x[at];
          b += weight[second + i] * x[at];
          c += weight[third + i] * x[at];
          d += weight[fourth + i] * x[at];
        }
        const to = t * rows + row;
        out[to] = a;
        out[to + 1] = b;
        out[to + 2] = c;
        out[to + 3] = d;
      }
    }
    return out;
  }
}
