import { ARROWS } from "../../pictures/arrow_keys.js";
import { scaleOf } from "../../pictures/colours.js";
import { Picture } from "../../pictures/picture.js";
import { mount } from "../mount.js";
import {
  halves,
  isPill,
  isSum,
  layStack,
  nextBox,
  roundedPath,
  shortened,
  sizesFor,
} from "./figure_layout.js";

const SVG = "http://www.w3.org/2000/svg";
const SUM_RADIUS = 9;
const WAVE_RADIUS = 13; // of the wave, the symbol of positions
const MOST_PIPS = 12; // with more layers, no pips are drawn
// Kind of box -> index of the theme colour that matches the paper's figure.
const COLOURS = { embedding: 3, position: 3, unembed: 6, softmax: 2, self: 1, cross: 1, ffn: 0 };
const NORM_COLOUR = 4;
const PLAIN_COLOUR = 7;

/**
 * Figure 1 of the paper. The data flow from the bottom to the top, and the boxes
 * are in the order of computation.
 *
 * `show_architecture` in ui/components/architecture describes the payload. Heights count upwards
 * from the bottom; `y` converts them to SVG coordinates.
 */
class ArchitectureFigure extends Picture {
  constructor(parent) {
    super(parent);
    this.payload = null;
    this.sizes = null;
    this.colours = [];
    this.boxes = [];
    this.stacks = [];
    this.height = 0;
    this.svg = svgNode("svg", { role: "group" });
    this.root.append(this.svg);
  }

  show(payload) {
    this.payload = payload;
    this.drawWith(this.root);
  }

  draw() {
    this.sizes = sizesFor(this.root.clientWidth);
    this.colours = scaleOf(getComputedStyle(this.root), "categorical");
    const focused = this.svg.getRootNode().activeElement?.dataset?.name;
    const named = this.payload.boxes.map((box, order) => {
      return { ...box, order, name: `${box.stack}.${box.kind}` };
    });
    this.stacks = ["encoder", "decoder"].map((name) => {
      const own = named.filter((box) => box.stack === name);
      return layStack(name, own, this.sizes);
    });
    this.boxes = this.stacks.flatMap((stack) => stack.boxes);
    this.height = Math.max(...this.stacks.map((stack) => stack.top)) + 4;

    this.svg.setAttribute("viewBox", `0 0 ${this.sizes.width} ${this.height}`);
    this.svg.style.maxWidth = `${this.sizes.widest}px`;
    this.svg.style.fontSize = `${this.sizes.font}px`;
    this.svg.ariaLabel = this.payload.label;
    this.svg.replaceChildren(
      ...this.stacks.map((stack) => this.frame(stack)),
      this.facts(),
      ...this.stacks.flatMap((stack) => this.wiresOf(stack)),
      this.memoryWire(),
      ...this.boxes.map((box) => this.box(box)),
    );
    if (focused) this.focus(focused);
  }

  focus(name) {
    this.svg.querySelector(`[data-name="${name}"]`)?.focus();
  }

  y(height) {
    return this.height - height;
  }

  boxNamed(name) {
    return this.boxes.find((box) => box.name === name);
  }

  // Draws the frame around a block, the number of blocks, and a dot for each layer.
  frame(stack) {
    const { box, pad, skip, side } = this.sizes;
    const { n_layers: layers } = this.payload;
    const { x, out, low, high } = stack;
    const width = box + 2 * pad + skip;
    const left = x - box / 2 - pad - (out < 0 ? skip : 0);
    const beside = out < 0 ? left - side / 2 : left + width + side / 2;
    const middle = this.y((low + high) / 2);
    const frame = { class: "frame", x: left, y: this.y(high), width, height: high - low, rx: 14 };
    return svgNode(
      "g",
      {},
      svgNode("rect", frame),
      text(`${layers}×`, beside, middle, "times middle"),
      ...this.pips(stack, beside, middle),
    );
  }

  // Enlarges the dot of the current layer.
  pips(stack, x, middle) {
    const { layer, n_layers: layers, reached } = this.payload;
    if (layers > MOST_PIPS) return [];
    const current = this.boxes.find((box) => box.order === reached);
    const isHere = current.in_block && current.stack === stack.name;
    return Array.from({ length: layers }, (_, n) => {
      const isNow = isHere && n === layer;
      return svgNode("circle", {
        class: isNow ? "pip now" : "pip",
        cx: x,
        cy: middle - 20 - 11 * n,
        r: isNow ? 5 : 3.5,
      });
    });
  }

  // Writes the name of the model above the encoder.
  facts() {
    const lines = this.payload.facts.map((line, n) => {
      return text(line, 2, 12 + n * this.sizes.font * 1.5, n === 0 ? "first" : "");
    });
    return svgNode("g", { class: "facts" }, ...lines);
  }

  wiresOf(stack) {
    const { boxes } = stack;
    const upwards = boxes.slice(1).map((box, n) => {
      const below = boxes[n];
      return this.wire(box, [
        [box.x, below.top],
        [box.x, box.low],
      ]);
    });
    const sums = boxes.filter((box) => box.kind.endsWith("_add"));
    const residuals = sums.map((sum) => this.residualWire(stack, sum));
    return [...upwards, ...residuals, this.positionWire(stack)];
  }

  // Draws the residual connection from below the sublayer (and its pre-norm) to the sum.
  residualWire({ x, out, boxes }, sum) {
    const { box, skip, step } = this.sizes;
    const kind = sum.kind.replace("_add", "");
    const first = boxes.find((each) => each.kind === kind || each.kind === `${kind}_norm`);
    const side = x + out * (box / 2 + skip * 0.6);
    const fork = first.low - step * 0.55;
    return this.wire(sum, [
      [x, fork],
      [side, fork],
      [side, sum.middle],
      [x + out * SUM_RADIUS, sum.middle],
    ]);
  }

  // Draws the wire from the wave symbol of the positions, beside the stack, to the sum.
  positionWire({ x, out, boxes }) {
    const sum = boxes.find((box) => box.kind === "position");
    return this.wire(sum, [
      [x + out * (this.sizes.box / 2 - WAVE_RADIUS), sum.middle],
      [x + out * SUM_RADIUS, sum.middle],
    ]);
  }

  // Draws the wire from the encoder's output to the decoder's cross-attention.
  memoryWire() {
    const from = this.boxNamed("encoder.memory");
    const to = this.boxNamed("decoder.cross");
    const half = this.sizes.box / 2;
    const between = (from.x + to.x) / 2;
    return this.wire(to, [
      [from.x + half, from.middle],
      [between, from.middle],
      [between, to.middle],
      [to.x - half, to.middle],
    ]);
  }

  // Draws a wire. It is coloured if the box at its end has been reached.
  wire(into, points) {
    const line = points.map(([x, height]) => [x, this.y(height)]);
    const path = svgNode("path", { class: "wire", d: roundedPath(line) });
    return svgNode("g", { class: this.stateOf(into) }, path, arrowHead(line));
  }

  stateOf({ order }) {
    const { reached } = this.payload;
    if (order === reached) return "done now";
    return order < reached ? "done" : "ahead";
  }

  box(box) {
    const isReached = box.order === this.payload.reached;
    const attributes = {
      class: "box",
      role: "button",
      tabindex: isReached ? 0 : -1, // Tab enters the figure at the reached box
      "aria-label": box.spoken,
      "aria-pressed": isReached,
      "data-name": box.name,
    };
    const parts = isSum(box.kind) ? this.sum(box) : this.rectangle(box);
    const group = svgNode("g", attributes, ...parts);
    const colour = this.colours[colourOf(box.kind) % this.colours.length];
    group.style.setProperty("--kind", colour);
    group.onclick = () => this.send("click", box.name);
    group.onkeydown = (event) => this.key(event, box);
    return group;
  }

  key(event, box) {
    const step = ARROWS[event.key];
    const isEnter = event.key === "Enter" || event.key === " ";
    if (!step && !isEnter) return;
    event.preventDefault();
    if (isEnter) {
      this.send("click", box.name);
      return;
    }
    const next = nextBox(box, this.boxes, step);
    if (next) this.focus(next.name);
  }

  rectangle(box) {
    const { x, low, top, kind } = box;
    const { box: width } = this.sizes;
    const height = top - low;
    const body = svgNode("rect", {
      class: "body",
      x: x - width / 2,
      y: this.y(top),
      width,
      height,
      rx: isPill(kind) ? height / 2 : 7,
    });
    const texts = this.sizes.isWide && box.count ? this.labelAndCount(box) : this.label(box);
    return [body, ...texts];
  }

  // The space between the lines makes a screen reader read two words.
  labelAndCount({ x, middle, label, count }) {
    const { box } = this.sizes;
    const y = this.y(middle);
    const name = text(label, x - box / 2 + 12, y);
    return [name, " ", text(count, x + box / 2 - 10, y, "count end")];
  }

  label({ x, middle, kind, label }) {
    const { isWide, box, font } = this.sizes;
    const room = box / font;
    const isOneLine = isWide || kind === "tokens" || kind === "next_token";
    const lines = isOneLine ? [shortened(label, room)] : halves(label, room);
    const step = font * 1.2;
    const first = this.y(middle) - ((lines.length - 1) * step) / 2;
    const nodes = lines.map((line, n) => text(line, x, first + n * step, "middle"));
    if (isOneLine && lines[0] !== label) nodes[0].dataset.whole = label; // used in a saved figure
    return nodes.flatMap((node) => [node, " "]);
  }

  // Draws a sum as a circle with a plus. The sum with positions has a wave beside it.
  sum({ x, middle, kind, stack, spoken }) {
    const y = this.y(middle);
    const plus = `M${x - 5} ${y}H${x + 5}M${x} ${y - 5}V${y + 5}`;
    const parts = [
      svgNode("title", {}, spoken), // a sum has no visible label
      svgNode("circle", { class: "reach", cx: x, cy: y, r: SUM_RADIUS + 5 }),
      svgNode("circle", { class: "body", cx: x, cy: y, r: SUM_RADIUS }),
      svgNode("path", { class: "sign", d: plus }),
    ];
    if (kind !== "position") return parts;
    const { out } = this.stacks.find(({ name }) => name === stack);
    const at = x + out * (this.sizes.box / 2);
    return [
      ...parts,
      svgNode("circle", { class: "body", cx: at, cy: y, r: WAVE_RADIUS }),
      svgNode("path", { class: "sign", d: `M${at - 8} ${y}q4 -11 8 0t8 0` }),
    ];
  }
}

function svgNode(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function text(content, x, y, classes = "") {
  return svgNode("text", { x, y, class: classes }, content);
}

function arrowHead(points) {
  const [before, end] = points.slice(-2);
  const angle = (Math.atan2(end[1] - before[1], end[0] - before[0]) * 180) / Math.PI;
  const transform = `translate(${end.join(" ")}) rotate(${angle})`;
  return svgNode("path", { class: "head", d: "M0 0L-7 -4.2V4.2Z", transform });
}

function colourOf(kind) {
  return kind.endsWith("norm") ? NORM_COLOUR : (COLOURS[kind] ?? PLAIN_COLOUR);
}

export default mount(ArchitectureFigure);
