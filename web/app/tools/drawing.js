import { canvasScale } from "../../pictures/paper.js";
import { checkCanvases } from "./guarded_canvas.js";
import { SvgBrush } from "./svg_brush.js";
import { lighten, lightOf } from "./light_colours.js";
import { anchorAttributes, escapeXml, format2, paintAttributes, svgElement } from "./svg.js";
import { measureText } from "./text_ruler.js";

// Elements outside the picture. `.katex-mathml` is a formula once more, for screen readers. Those
// of the second line are controls; `.vega-bindings` are the sliders of a chart.
const LEFT_OUT =
  "details, style, script, .figure-bar, .tip, .unseen, .katex-mathml, .stTooltipIcon, [hidden]," +
  ".player, .heads, .least, .hint, .vega-bindings";
const HEADINGS = "h1, h2, h3, h4, figcaption, figcaption strong";
const SVG_STYLES = [
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "opacity",
  "font-size",
  "font-weight",
  "text-anchor",
];
// The values that SVG programs assume for missing styles.
const DEFAULTS = {
  "stroke-dasharray": "none",
  "stroke-linejoin": "miter",
  opacity: "1",
  stroke: "none",
  "text-anchor": "start",
};
// Charts that shrink to their room: beside others, and together with matrices, which would shrink
// with a chart that is wider than the paper.
const FITTED = ":is([data-beside], [class*=st-key-figure-]:has(.stBidiComponent)) .stVegaLiteChart";
const ALPHABET = "abcdefghijklmnopqrstuvwxyz"; // letters that measure how wide a font is
const GRADIENT_COLOUR = /linear-gradient\(((?:rgba?|color)\([^)]*\))/g;
const PAGE_ATTRIBUTES = ["class", "style", "role", "tabindex", "aria-pressed", "data-name"];

let drawings = 0; // number of drawings so far, which makes their ids unique

/**
 * Draws a visible part of the page as SVG: text as text, lines as lines. Text that the page cuts is
 * drawn whole, in smaller letters. Draw within `forFile`, so that the colours are those of a file.
 */
export class Drawing {
  /**
   * @param {number} left left edge of the drawing on the screen, in pixels
   * @param {number} top
   * @param {string} [title] drawn above the picture, so a heading with only this text is left out
   * @param {number} [overlap] pixels by which the cells of a map overlap
   */
  constructor(left, top, title = "", overlap = 0) {
    this.left = left;
    this.top = top;
    this.title = title;
    this.overlap = overlap;
    this.up = Infinity; // top of what is drawn, in pixels of the drawing
    this.right = 0; // right edge, in pixels of the drawing
    this.bottom = 0;
  }

  /**
   * Draws a node with its content, and extends `right` and `bottom` to include it.
   *
   * @param {Node} node
   * @returns {string} SVG; "" if nothing of the node is visible
   */
  node(node) {
    if (node.nodeType === Node.TEXT_NODE) return this.text(node);
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(LEFT_OUT)) return "";
    if (this.isTitle(node)) return "";
    const style = getComputedStyle(node);
    const isHidden = style.display === "none" || style.visibility === "hidden";
    if (isHidden || style.opacity === "0") return "";
    const drawn = this.box(node, style) + this.inside(node);
    const isFaint = drawn && style.opacity !== "1";
    return isFaint ? svgElement("g", { opacity: style.opacity }, drawn) : drawn;
  }

  inside(node) {
    if (node.localName === "svg") return this.svg(node);
    if (node.localName === "canvas") return this.canvas(node);
    if (node.classList.contains("js-plotly-plot")) return this.scene(node);
    const name = node.localName === "figcaption" && node.querySelector(":scope > strong");
    if (name && this.isTitle(name)) return this.withoutName(node, name);
    return this.children(node);
  }

  // Draws a caption without the name, which is the title. What follows it begins in its place.
  withoutName(caption, name) {
    name.hidden = true;
    try {
      return this.children(caption);
    } finally {
      name.hidden = false;
    }
  }

  isTitle(node) {
    return this.title && node.matches(HEADINGS) && node.textContent.trim() === this.title;
  }

  children(node) {
    const children = [...(node.shadowRoot ?? node).childNodes];
    return children.map((child) => this.node(child)).join("");
  }

  // Returns the box of a node in the drawing, and extends the drawing to it.
  // The box shrinks to the room of a chart that is wider than its column or its figure on paper.
  place(node) {
    const { left, top, width, height } = node.getBoundingClientRect();
    const isBehind = getComputedStyle(node).position === "absolute";
    const room = node.closest(FITTED)?.clientWidth ?? width;
    const share = Math.min(1, room / width);
    // Ribbons have a canvas behind the whole picture, also behind controls that are not drawn. They
    // end at tokens, which extend the drawing.
    if (!isBehind) this.reach(left + share * width, top, top + share * height);
    return { x: left - this.left, y: top - this.top, width: share * width, height: share * height };
  }

  // Extends the drawing to a place on the screen.
  reach(right, top, bottom) {
    this.up = Math.min(this.up, top - this.top);
    this.right = Math.max(this.right, right - this.left);
    this.bottom = Math.max(this.bottom, bottom - this.top);
  }

  // Draws the background, the border and the outline of an element.
  box(node, style) {
    const { left, top, width, height } = node.getBoundingClientRect();
    if (!width || !height) return "";
    const box = { x: left - this.left, y: top - this.top, width, height };
    const radius = parseFloat(style.borderTopLeftRadius) || 0;
    const drawn = [
      // A chart has the background of the page, but a file and paper have their own.
      node.localName === "svg" ? "" : background(box, radius, style),
      shareBar(box, node, style),
      border(box, radius, style),
      outline(box, radius, style),
    ].join("");
    if (drawn) this.reach(left + width, top, top + height);
    return drawn;
  }

  // Draws a text, line by line.
  text(node) {
    const parent = node.parentElement;
    const style = getComputedStyle(parent);
    const room = roomOf(parent);
    const upright = isUpright(style);
    const lines = linesOf(node, upright).map((line) => fitted(line, room));
    const goesOn = isPartOfSentence(node) && !isFreeEnd(node, style);
    const isPart = !upright && (goesOn || isPartOfWhole(parent));
    const last = lines.length - 1;
    const lineBelow = underlineOf(parent);
    const isCentred = lines.length === 1 && isInAnotherFont(style) && isInMiddle(lines[0], parent);
    const side = isCentred && !isPart ? "middle" : sideOf(style);
    const draw = (line, n) => this.line({ ...line, side }, style, isPart && n === last, lineBelow);
    return lines.map(draw).join("");
  }

  // Draws one line of a text. `share` makes its letters smaller, and `side` stays in place.
  // `keepsWidth` says whether the sentence or the word may go on in another element, on the same
  // line. `lineBelow` is the style of the line below it.
  line(
    { text, left, right, top, bottom, side: aligned, share: given = 1 },
    style,
    keepsWidth,
    lineBelow,
  ) {
    this.reach(right, top, bottom);
    const share = Math.min(given, shareInOurFont(text, right - left, style, keepsWidth));
    const font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = measureText(
      font,
      "x",
    );
    const upright = isUpright(style);
    const side = upright ? "middle" : aligned;
    const x = { left, middle: (left + right) / 2, right }[side] - this.left;
    const middle = (top + bottom) / 2 - this.top;
    const attributes = {
      x,
      y: middle + (given * (ascent - descent)) / 2, // another font has the same baseline
      "font-size": share * parseFloat(style.fontSize),
      "font-weight": style.fontWeight,
      "font-style": style.fontStyle === "italic" ? "italic" : "",
      ...anchorAttributes(side, style.direction),
      ...paintAttributes("fill", style.color),
      // in another font, too, the next part of the sentence begins where this part ends
      textLength: keepsWidth ? widthWithoutSpace(text, right - left, font) : "",
      lengthAdjust: keepsWidth ? adjustmentOf(text, right - left, style, share) : "",
      transform: upright ? `rotate(-90 ${format2(x)} ${format2(middle)})` : "",
    };
    const written = svgElement("text", attributes, escapeXml(keepsWidth ? text.trimEnd() : text));
    if (upright || !lineBelow) return written;
    return written + underline(left - this.left, right - this.left, attributes.y, lineBelow);
  }

  // Draws a canvas. Our own pictures paint themselves again as SVG; other canvases become images.
  canvas(node) {
    const { x, y, width, height } = this.place(node);
    if (!width || !height) return "";
    if (!node.paintOn) {
      checkCanvases();
      return imageElement(node.toDataURL(), { x, y, width, height });
    }
    const brush = new SvgBrush(this.overlap);
    node.paintOn(brush);
    const stretch = (width * canvasScale(node)) / node.width;
    const transform = `translate(${format2(x)} ${format2(y)}) scale(${stretch})`;
    return svgElement("g", { transform }, brush.parts.join(""));
  }

  // WebGL does not preserve its image, so Plotly has to draw it again.
  scene(node) {
    checkCanvases();
    const { _fullLayout: layout, _fullData: data } = node;
    const scene = layout?.scene?._scene;
    if (!scene) return "";
    const darken = [layout.scene, ...data].map(lighten);
    scene.plot(data, layout, node.layout);
    const drawn = scene.toImage("png");
    for (const act of darken) act();
    scene.plot(data, layout, node.layout);
    if (!drawn) return "";
    const canvas = node.querySelector("canvas");
    const { right, top, bottom } = canvas.getBoundingClientRect();
    this.reach(right, top, bottom); // Plotly's canvas has an absolute position
    return imageElement(drawn, this.place(canvas));
  }

  // Copies an SVG so that it needs no style sheet, and makes its ids unique in the picture.
  svg(node) {
    const place = this.place(node);
    const copy = node.cloneNode(true);
    if (node.getRootNode() instanceof ShadowRoot) {
      const copies = copy.querySelectorAll("*");
      node.querySelectorAll("*").forEach((original, n) => {
        inlineStyles(copies[n], getComputedStyle(original));
      });
    }
    lightenChart(copy, getComputedStyle(node).color);
    for (const text of copy.querySelectorAll("text")) {
      text.setAttribute("unicode-bidi", "plaintext");
    }
    for (const named of copy.querySelectorAll("[font-family]"))
      named.removeAttribute("font-family");
    const cut = [...node.querySelectorAll("[data-whole]")];
    copy.querySelectorAll("[data-whole]").forEach((text, n) => writeWhole(text, cut[n]));
    copy.removeAttribute("style");
    copy.removeAttribute("class");
    if (!copy.hasAttribute("viewBox")) {
      copy.setAttribute("viewBox", `0 0 ${place.width} ${place.height}`);
    }
    for (const [name, value] of Object.entries(place)) copy.setAttribute(name, format2(value));
    return withOwnIds(new XMLSerializer().serializeToString(copy));
  }
}

// Returns the style of the element that draws a line below a text; undefined if none does. The line
// goes on below the elements inside it, whose own styles do not say so.
function underlineOf(parent) {
  for (let node = parent; node; node = isInline(node) ? node.parentElement : null) {
    const style = getComputedStyle(node);
    if (style.textDecorationLine?.includes("underline")) return style;
  }
  return undefined;
}

// Draws the line below a word that names a role or depends little on the source. SVG programs know
// only one style of such lines.
function underline(from, to, baseline, style) {
  const width = parseFloat(style.textDecorationThickness) || 1;
  const y = baseline + (parseFloat(style.textUnderlineOffset) || 0) + width / 2;
  const lineStyle = style.textDecorationStyle;
  const attributes = {
    fill: "none",
    ...paintAttributes("stroke", style.textDecorationColor),
    "stroke-width": width,
    "stroke-dasharray": { dashed: `${3 * width} ${2 * width}`, dotted: `${width}` }[lineStyle],
  };
  const heights = lineStyle === "double" ? [y, y + 2 * width] : [y];
  return heights
    .map((height) =>
      svgElement("path", {
        d: `M${format2(from)} ${format2(height)}H${format2(to)}`,
        ...attributes,
      }),
    )
    .join("");
}

// Replaces a shortened label by its whole text, in smaller letters of the same total width.
function writeWhole(copy, original) {
  const { whole } = original.dataset;
  delete copy.dataset.whole;
  const { fontWeight, fontSize, fontFamily } = getComputedStyle(original);
  const { width } = measureText(`${fontWeight} ${fontSize} ${fontFamily}`, whole);
  const share = Math.min(1, original.getComputedTextLength() / width);
  copy.setAttribute("font-size", format2(share * parseFloat(fontSize)));
  copy.textContent = whole;
}

// Replaces the colours of a chart by light ones.
// Also replaces "currentColor", which some programs do not know.
function lightenChart(svg, ink) {
  for (const name of ["fill", "stroke"]) {
    for (const part of svg.querySelectorAll(`[${name}]`)) {
      const colour = part.getAttribute(name);
      const isFixed = /^(#|rgb)/.test(colour);
      if (colour === "currentColor") part.setAttribute(name, ink);
      else if (isFixed) part.setAttribute(name, lightOf(colour));
    }
  }
}

function withOwnIds(svg) {
  drawings += 1;
  const prefix = `of-${drawings}-`;
  return svg
    .replaceAll(/ id="/g, ` id="${prefix}`)
    .replaceAll(/url\([^)#]*#/g, `url(#${prefix}`)
    .replaceAll(/ (?:xlink:)?href="#/g, ` href="#${prefix}`);
}

function background(box, radius, style) {
  if (!isSeen(style.backgroundColor)) return "";
  return rectangle(box, 0, radius, paintAttributes("fill", lightOf(style.backgroundColor)));
}

// Draws the bar below a word, which ribbons.css paints as two grounds: the share, and the whole.
function shareBar(box, node, style) {
  const share = Number(node.style.getPropertyValue("--source"));
  if (!share || !style.backgroundImage.includes("gradient")) return "";
  const colours = [...style.backgroundImage.matchAll(GRADIENT_COLOUR)].map(([, colour]) => colour);
  const height = parseFloat(style.backgroundSize.match(/[\d.]+px/)[0]);
  const y = box.y + box.height - height;
  const [part, whole] = colours.map((colour) => paintAttributes("fill", colour));
  return [
    svgElement("rect", { x: box.x, y, width: box.width, height, ...whole }),
    svgElement("rect", { x: box.x, y, width: share * box.width, height, ...part }),
  ].join("");
}

// Draws a border that is alike on all sides as a frame, and any other as a line on each side.
function border(box, radius, style) {
  const widthOf = (side) => parseFloat(style[`border${side}Width`]) || 0;
  const [top, right, bottom, left] = ["Top", "Right", "Bottom", "Left"].map(widthOf);
  if ([right, bottom, left].every((width) => width === top)) {
    const { borderTopColor, borderTopStyle } = style;
    return top ? frame(box, radius, top, borderTopColor, borderTopStyle, -top / 2) : "";
  }
  const lines = {
    Top: { ...box, height: top },
    Right: { ...box, x: box.x + box.width - right, width: right },
    Bottom: { ...box, y: box.y + box.height - bottom, height: bottom },
    Left: { ...box, width: left },
  };
  const drawn = Object.entries(lines).filter(
    ([side, { width, height }]) => width && height && isSeen(style[`border${side}Color`]),
  );
  return drawn
    .map(([side, line]) =>
      svgElement("rect", { ...line, ...paintAttributes("fill", style[`border${side}Color`]) }),
    )
    .join("");
}

function outline(box, radius, style) {
  const width = style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth) || 0;
  return width ? frame(box, radius, width, style.outlineColor, style.outlineStyle, width / 2) : "";
}

// Draws a line around a box, at a distance of `outside` pixels.
function frame(box, radius, width, colour, lineStyle, outside) {
  if (!isSeen(colour)) return "";
  const paint = {
    fill: "none",
    ...paintAttributes("stroke", colour),
    "stroke-width": width,
    "stroke-dasharray": lineStyle === "dashed" ? `${2 * width} ${width}` : "",
  };
  return rectangle(box, outside, radius, paint);
}

// Draws a rectangle that is larger than a box by `outside` pixels on each side.
function rectangle({ x, y, width, height }, outside, radius, paint) {
  return svgElement("rect", {
    x: x - outside,
    y: y - outside,
    width: width + 2 * outside,
    height: height + 2 * outside,
    rx: radius,
    ...paint,
  });
}

function isSeen(colour) {
  return paintAttributes("fill", colour).fill !== "none";
}

// Returns whether a text continues in another element, such as a sentence with a bold word.
function isPartOfSentence(node) {
  let part = node;
  let whole = node.parentElement;
  while (isInline(whole)) {
    part = whole;
    whole = whole.parentNode; // at most up to the shadow root of a picture
  }
  const others = [...whole.childNodes].filter((other) => other !== part);
  const isBeside = (other) => other.textContent.trim() && isInline(other);
  return part.textContent.trim() !== node.data.trim() || others.some(isBeside);
}

// Returns whether nothing has to begin where a text of our own font ends: it is the last one of its
// sentence, which begins at the side that stays in place.
function isFreeEnd(node, style) {
  const start = style.direction === "rtl" ? "right" : "left";
  return sideOf(style) === start && !isInAnotherFont(style) && !isFollowed(node);
}

// Returns whether another text follows in the same sentence.
function isFollowed(node) {
  const { parentNode } = node;
  const siblings = [...parentNode.childNodes];
  const after = siblings.slice(siblings.indexOf(node) + 1);
  if (after.some((other) => other.textContent.trim() && isInline(other))) return true;
  return isInline(parentNode) && isFollowed(parentNode);
}

// Returns whether a text is a subword that is written together with the one before or after it, or
// a letter of a formula.
function isPartOfWhole(parent) {
  if (parent.closest(".katex")) return true;
  const subword = parent.closest("li");
  return [subword, subword?.nextElementSibling].some((part) => part?.matches(".joined"));
}

function isInline(node) {
  if (node.nodeType === Node.TEXT_NODE) return true;
  return node.nodeType === Node.ELEMENT_NODE && getComputedStyle(node).display === "inline";
}

// Returns the width of a text without the space at its end, which only some programs would count.
function widthWithoutSpace(text, width, font) {
  const whole = measureText(font, text).width;
  return whole ? (width * measureText(font, text.trimEnd()).width) / whole : width;
}

// Returns the side of a line of text that stays in place if the font changes.
function sideOf({ textAlign, direction }) {
  const [start, end] = direction === "rtl" ? ["right", "left"] : ["left", "right"];
  const side = { start, end, center: "middle", justify: start }[textAlign] ?? textAlign;
  return ["left", "right"].includes(side) ? side : "middle";
}

// Returns the left and right limits of a text. The page ends a longer text with an ellipsis.
function roomOf(parent) {
  for (let node = parent; node; node = node.parentElement) {
    const { left, right } = node.getBoundingClientRect();
    if (getComputedStyle(node).textOverflow === "ellipsis") return [left, right];
  }
  return [-Infinity, Infinity];
}

function isUpright({ writingMode }) {
  return writingMode !== "horizontal-tb";
}

// Returns the lines into which the page has broken a text, each with its box.
function linesOf(node, upright) {
  const range = document.createRange();
  const lines = [];
  let end = 0;
  for (const { segment: letter } of new Intl.Segmenter().segment(node.data)) {
    const start = end;
    end += letter.length;
    range.setStart(node, start);
    range.setEnd(node, end);
    const box = range.getBoundingClientRect();
    if (box.top === box.bottom || box.left === box.right) continue; // an invisible space
    const line = lineFor(letter, box, lines, upright);
    if (line) addLetter(line, letter, box);
  }
  return lines;
}

// Shrinks the letters of a line that is too wide. On the page, such a line is cut.
function fitted(line, [from, to]) {
  const share = Math.min(1, (to - from) / (line.right - line.left));
  if (share === 1) return line;
  return { ...line, left: from, right: to, share };
}

// A picture has one font. Returns by how much a text in another font, such as that of a
// translation, shrinks to keep its width: wider letters would be cut off. Parts of a sentence or a
// word keep their width in any case (`keepsWidth`), and all shrink alike.
function shareInOurFont(text, width, style, keepsWidth) {
  if (!isInAnotherFont(style)) return 1;
  const { fontFamily, fontWeight, fontSize } = style;
  const widthIn = (font, letters) =>
    measureText(`${fontWeight} ${fontSize} ${font}`, letters).width;
  if (keepsWidth) return Math.min(1, widthIn(fontFamily, ALPHABET) / widthIn(ourFont(), ALPHABET));
  const needed = widthIn(ourFont(), text.trimEnd());
  return needed > width + 1 ? width / needed : 1;
}

// Returns what changes so that a part keeps its width. Letters of another font may become narrower,
// but wider ones would look bold: there are spaces between them instead, which is what programs do
// without this attribute.
function adjustmentOf(text, width, style, share) {
  const { fontWeight, fontSize } = style;
  const own = measureText(`${fontWeight} ${fontSize} ${ourFont()}`, text).width;
  return isInAnotherFont(style) && share * own < width ? "" : "spacingAndGlyphs";
}

function isInAnotherFont({ fontFamily, writingMode }) {
  return fontFamily !== ourFont() && writingMode === "horizontal-tb";
}

function ourFont() {
  return getComputedStyle(document.querySelector(".stApp")).fontFamily;
}

// Returns whether a line has as much room at its left as at its right.
function isInMiddle({ left, right }, parent) {
  let block = parent;
  while (isInline(block) && block.parentElement) block = block.parentElement;
  const box = block.getBoundingClientRect();
  return Math.abs(left - box.left - (box.right - right)) < 1;
}

// Returns the line to which a letter belongs, or a new line; null for a leading space.
function lineFor(letter, { left, right, top, bottom }, lines, upright) {
  const line = lines.at(-1);
  // The letters of an upright line are below each other. Elsewhere a letter below is a new line,
  // even below a line of a single letter that is as wide, such as a Chinese one.
  const isBelow = upright && line && left === line.left && right === line.right;
  const isSameHeight = line && Math.abs(top - line.top) < 1;
  if (/\s/.test(letter) && !isBelow && !isSameHeight) return null;
  const isNear = line && Math.abs(top - line.top) <= (bottom - top) / 2;
  if (isBelow || isNear) return line;
  const next = { text: "", left, right: left, top, bottom };
  lines.push(next);
  return next;
}

function addLetter(line, letter, { left, right, top, bottom }) {
  line.text += letter;
  line.left = Math.min(line.left, left);
  line.right = Math.max(line.right, right);
  line.top = Math.min(line.top, top);
  line.bottom = Math.max(line.bottom, bottom);
}

// Writes computed styles as attributes that every SVG program supports.
function inlineStyles(copy, style) {
  // A group needs only its opacity, because its elements have their own styles.
  const names = copy.localName === "g" ? ["opacity"] : SVG_STYLES;
  const styles = Object.fromEntries(names.map((name) => [name, withoutUnits(name, style)]));
  const paints = copy.localName === "g" ? {} : paintsOf(style);
  for (const [name, value] of Object.entries({ ...styles, ...paints })) {
    copy.removeAttribute(name);
    if (value !== "" && value !== DEFAULTS[name]) copy.setAttribute(name, value);
  }
  if (copy.localName === "text") placeOnBaseline(copy, style);
  for (const name of PAGE_ATTRIBUTES) copy.removeAttribute(name);
}

function paintsOf({ fill, fillOpacity, stroke }) {
  const paints = { ...paintAttributes("fill", fill), ...paintAttributes("stroke", stroke) };
  const opacity = (paints["fill-opacity"] || 1) * fillOpacity;
  return { ...paints, "fill-opacity": opacity < 1 ? format2(opacity) : "" };
}

// Returns the value of a style without units.
// Programs support only multiples of 100 as font weight.
function withoutUnits(name, style) {
  const value = style.getPropertyValue(name).replaceAll("px", "");
  return name === "font-weight" ? String(Math.round(value / 100) * 100) : value;
}

// Moves a vertically centred text to its baseline.
// Several programs do not support `dominant-baseline`.
function placeOnBaseline(copy, style) {
  if (style.dominantBaseline !== "central") return;
  const font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = measureText(font, "x");
  copy.setAttribute("y", format2(Number(copy.getAttribute("y")) + (ascent - descent) / 2));
}

// Inkscape 1.2 and other older programs do not know a `href` without its namespace.
function imageElement(href, place) {
  return svgElement("image", { ...place, preserveAspectRatio: "none", "xlink:href": href });
}
