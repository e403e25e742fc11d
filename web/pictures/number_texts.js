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
  const text = value.toFixed(decimalsOf(Math.abs(value)));
  return minus(text.replace(/^-(?=[0.]*$)/, "")); // no minus sign for 0.00
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
