// Reads the colours of the theme.

/**
 * Returns the colours of a scale of the theme.
 *
 * @param {CSSStyleDeclaration} style computed style of an element of the page
 * @param {string} scale "sequential", "diverging" or "categorical"
 * @returns {string[]} colours such as "#0b86c2"
 */
export function scaleOf(style, scale) {
  return style.getPropertyValue(`--st-chart-${scale}-colors`).match(/#[0-9a-f]{6}/gi) ?? [];
}

/**
 * Returns 256 colours, interpolated between the colours of a scale.
 *
 * @param {CSSStyleDeclaration} style computed style of an element of the page
 * @param {string} scale "sequential" or "diverging"
 * @returns {Uint32Array} (256,) little-endian RGBA, as in the image data of a canvas
 */
export function palette(style, scale) {
  const stops = scaleOf(style, scale).map(rgbOf);
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const position = (i / 255) * (stops.length - 1);
    const below = Math.min(Math.floor(position), stops.length - 2);
    const share = position - below;
    const [r, g, b] = stops[below].map((low, channel) =>
      Math.round(low + (stops[below + 1][channel] - low) * share),
    );
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  });
}

// Converts a colour: "#0b86c2" -> [11, 134, 194].
function rgbOf(colour) {
  return [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
}
