/**
 * Returns a number as a cell shows it: two decimals at most, fewer for large numbers.
 *
 * @param {number} value NaN becomes an empty text
 * @returns {string}
 */
export function brief(value) {
  if (Number.isNaN(value)) return "";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  if (Number.isInteger(value)) return minus(String(value));
  const text = value.toFixed(decimalsOf(Math.abs(value)));
  return minus(text.replace(/^-(?=[0.]*$)/, "")); // 0.00 has no sign
}

/**
 * Returns a number with six significant digits, without zeros at its end.
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

// The sign that typography has for a negative number.
function minus(text) {
  return text.replace("-", "−");
}
