// Arrays of the maps of one attention, layer by layer.
// Each layer has the maps of its heads, then one map of all heads together.

/**
 * Adds the mean map to the maps of each layer, if a layer has several heads.
 *
 * @param {Float32Array} weights (layers, heads, rows, columns)
 * @param {number[]} shape of the weights
 * @returns {{weights: Float32Array, shape: number[], heads: number}} `shape` is (layers, maps,
 *   rows, columns); `heads` is the number of heads without the mean
 */
export function withMeans(weights, [layers, heads, rows, columns]) {
  if (heads === 1) return { weights, shape: [layers, 1, rows, columns], heads };
  const size = rows * columns;
  const maps = heads + 1; // of a layer
  const all = new Float32Array(layers * maps * size);
  weights.forEach((weight, n) => {
    const layer = Math.floor(n / (heads * size));
    const mean = (layer * maps + heads) * size + (n % size);
    all[n + layer * size] = weight;
    all[mean] += weight / heads;
  });
  return { weights: all, shape: [layers, maps, rows, columns], heads };
}

/**
 * Returns the cells of one map.
 *
 * @param {{weights: Float32Array, shape: number[]}} attention from `withMeans`
 * @param {number} layer from 0
 * @param {number | null} head from 0; null: all heads of the layer together
 * @returns {Float32Array} (rows, columns)
 */
export function mapOf({ weights, shape }, layer, head) {
  const [, maps, rows, columns] = shape;
  const map = layer * maps + (head ?? maps - 1);
  return weights.subarray(map * rows * columns, (map + 1) * rows * columns);
}
