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

// Draws when a size changes. What was just taken off the page has no size, and no colours either.
function sizeObserver(draw) {
  return new ResizeObserver(([{ target }]) => target.clientWidth && draw());
}

function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

// A token is of a language, and turns nothing around it if it is written from right to left. A part of
// a character says its bytes when one points at it.
function token(text, language, told = {}) {
  const made = element("bdi", "", text);
  if (told[text]) made.title = told[text];
  if (language) made.lang = language;
  return made;
}

function header(name, scope, language = "") {
  const cell = element("th");
  cell.scope = scope;
  cell.append(token(name, language));
  return cell;
}

// What a picture shows, as tables that are written only while somebody has them open.
class Twin {
  constructor(write) {
    this.write = write;
    this.details = element("details");
    this.summary = element("summary");
    this.scroll = element("div", "scroll");
    this.scroll.setAttribute("role", "region");
    this.details.append(this.summary, this.scroll);
    this.details.addEventListener("toggle", () => this.refresh());
  }

  refresh(name = this.summary.textContent) {
    this.summary.textContent = name;
    this.scroll.setAttribute("aria-label", name);
    this.scroll.tabIndex = 0; // it may be too wide, and keys shall scroll it
    if (this.details.open) this.scroll.replaceChildren(...this.write());
  }
}

// A row for each name, and in it what `cell` says of each pair: a list of texts and elements.
function tableOf(caption, rows, columns, cell, [rowLanguage, columnLanguage] = []) {
  const table = element("table");
  const top = table.createTHead().insertRow();
  top.append(element("td"), ...columns.map((name) => header(name, "col", columnLanguage)));
  const body = table.createTBody();
  rows.forEach((name, i) => {
    const row = body.insertRow();
    row.append(header(name, "row", rowLanguage));
    columns.forEach((_, j) => row.insertCell().append(...cell(i, j)));
  });
  table.createCaption().textContent = caption;
  return table;
}

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function columnName(word, head) {
  const name = element("span", "column-name");
  name.append(element("span", "long", `${word} `), String(head));
  return name;
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function clamp(index, size) {
  return Math.min(size - 1, Math.max(0, index));
}
