import { cssColour } from "../../pictures/colour_scale.js";
import { cellPaths } from "./cell_paths.js";
import { anchorAttributes, escapeXml, format2, paintAttributes, svgElement } from "./svg.js";
import { measureText } from "./text_ruler.js";

let clips = 0; // number of clips so far, which makes their ids unique

/**
 * Pixels by which the cells of a map overlap on paper and in a PDF. `crispEdges` has no meaning
 * there: programs smooth the edge of each cell, so that white lines would shine between cells that
 * only touch.
 */
export const PAPER_OVERLAP = 0.5;

/**
 * Writes SVG with the interface of CanvasRenderingContext2D, as far as our pictures use it.
 *
 * `parts` holds the painted elements. The other fields are the drawing state of a canvas.
 */
export class SvgBrush {
  /**
   * @param {number} [overlap] pixels by which the cells of a map overlap
   */
  constructor(overlap = 0) {
    this.overlap = overlap;
    this.parts = [];
    this.saved = [];
    this.path = "";
    this.transform = "";
    this.clipping = "";
    this.fillStyle = "#000";
    this.strokeStyle = "#000";
    this.lineWidth = 1;
    this.globalAlpha = 1;
    this.font = "10px sans-serif";
    this.textAlign = "left";
    this.textBaseline = "alphabetic";
    this.direction = "ltr";
  }

  save() {
    this.saved.push({ ...this });
  }

  restore() {
    Object.assign(this, this.saved.pop());
  }

  translate(x, y) {
    this.transform += ` translate(${format2(x)} ${format2(y)})`;
  }

  rotate(angle) {
    this.transform += ` rotate(${format2((angle * 180) / Math.PI)})`;
  }

  beginPath() {
    this.path = "";
  }

  moveTo(...point) {
    this.addToPath("M", point);
  }

  lineTo(...point) {
    this.addToPath("L", point);
  }

  bezierCurveTo(...points) {
    this.addToPath("C", points);
  }

  addToPath(command, numbers) {
    this.path += `${command}${numbers.map(format2).join(" ")}`;
  }

  rect(x, y, width, height) {
    const [w, h] = [format2(width), format2(height)];
    this.path += `M${format2(x)} ${format2(y)}h${w}v${h}h${format2(-width)}Z`;
  }

  clip() {
    clips += 1;
    const id = `clipped-${clips}`;
    this.parts.push(svgElement("clipPath", { id }, svgElement("path", { d: this.path })));
    this.clipping = `url(#${id})`;
  }

  fill() {
    this.put("path", { d: this.path, ...paintAttributes("fill", this.fillStyle) });
  }

  stroke() {
    this.put("path", {
      d: this.path,
      fill: "none",
      ...paintAttributes("stroke", this.strokeStyle),
      "stroke-width": this.lineWidth,
    });
  }

  fillRect(...box) {
    this.beginPath();
    this.rect(...box);
    this.fill();
  }

  strokeRect(...box) {
    this.beginPath();
    this.rect(...box);
    this.stroke();
  }

  measureText(text) {
    return measureText(this.font, text);
  }

  fillText(text, x, y) {
    const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } =
      this.measureText(text);
    const down = this.textBaseline === "middle" ? (ascent - descent) / 2 : 0;
    const side = { center: "middle", end: "right" }[this.textAlign] ?? this.textAlign;
    const [, weight, size] = this.font.match(/^(?:(\w+) )?([\d.]+)px/);
    const attributes = {
      x,
      y: y + down,
      "font-size": size,
      "font-weight": weight,
      ...anchorAttributes(side, this.direction),
      ...paintAttributes("fill", this.fillStyle),
    };
    this.put("text", attributes, escapeXml(text));
  }

  // Draws an image of cells as rectangles, which stay sharp and need no readable canvas.
  drawImage(image, ...boxes) {
    const [x, y, width, height] = boxes.slice(-4);
    const { columns: all, colours } = image.cells;
    const part = boxes.length > 4 ? boxes.slice(0, 4) : [0, 0, all, colours.length / all];
    const { paths, columns, rows } = cellPaths(image.cells, part, [width, height], this.overlap);
    const filled = Array.from(paths, ([colour, d]) =>
      svgElement("path", { d, fill: cssColour(colour) }),
    );
    const outer = this.transform;
    this.transform += ` translate(${format2(x)} ${format2(y)})`;
    this.transform += ` scale(${width / columns} ${height / rows})`;
    this.put("g", { "shape-rendering": "crispEdges" }, filled.join(""));
    this.transform = outer;
  }

  put(name, attributes, content) {
    const opacity = this.globalAlpha < 1 ? this.globalAlpha : "";
    const transform = this.transform.trim();
    const made = svgElement(name, { ...attributes, transform, opacity }, content);
    const clipped = () => svgElement("g", { "clip-path": this.clipping }, made);
    this.parts.push(this.clipping ? clipped() : made);
  }
}
