let brush = null; // of a canvas on which nothing is drawn

/**
 * Measures a text.
 *
 * @param {string} font as CSS writes it
 * @param {string} text
 * @returns {TextMetrics}
 */
export function measureText(font, text) {
  brush ??= document.createElement("canvas").getContext("2d");
  brush.font = font;
  return brush.measureText(text);
}
