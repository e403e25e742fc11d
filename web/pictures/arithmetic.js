/**
 * Returns the index, limited to the range of a list of this size.
 *
 * @param {number} index
 * @param {number} size at least 1
 * @returns {number}
 */
export function clamp(index, size) {
  return Math.min(size - 1, Math.max(0, index));
}

/**
 * Returns the index of the largest number; the first index if several are equal.
 *
 * @param {ArrayLike<number>} numbers at least one
 * @returns {number}
 */
export function argmax(numbers) {
  let best = 0;
  for (let n = 1; n < numbers.length; n++) if (numbers[n] > numbers[best]) best = n;
  return best;
}
