import { Linear } from "./linear.js";

/** Computes max(0, x W_1 + b_1) W_2 + b_2 for every position (section 3.3, equation 2). */
export class FeedForward {
  /**
   * @param {object} parameters as `unpackWeights` returns them
   * @param {string} path of this layer in the names of the parameters
   */
  constructor(parameters, path) {
    this.w_1 = new Linear(parameters, `${path}.w_1`);
    this.w_2 = new Linear(parameters, `${path}.w_2`);
  }

  /**
   * @param {Float32Array} x (T, d_model)
   * @returns {Float32Array[]} a list with the output (T, d_model), and no results to show
   */
  forward(x) {
    const hidden = this.w_1.forward(x).map((value) => Math.max(0, value)); // (T, d_ff)
    return [this.w_2.forward(hidden)];
  }
}
