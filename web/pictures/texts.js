/**
 * Fills the placeholders of a text: "layer {n}" and { n: 2 } give "layer 2".
 *
 * @param {string} text
 * @param {object} values by the names of the placeholders
 * @returns {string}
 */
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
