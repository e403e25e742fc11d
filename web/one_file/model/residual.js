import { LayerNorm } from "./layer_norm.js";

/** A sublayer with its residual connection: x + sublayer(norm(x)), or norm(x + sublayer(x)). */
export class Residual {
  /**
   * @param {object} parameters as `unpackWeights` returns them
   * @param {string} path of this layer in the names of the parameters
   * @param {object} config `norm` is "pre" or "post"
   * @param {object} sublayer an attention or a feed-forward network
   */
  constructor(parameters, path, config, sublayer) {
    this.isPreNorm = config.norm === "pre";
    this.norm = new LayerNorm(parameters, `${path}.norm`);
    this.sublayer = sublayer;
  }

  /**
   * @param {Float32Array} x (T, d_model)
   * @param {...object} others further arguments of the sublayer
   * @returns {[Float32Array, object]} (T, d_model), and the results of the sublayer, with `before`,
   *   `sum` and `after` of the residual connection
   */
  forward(x, ...others) {
    const input = this.isPreNorm ? this.norm.forward(x) : x;
    const [added, seen] = this.sublayer.forward(input, ...others);
    const sum = x.map((value, n) => value + added[n]);
    const after = this.isPreNorm ? sum : this.norm.forward(sum);
    return [after, { ...seen, before: x, sum, after }];
  }
}
