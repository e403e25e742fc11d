/**
 * Returns the text of a number in a cell: at most two decimals, fewer for large numbers.
 *
 * @param {number} value NaN becomes an empty text
 * @returns {string}
 */
export function brief(value) {
  if (Number.isNaN(value)) return "";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  if (Number.isInteger(value)) return minus(String(value));
  return withDecimals(value);
}

function withDecimals(value) {
  if (!Number.isFinite(value)) return brief(value);
  return fixed(value, decimalsOf(Math.abs(value)));
}

/**
 * Returns a finite number with n decimals and a minus sign, but none before 0.00.
 *
 * @param {number} value
 * @param {number} n
 * @returns {string}
 */
export function fixed(value, n) {
  return minus(value.toFixed(n).replace(/^-(?=[0.]*$)/, ""));
}

/**
 * Returns the texts of the numbers of a matrix, as `brief`. Whole numbers have no decimals only if
 * all numbers are whole: "0" beside "0.00" would look like another kind of number.
 *
 * @param {ArrayLike<number>} values
 * @returns {string[]}
 */
export function briefTexts(values) {
  const finite = Array.from(values).filter(Number.isFinite);
  const isWhole = finite.every(Number.isInteger);
  return Array.from(values, (value) => (isWhole ? brief(value) : withDecimals(value)));
}

/**
 * Returns a number with six significant digits, without trailing zeros.
 *
 * @param {number} value NaN becomes an empty text
 * @returns {string}
 */
export function exact(value) {
  if (!Number.isFinite(value)) return brief(value);
  if (Number.isInteger(value)) return minus(String(value));
  return minus(String(Number(value.toPrecision(6))));
}

function decimalsOf(size) {
  if (size >= 100) return 0;
  return size >= 10 ? 1 : 2;
}

// Replaces the hyphen of a negative number by a minus sign.
function minus(text) {
  return text.replace("-", "−");
}
