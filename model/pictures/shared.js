// What the canvas components and the saved page have in common; put before the code of each. Whatever a
// visitor typed is written on a canvas, with textContent or as an attribute, never as HTML.

const UNIT = 65535; // of the whole numbers that stand for weights from 0 to a limit

// The bytes that pack_bytes in ui/components makes: a JSON header, then numbers of a type.
function unpack(data, Numbers) {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { ...header, cells: new Numbers(bytes.slice(4 + length).buffer) }; // a copy starts aligned
}

// The colours of a scale of the theme: sequential, diverging or categorical.
const scaleOf = (style, scale) => style.getPropertyValue(`--st-chart-${scale}-colors`).match(/#[0-9a-f]{6}/gi) ?? [];

// 256 colours between those of a scale, as little-endian RGBA.
function palette(style, scale) {
  const rgb = scaleOf(style, scale).map((stop) => [1, 3, 5].map((at) => parseInt(stop.slice(at, at + 2), 16)));
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const place = (i / 255) * (rgb.length - 1);
    const below = Math.min(Math.floor(place), rgb.length - 2);
    const [r, g, b] = rgb[below].map((low, c) => Math.round(low + (rgb[below + 1][c] - low) * (place - below)));
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  });
}

// A map, one pixel for each cell, row by row; a cell without colour stays empty. Columns that are read
// from the right begin there.
function paintMap(canvas, [rows, columns], fromRight, colourOf) {
  [canvas.width, canvas.height] = [columns, rows];
  const brush = canvas.getContext("2d");
  const image = brush.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let n = 0; n < pixels.length; n++) pixels[fromRight ? n + columns - 1 - 2 * (n % columns) : n] = colourOf(n);
  brush.putImageData(image, 0, 0);
  return canvas;
}

// Row and column of the cell of a map under the pointer.
function cellUnder({ clientX, clientY }, map, [rows, columns], fromRight) {
  const { left, right, top, width, height } = map.getBoundingClientRect();
  const across = fromRight ? right - clientX : clientX - left;
  const [row, column] = [((clientY - top) / height) * rows, (across / width) * columns].map(Math.floor);
  return [clamp(row, rows), clamp(column, columns)];
}

// The brush of a canvas that is so many pixels of the page wide and high, however many the screen has.
function brushOf(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
  const brush = canvas.getContext("2d");
  brush.scale(scale, scale);
  return brush;
}

// What Streamlit asks of a component; a view that has a type for its `Numbers` is sent bytes.
function mount(Component) {
  return ({ data, parentElement, setTriggerValue }) => {
    const view = (parentElement.view ??= new Component(parentElement));
    view.send = setTriggerValue;
    view.show(Component.Numbers ? unpack(data, Component.Numbers) : data);
    return () => view.send === setTriggerValue && view.rest?.(); // what a later run overtook ends nothing
  };
}

// What a component shows, with what a screen reader says of it and the same as tables. Whoever extends
// it has `show`, `draw` and `tables`.
class View {
  constructor(parent) {
    this.root = element("div", { className: "root" });
    this.live = element("div", { className: "unseen", ariaLive: "polite" });
    this.tip = element("div", { className: "tip", hidden: true });
    const paintOn = (brush) => this.paint(brush); // for who takes the picture away
    this.canvas = element("canvas", { ariaHidden: true, paintOn });
    this.summary = element("summary");
    this.scroll = element("div", { className: "scroll", role: "region", tabIndex: 0 }); // for keys
    this.details = element("details", { ontoggle: () => this.refresh() }, this.summary, this.scroll);
    parent.append(this.root);
    // What was just taken off the page has no size, and no colours either.
    this.observer = new ResizeObserver(([{ target }]) => target.clientWidth && this.draw());
  }

  // Draws now and whenever the size of an element changes; the tables have this name.
  drawWith(node, name) {
    this.refresh(name);
    this.observer.disconnect();
    this.observer.observe(node);
    this.listening?.abort();
    this.listening = new AbortController();
  }

  // Listens to the page until it is shown anew, or rests.
  hear(name, act) {
    addEventListener(name, act, { signal: this.listening.signal });
  }

  rest() {
    this.observer.disconnect();
    this.listening.abort();
  }

  // The tables are written only while somebody has them open.
  refresh(name = this.summary.textContent) {
    this.summary.textContent = this.scroll.ariaLabel = name;
    if (this.details.open) this.scroll.replaceChildren(...this.tables());
  }

  // Beside the pointer, on its other side where there is no room.
  placeTip({ clientX, clientY }) {
    const frame = this.tip.parentNode.getBoundingClientRect();
    const x = clientX - frame.left;
    const left = x + 14 + this.tip.offsetWidth < frame.width ? x + 14 : x - 14 - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, left)}px`;
    this.tip.style.top = `${clientY - frame.top + 18}px`;
  }
}

// An element with these properties, in which texts and other elements stand.
function element(tag, { dataset, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  Object.assign(made.dataset, dataset);
  made.append(...children);
  return made;
}

const button = (className, text, onclick) => element("button", { type: "button", className, onclick }, text);

// A token is of a language, and turns nothing around it if it is written from right to left. A part of
// a character says its bytes when one points at it.
function token(text, lang, told = {}) {
  const made = element("bdi", {}, text);
  if (told[text]) made.title = told[text];
  if (lang) made.lang = lang;
  return made;
}

const header = (scope, ...children) => element("th", { scope }, ...children);

// A row for each name, and in it what `cell` says of each pair: a list of texts and elements.
function tableOf(caption, rows, columns, cell, [rowLanguage, columnLanguage] = []) {
  const top = element("tr", {}, element("td"), ...columns.map((name) => header("col", token(name, columnLanguage))));
  const body = rows.map((name, i) => {
    const cells = columns.map((_, j) => element("td", {}, ...cell(i, j)));
    return element("tr", {}, header("row", token(name, rowLanguage)), ...cells);
  });
  const parts = [element("caption", {}, caption), element("thead", {}, top), element("tbody", {}, ...body)];
  return element("table", {}, ...parts);
}

const still = matchMedia("(prefers-reduced-motion: reduce)");
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const clamp = (index, size) => Math.min(size - 1, Math.max(0, index));
