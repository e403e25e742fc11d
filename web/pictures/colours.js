// The colours of the theme.

// The colours of a scale of the theme: sequential, diverging or categorical.
export const scaleOf = (style, scale) =>
  style.getPropertyValue(`--st-chart-${scale}-colors`).match(/#[0-9a-f]{6}/gi) ?? [];

// 256 colours between those of a scale, as little-endian RGBA.
export function palette(style, scale) {
  const rgb = scaleOf(style, scale).map((stop) =>
    [1, 3, 5].map((at) => parseInt(stop.slice(at, at + 2), 16)),
  );
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const place = (i / 255) * (rgb.length - 1);
    const below = Math.min(Math.floor(place), rgb.length - 2);
    const [r, g, b] = rgb[below].map((low, c) =>
      Math.round(low + (rgb[below + 1][c] - low) * (place - below)),
    );
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  });
}
