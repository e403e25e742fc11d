// The maps of the heads of one attention, layer by layer, and after the heads of each layer one map
// of all of them together.

/**
 * Adds to the heads of each layer the mean of their maps, if a layer has several.
 *
 * @param {Float32Array} weights (layers, heads, rows, columns)
 * @param {number[]} shape of the weights
 * @returns {{weights: Float32Array, shape: number[], heads: number}} `shape` is (layers, maps,
 *   rows, columns); `heads` counts only the heads of a layer
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
 * @param {{weights: Float32Array, shape: number[]}} attention as `withMeans` returns it
 * @param {number} layer from 0
 * @param {number | null} head from 0; null: all heads of the layer together
 * @returns {Float32Array} (rows, columns)
 */
export function mapOf({ weights, shape }, layer, head) {
  const [, maps, rows, columns] = shape;
  const map = layer * maps + (head ?? maps - 1);
  return weights.subarray(map * rows * columns, (map + 1) * rows * columns);
}
