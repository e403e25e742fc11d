/**
 * Merges maps of subwords into maps of words: the sum over the subwords of a key word, the mean
 * over the subwords of a query word (Clark et al. 2019, section 4.1).
 *
 * @param {Float32Array} maps (n, T, S)
 * @param {number[]} shape T and S
 * @param {number[][]} rows positions of each query word
 * @param {number[][]} columns positions of each key word
 * @returns {Float32Array} (n, query words, key words)
 */
export function inWords(maps, [T, S], rows, columns) {
  const n = maps.length / T / S;
  const merged = new Float32Array(n * rows.length * columns.length);
  let at = 0;
  for (let map = 0; map < n; map++) {
    for (const row of rows) {
      for (const column of columns) {
        for (const t of row) {
          for (const s of column) merged[at] += maps[(map * T + t) * S + s] / row.length;
        }
        at++;
      }
    }
  }
  return merged;
}
