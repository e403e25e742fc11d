// What the canvas components have in common; put before the code of each.

// The bytes that payload.pack_bytes makes: a JSON header, then numbers.
function unpackBytes(data) {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { header, cells: bytes.slice(4 + length).buffer }; // a copy starts aligned
}

// 256 colours between those of a scale of the theme, sequential or diverging, as little-endian RGBA.
function palette(style, scale) {
  const stops = style.getPropertyValue(`--st-chart-${scale}-colors`).match(/#[0-9a-f]{6}/gi);
  const rgb = stops.map((stop) => [1, 3, 5].map((at) => parseInt(stop.slice(at, at + 2), 16)));
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const place = (i / 255) * (rgb.length - 1);
    const below = Math.min(Math.floor(place), rgb.length - 2);
    const [r, g, b] = rgb[below].map((low, c) => Math.round(low + (rgb[below + 1][c] - low) * (place - below)));
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  });
}

function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

function header(text, scope) {
  const cell = element("th", "", text);
  cell.scope = scope;
  return cell;
}

function columnName(word, head) {
  const name = element("span", "column-name");
  name.append(element("span", "long", `${word} `), String(head));
  return name;
}

// A right-to-left token must not turn the arrow around: first strong isolate … pop isolate.
function isolate(token) {
  return `\u2068${token}\u2069`;
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function clamp(index, size) {
  return Math.min(size - 1, Math.max(0, index));
}
