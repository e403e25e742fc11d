/** Computes √d_model E[token] + PE(position) (sections 3.4 and 3.5). */
export class Embedding {
  /**
   * @param {object} parameters as `unpackWeights` returns them
   * @param {string} path of this layer in the names of the parameters
   * @param {object} config of the model
   */
  constructor(parameters, path, config) {
    this.d = config.d_model;
    this.tokens = parameters[`${path}.tokens.weight`].numbers; // (V, d_model)
  }

  /**
   * @param {number[]} ids of T tokens
   * @param {number} [first] position of the first token in its sentence
   * @returns {Float32Array} (T, d_model)
   */
  forward(ids, first = 0) {
    const { d } = this;
    const scale = Math.sqrt(d);
    const out = new Float32Array(ids.length * d);
    ids.forEach((id, t) => {
      const wave = positionalEncoding(first + t, d);
      for (let i = 0; i < d; i++) out[t * d + i] = scale * this.tokens[id * d + i] + wave[i];
    });
    return out;
  }
}

/**
 * Returns PE(p, 2i) = sin(p / 10000^(2i / d_model)) and PE(p, 2i + 1) = cos with the same
 * argument.
 *
 * @param {number} position p, from 0
 * @param {number} d d_model, even
 * @returns {Float32Array} (d_model,)
 */
export function positionalEncoding(position, d) {
  const wave = new Float32Array(d);
  for (let i = 0; i < d; i += 2) {
    const angle = position * 10000 ** (-i / d);
    wave[i] = Math.sin(angle);
    wave[i + 1] = Math.cos(angle);
  }
  return wave;
}
