import { Linear } from "./linear.js";

/** max(0, x W_1 + b_1) W_2 + b_2, for every position (section 3.3, equation 2). */
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
   * @returns {Float32Array[]} only (T, d_model): a feed-forward network sees no other position
   */
  forward(x) {
    const hidden = this.w_1.forward(x).map((value) => Math.max(0, value)); // (T, d_ff)
    return [this.w_2.forward(hidden)];
  }
}
