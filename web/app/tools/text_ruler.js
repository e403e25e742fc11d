let brush = null; // context of a canvas that is used only to measure

/**
 * Measures the width and height of a text.
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
