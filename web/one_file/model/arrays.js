/**
 * Replaces the scores of a row by their softmax.
 *
 * @param {Float32Array | Float64Array} row changed in place
 */
export function softmax(row) {
  const largest = row.reduce((best, value) => Math.max(best, value), -Infinity);
  let sum = 0;
  for (let n = 0; n < row.length; n++) {
    const value = Math.exp(row[n] - largest);
    row[n] = value;
    sum += value;
  }
  for (let n = 0; n < row.length; n++) row[n] /= sum;
}

/**
 * Returns the concatenation of two arrays.
 *
 * @param {ArrayLike<number>} first
 * @param {ArrayLike<number>} second
 * @returns {Float32Array}
 */
export function concatenate(first, second) {
  const both = new Float32Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
