// What a canvas component paints, as SVG: as much of a canvas's context as these components use.

import { element } from "../../pictures/elements.js";

export const ruler = element("canvas").getContext("2d");
const SHARP = 3; // pixels of a picture of cells for each pixel of the page
let clips = 0;

export class SvgBrush {
  save = () => this.stack.push({ ...this });
  restore = () => Object.assign(this, this.stack.pop());
  translate = (x, y) => (this.transform += ` translate(${short(x)} ${short(y)})`);
  rotate = (angle) => (this.transform += ` rotate(${short((angle * 180) / Math.PI)})`);
  beginPath = () => (this.path = "");
  moveTo = (...to) => this.go("M", to);
  lineTo = (...to) => this.go("L", to);
  bezierCurveTo = (...to) => this.go("C", to);
  fill = () => this.put("path", { d: this.path, ...ink("fill", this.fillStyle) });
  strokeRect = (...box) => this.around(box).stroke();
  fillRect = (...box) => this.around(box).fill();

  constructor() {
    Object.assign(this, { parts: [], stack: [], path: "", transform: "", clipping: "" });
    Object.assign(this, { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1 });
    Object.assign(this, {
      font: "10px sans-serif",
      textAlign: "left",
      textBaseline: "alphabetic",
      direction: "ltr",
    });
  }

  go(sign, numbers) {
    this.path += `${sign}${numbers.map(short).join(" ")}`;
  }

  rect(x, y, width, height) {
    this.path += `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`;
  }

  clip() {
    const id = `clipped-${++clips}`;
    this.parts.push(tag("clipPath", { id }, tag("path", { d: this.path })));
    this.clipping = `url(#${id})`;
  }

  stroke() {
    this.put("path", {
      d: this.path,
      fill: "none",
      ...ink("stroke", this.strokeStyle),
      "stroke-width": this.lineWidth,
    });
  }

  around(box) {
    this.beginPath();
    this.rect(...box);
    return this;
  }

  measureText(text) {
    ruler.font = this.font;
    return ruler.measureText(text);
  }

  fillText(text, x, y) {
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = this.measureText(text);
    const low = this.textBaseline === "middle" ? (up - down) / 2 : 0;
    const side = { center: "middle", end: "right" }[this.textAlign] ?? this.textAlign;
    const [, weight, size] = this.font.match(/^(?:(\w+) )?([\d.]+)px/);
    const font = { "font-size": size, "font-weight": weight };
    this.put(
      "text",
      { x, y: y + low, ...font, ...anchored(side, this.direction), ...ink("fill", this.fillStyle) },
      written(text),
    );
  }

  // Cells stay sharp in programs that blur a small picture: it is made large here.
  drawImage(image, ...places) {
    const [x, y, width, height] = places.slice(-4);
    const [wide, high] = [width, height].map((size) => Math.max(1, Math.round(size * SHARP)));
    const large = element("canvas", { width: wide, height: high });
    const brush = large.getContext("2d");
    brush.imageSmoothingEnabled = false;
    brush.drawImage(image, ...(places.length > 4 ? places.slice(0, 4) : []), 0, 0, wide, high);
    this.put("image", {
      x,
      y,
      width,
      height,
      preserveAspectRatio: "none",
      href: large.toDataURL(),
    });
  }

  put(name, attributes, content) {
    const opacity = this.globalAlpha < 1 ? this.globalAlpha : "";
    const made = tag(name, { ...attributes, transform: this.transform.trim(), opacity }, content);
    this.parts.push(this.clipping ? tag("g", { "clip-path": this.clipping }, made) : made);
  }
}

// An element of SVG, without the attributes that are empty.
export function tag(name, attributes, content = "") {
  const kept = Object.entries(attributes).filter(
    ([, value]) => value !== "" && value !== undefined,
  );
  const all = kept.map(
    ([key, value]) => ` ${key}="${typeof value === "number" ? short(value) : value}"`,
  );
  return `<${name}${all.join("")}>${content}</${name}>`;
}

// Any colour of CSS as attributes that every program reads, for "fill" or "stroke".
const pixel = element("canvas", { width: 1, height: 1 }).getContext("2d", {
  willReadFrequently: true,
});

export function ink(name, colour) {
  pixel.clearRect(0, 0, 1, 1);
  pixel.fillStyle = colour;
  pixel.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = pixel.getImageData(0, 0, 1, 1).data;
  if (!alpha) return { [name]: "none" };
  return {
    [name]: `rgb(${red}, ${green}, ${blue})`,
    [`${name}-opacity`]: alpha < 255 ? alpha / 255 : "",
  };
}

// A text beside a point, "left" of which it begins, "right" of which it ends, or in its "middle".
export function anchored(side, direction) {
  const anchor = { left: "start", right: "end" }[side] ?? "middle";
  if (direction !== "rtl") return { "text-anchor": anchor };
  return { direction, "text-anchor": { start: "end", end: "start" }[anchor] ?? anchor };
}

export const short = (number) => String(Math.round(number * 100) / 100);

// A visitor's text in XML, without the signs that XML does not have.
export function written(text) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu, "\ufffd")
    .replace(/[&<>"]/g, (sign) => names[sign]);
}
