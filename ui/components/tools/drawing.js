// What stands on the page as SVG, as it is seen: text as text, lines as lines.

const LEFT_OUT = "details, style, script, .figure-bar, .player, .tip, .unseen, .stTooltipIcon, [hidden]";
const OF_SVG = [
  "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity",
  "font-size", "font-weight", "text-anchor", "dominant-baseline",
];
const ruler = document.createElement("canvas").getContext("2d");
let drawings = 0;

class Drawing {
  // left, top: where on the screen the drawing begins.
  constructor(left, top) {
    Object.assign(this, { left, top, bottom: 0 });
  }

  // Where something that is drawn stands in the drawing, which reaches as far down.
  place(node) {
    const { left, top, width, height } = node.getBoundingClientRect();
    this.reach(top + height);
    return { left: left - this.left, top: top - this.top, width, height };
  }

  reach(bottom) {
    this.bottom = Math.max(this.bottom, bottom - this.top);
  }

  node(node) {
    if (node.nodeType === Node.TEXT_NODE) return this.text(node);
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(LEFT_OUT)) return "";
    const style = getComputedStyle(node);
    if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0") return "";
    const made = this.box(node, style) + this.inside(node);
    return made && style.opacity !== "1" ? `<g opacity="${style.opacity}">${made}</g>` : made;
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
    const rounds = ` rx="${short(parseFloat(style.borderTopLeftRadius) || 0)}"`;
    const framed = (by, paints) =>
      `<rect x="${short(x - by)}" y="${short(y - by)}" width="${short(width + 2 * by)}" height="${short(height + 2 * by)}"${rounds}${paints}/>`;
    const sides = ["Top", "Right", "Bottom", "Left"].map((side) => parseFloat(style[`border${side}Width`]) || 0);
    const even = sides.every((side) => side === sides[0]);
    let made = "";
    const ground = ink("fill", style.backgroundColor);
    if (ground !== NOTHING) made += framed(0, ground);
    if (even && sides[0]) made += outlined(sides[0], style.borderTopColor, -sides[0] / 2);
    if (!even && sides[2]) {
      const low = `<rect x="${short(x)}" y="${short(y + height - sides[2])}" width="${short(width)}" height="${short(sides[2])}"`;
      made += `${low}${ink("fill", style.borderBottomColor)}/>`;
    }
    const round = style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth) || 0;
    if (round) made += outlined(round, style.outlineColor, round / 2);
    if (made) this.reach(top + height);
    return made;

    function outlined(thick, colour, by) {
      const paint = ink("stroke", colour);
      return paint.includes("none") ? "" : framed(by, ` fill="none"${paint} stroke-width="${short(thick)}"`);
    }
  }

  // Each line of a text where it stands.
  text(node) {
    if (!node.data.trim()) return "";
    const parent = node.parentElement;
    const style = getComputedStyle(parent);
    const lines = linesOf(node, roomOf(parent));
    return lines.map((line) => this.line(line, style)).join("");
  }

  line({ text, left, right, top, bottom }, style) {
    this.reach(bottom);
    ruler.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = ruler.measureText("x");
    const upright = style.writingMode !== "horizontal-tb";
    const [first, last] = style.direction === "rtl" ? ["right", "left"] : ["left", "right"];
    const aligned = { start: first, end: last, center: "middle", justify: first }[style.textAlign] ?? style.textAlign;
    const side = upright || !["left", "right"].includes(aligned) ? "middle" : aligned;
    const x = { left, middle: (left + right) / 2, right }[side] - this.left;
    const middle = (top + bottom) / 2 - this.top;
    const y = middle + (up - down) / 2;
    const turned = upright ? ` transform="rotate(-90 ${short(x)} ${short(middle)})"` : "";
    const bold = style.fontWeight === "400" ? "" : ` font-weight="${style.fontWeight}"`;
    const size = short(parseFloat(style.fontSize));
    return `<text x="${short(x)}" y="${short(y)}" font-size="${size}"${bold}${anchored(side, style.direction)}${ink("fill", style.color)}${turned}>${written(text)}</text>`;
  }

  canvas(node) {
    const { left, top, width, height } = this.place(node);
    if (!width || !height) return "";
    if (!node.paintOn) return image(node.toDataURL(), { left, top, width, height });
    const brush = new SvgBrush();
    node.paintOn(brush);
    const stretch = (width * (window.devicePixelRatio || 1)) / node.width;
    return `<g transform="translate(${short(left)} ${short(top)}) scale(${stretch})">${brush.parts.join("")}</g>`;
  }

  // Plotly's WebGL forgets what it has drawn; Plotly itself draws it once more.
  scene(node) {
    const drawn = node._fullLayout?.scene?._scene?.toImage("png");
    return drawn ? image(drawn, this.place(node.querySelector("canvas"))) : "";
  }

  // A copy that needs no style sheet, with names that no other part of the picture has.
  svg(node) {
    const { left, top, width, height } = this.place(node);
    const copy = node.cloneNode(true);
    if (node.getRootNode() instanceof ShadowRoot) {
      const copies = copy.querySelectorAll("*");
      node.querySelectorAll("*").forEach((each, n) => settle(copies[n], getComputedStyle(each)));
    }
    for (const each of copy.querySelectorAll("text")) each.setAttribute("unicode-bidi", "plaintext");
    for (const each of copy.querySelectorAll("[font-family]")) each.removeAttribute("font-family");
    copy.removeAttribute("style");
    copy.removeAttribute("class");
    if (!copy.hasAttribute("viewBox")) copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
    for (const [name, value] of Object.entries({ x: left, y: top, width, height })) copy.setAttribute(name, short(value));
    const own = `of-${++drawings}-`;
    return new XMLSerializer()
      .serializeToString(copy)
      .replaceAll(/ id="/g, ` id="${own}`)
      .replaceAll(/url\([^)#]*#/g, `url(#${own}`)
      .replaceAll(/ (?:xlink:)?href="#/g, ` href="#${own}`);
  }
}

const NOTHING = ' fill="none"';

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
    if (!line || (!upright && Math.abs(top - line.top) > (bottom - top) / 2)) lines.push((line = { text: "", left, right: left, top, bottom }));
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
  for (const name of OF_SVG) {
    const value = style.getPropertyValue(name);
    if (name !== "fill" && name !== "stroke") copy.setAttribute(name, value);
    else for (const [, key, paint] of ink(name, value).matchAll(/ ([\w-]+)="([^"]*)"/g)) copy.setAttribute(key, paint);
  }
  for (const name of ["class", "style", "role", "tabindex", "aria-pressed", "data-name"]) copy.removeAttribute(name);
}

function image(url, { left, top, width, height }) {
  return `<image x="${short(left)}" y="${short(top)}" width="${short(width)}" height="${short(height)}" preserveAspectRatio="none" href="${url}"/>`;
}
