import { clamp } from "./arithmetic.js";

/**
 * Returns the next readable cell in a direction.
 *
 * @param {number[]} cell row and column, from 0
 * @param {number[]} step rows down and columns to the right
 * @param {number[]} shape rows and columns of the matrix
 * @param {(row: number, column: number) => boolean} isReadable
 * @returns {number[] | null} row and column; null if there is none
 */
export function nextCell([row, column], [down, right], [rows, columns], isReadable) {
  let i = row + down;
  let j = column + right;
  while (clamp(i, rows) === i && clamp(j, columns) === j) {
    if (isReadable(i, j)) return [i, j];
    i += down;
    j += right;
  }
  return null;
}
