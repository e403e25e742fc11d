/**
 * Returns a label, shortened with an ellipsis if it is wider than `width`.
 *
 * @param {CanvasRenderingContext2D} brush whose font is set
 * @param {string} label
 * @param {number} width in pixels
 * @returns {string}
 */
export function fitLabel(brush, label, width) {
  if (brush.measureText(label).width <= width) return label;
  const segments = [...new Intl.Segmenter().segment(label)];
  const letters = segments.map(({ segment }) => segment); // each with its accents
  while (letters.length > 1 && brush.measureText(`${letters.join("")}…`).width > width) {
    letters.pop();
  }
  return `${letters.join("")}…`;
}
