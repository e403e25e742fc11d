// What stands on the page as SVG, as it is seen: text as text, lines as lines.

import { SvgBrush, anchored, ink, ruler, short, tag, written } from "./svg_writer.js";

const LEFT_OUT =
  "details, style, script, .figure-bar, .player, .tip, .unseen, .stTooltipIcon, [hidden]";
const OF_SVG = [
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "opacity",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
];
let drawings = 0;

export class Drawing {
  // left, top: where on the screen the drawing begins.
  constructor(left, top) {
    Object.assign(this, { left, top, right: 0, bottom: 0 });
  }

  // Where something that is drawn stands in the drawing, which reaches as far.
  place(node) {
    const { left, top, width, height } = node.getBoundingClientRect();
    this.reach(left + width, top + height);
    return { x: left - this.left, y: top - this.top, width, height };
  }

  reach(right, bottom) {
    this.right = Math.max(this.right, right - this.left);
    this.bottom = Math.max(this.bottom, bottom - this.top);
  }

  node(node) {
    if (node.nodeType === Node.TEXT_NODE) return this.text(node);
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(LEFT_OUT)) return "";
    const style = getComputedStyle(node);
    if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0")
      return "";
    const made = this.box(node, style) + this.inside(node);
    return made && style.opacity !== "1" ? tag("g", { opacity: style.opacity }, made) : made;
  }

  inside(node) {
    if (node.localName === "svg") return this.svg(node);
    if (node.localName === "canvas") return this.canvas(node);
    if (node.classList.contains("js-plotly-plot")) return this.scene(node);
    return [...(node.shadowRoot ?? node).childNodes].map((child) => this.node(child)).join("");
  }

  // Ground, border and outline.
  box(node, style) {
    const { left, top, width, height } = node.getBoundingClientRect();
    if (!width || !height) return "";
    const [x, y] = [left - this.left, top - this.top];
    const rx = parseFloat(style.borderTopLeftRadius) || 0;
    const framed = (by, paint) =>
      tag("rect", {
        x: x - by,
        y: y - by,
        width: width + 2 * by,
        height: height + 2 * by,
        rx,
        ...paint,
      });
    const outlined = (thick, colour, by) =>
      isSeen(colour)
        ? framed(by, { fill: "none", ...ink("stroke", colour), "stroke-width": thick })
        : "";
    const sides = ["Top", "Right", "Bottom", "Left"].map(
      (side) => parseFloat(style[`border${side}Width`]) || 0,
    );
    const [first, , low] = sides;
    let made = isSeen(style.backgroundColor) ? framed(0, ink("fill", style.backgroundColor)) : "";
    if (sides.every((side) => side === first))
      made += first ? outlined(first, style.borderTopColor, -first / 2) : "";
    else if (low)
      made += tag("rect", {
        x,
        y: y + height - low,
        width,
        height: low,
        ...ink("fill", style.borderBottomColor),
      });
    const round = style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth) || 0;
    if (round) made += outlined(round, style.outlineColor, round / 2);
    if (made) this.reach(left + width, top + height);
    return made;
  }

  // Each line of a text where it stands.
  text(node) {
    const parent = node.parentElement;
    const style = getComputedStyle(parent);
    return linesOf(node, roomOf(parent))
      .map((line) => this.line(line, style))
      .join("");
  }

  line({ text, left, right, top, bottom }, style) {
    this.reach(right, bottom);
    ruler.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = ruler.measureText("x");
    const upright = style.writingMode !== "horizontal-tb";
    const [first, last] = style.direction === "rtl" ? ["right", "left"] : ["left", "right"];
    const aligned =
      { start: first, end: last, center: "middle", justify: first }[style.textAlign] ??
      style.textAlign;
    const side = upright || !["left", "right"].includes(aligned) ? "middle" : aligned;
    const x = { left, middle: (left + right) / 2, right }[side] - this.left;
    const middle = (top + bottom) / 2 - this.top;
    const y = middle + (up - down) / 2;
    const transform = upright ? `rotate(-90 ${short(x)} ${short(middle)})` : "";
    const font = { "font-size": parseFloat(style.fontSize), "font-weight": style.fontWeight };
    return tag(
      "text",
      { x, y, ...font, ...anchored(side, style.direction), ...ink("fill", style.color), transform },
      written(text),
    );
  }

  canvas(node) {
    const { x, y, width, height } = this.place(node);
    if (!width || !height) return "";
    if (!node.paintOn) return image(node.toDataURL(), { x, y, width, height });
    const brush = new SvgBrush();
    node.paintOn(brush);
    const stretch = (width * (window.devicePixelRatio || 1)) / node.width;
    const transform = `translate(${short(x)} ${short(y)}) scale(${stretch})`;
    return tag("g", { transform }, brush.parts.join(""));
  }

  // Plotly's WebGL forgets what it has drawn; Plotly itself draws it once more.
  scene(node) {
    const drawn = node._fullLayout?.scene?._scene?.toImage("png");
    return drawn ? image(drawn, this.place(node.querySelector("canvas"))) : "";
  }

  // A copy that needs no style sheet, with names that no other part of the picture has.
  svg(node) {
    const place = this.place(node);
    const copy = node.cloneNode(true);
    if (node.getRootNode() instanceof ShadowRoot) {
      const copies = copy.querySelectorAll("*");
      node.querySelectorAll("*").forEach((each, n) => settle(copies[n], getComputedStyle(each)));
    }
    for (const each of copy.querySelectorAll("text"))
      each.setAttribute("unicode-bidi", "plaintext");
    for (const each of copy.querySelectorAll("[font-family]")) each.removeAttribute("font-family");
    copy.removeAttribute("style");
    copy.removeAttribute("class");
    if (!copy.hasAttribute("viewBox"))
      copy.setAttribute("viewBox", `0 0 ${place.width} ${place.height}`);
    for (const [name, value] of Object.entries(place)) copy.setAttribute(name, short(value));
    const own = `of-${++drawings}-`;
    return new XMLSerializer()
      .serializeToString(copy)
      .replaceAll(/ id="/g, ` id="${own}`)
      .replaceAll(/url\([^)#]*#/g, `url(#${own}`)
      .replaceAll(/ (?:xlink:)?href="#/g, ` href="#${own}`);
  }
}

const isSeen = (colour) => ink("fill", colour).fill !== "none";

// Between which sides a text has room; where it has no more it ends in an ellipsis.
function roomOf(parent) {
  for (let node = parent; node; node = node.parentElement) {
    const { left, right } = node.getBoundingClientRect();
    if (getComputedStyle(node).textOverflow === "ellipsis") return [left - 1, right + 1];
  }
  return [-Infinity, Infinity];
}

function linesOf(node, [from, to]) {
  const range = document.createRange();
  const lines = [];
  let at = 0;
  for (const { segment: letter } of new Intl.Segmenter().segment(node.data)) {
    range.setStart(node, at);
    range.setEnd(node, (at += letter.length));
    const { left, right, top, bottom } = range.getBoundingClientRect();
    if (top === bottom || left === right) continue; // a space that the page does not show
    let line = lines.at(-1);
    const upright = line && left === line.left && right === line.right; // one below the other
    if (/\s/.test(letter) && !upright && !(line && Math.abs(top - line.top) < 1)) continue; // no line begins with one
    if (!line || (!upright && Math.abs(top - line.top) > (bottom - top) / 2))
      lines.push((line = { text: "", left, right: left, top, bottom }));
    if (left < from || right > to) {
      line.text = `${line.text.replace(/….*$/, "")}…`;
      continue;
    }
    line.text += letter;
    Object.assign(line, { left: Math.min(line.left, left), right: Math.max(line.right, right) });
    Object.assign(line, { top: Math.min(line.top, top), bottom: Math.max(line.bottom, bottom) });
  }
  return lines;
}

// Computed styles as attributes.
function settle(copy, style) {
  for (const name of OF_SVG) copy.setAttribute(name, style.getPropertyValue(name));
  const paints = { ...ink("fill", style.fill), ...ink("stroke", style.stroke) };
  for (const [name, value] of Object.entries(paints))
    if (value !== "") copy.setAttribute(name, value);
  for (const name of ["class", "style", "role", "tabindex", "aria-pressed", "data-name"])
    copy.removeAttribute(name);
}

const image = (href, place) => tag("image", { ...place, preserveAspectRatio: "none", href });
