// Figure 1 of the paper in a drawing of our own. Data run from the bottom to the top, boxes come in the
// order of computation.

import { mount } from "../mount.js";
import { ARROWS } from "../../pictures/arrow_keys.js";
import { scaleOf } from "../../pictures/colours.js";
import { View } from "../../pictures/picture.js";

const SVG = "http://www.w3.org/2000/svg";
const NARROW_BELOW = 540; // pixels of the page
const SIZES = {
  wide: {
    width: 680,
    box: 246,
    side: 30,
    pad: 10,
    skip: 20,
    high: 34,
    norm: 22,
    pill: 28,
    step: 12,
    font: 15,
    widest: 740,
  },
  narrow: {
    width: 358,
    box: 114,
    side: 22,
    pad: 5,
    skip: 15,
    high: 42,
    norm: 24,
    pill: 28,
    step: 13,
    font: 13,
    widest: 480,
  },
};
const SUM = 9; // radius of a sum
const WAVE = 13; // radius of the wave that stands for positions
// Colours of the theme, by number: those of the paper's figure.
const COLOURS = { embedding: 3, position: 3, unembed: 6, softmax: 2, self: 1, cross: 1, ffn: 0 };
const [NORM, PLAIN] = [4, 7];
const PILLS = ["tokens", "memory", "next_token"];

class Figure extends View {
  constructor(parent) {
    super(parent);
    this.svg = drawn("svg", { role: "group" });
    this.root.append(this.svg);
  }

  show(payload) {
    this.payload = payload;
    this.drawWith(this.root);
  }

  draw() {
    const width = this.root.clientWidth;
    this.size = width < NARROW_BELOW ? SIZES.narrow : SIZES.wide;
    this.colours = scaleOf(getComputedStyle(this.root), "categorical");
    const held = this.svg.getRootNode().activeElement?.dataset?.name;
    this.boxes = this.payload.boxes.map((box, order) => ({
      ...box,
      order,
      name: `${box.stack}.${box.kind}`,
    }));
    this.stacks = { encoder: this.place("encoder"), decoder: this.place("decoder") };
    this.height = Math.max(...Object.values(this.stacks).map((stack) => stack.top)) + 4;
    this.svg.setAttribute("viewBox", `0 0 ${this.size.width} ${this.height}`);
    Object.assign(this.svg.style, {
      maxWidth: `${this.size.widest}px`,
      fontSize: `${this.size.font}px`,
    });
    this.svg.ariaLabel = this.payload.label;
    this.svg.replaceChildren(
      ...Object.values(this.stacks).map((stack) => this.frame(stack)),
      this.facts(),
      ...this.wires(),
      ...this.boxes.map((box) => this.box(box)),
    );
    if (held) this.svg.querySelector(`[data-name="${held}"]`)?.focus();
  }

  // Where each box of a stack stands: x its middle, low and top counted upwards from the bottom.
  place(name) {
    const { width, side, pad, skip, box, step } = this.size;
    const left = name === "encoder";
    const away = side + pad + skip + box / 2;
    const x = left ? away : width - away;
    const stack = { name, x, out: left ? -1 : 1, low: 0, top: 0 };
    let y = 3;
    let inside = false;
    for (const each of this.boxes.filter((b) => b.stack === name)) {
      if (each.in_block !== inside) {
        stack[each.in_block ? "low" : "high"] = y - step / 2 + (each.in_block ? 2 : 4);
        y += each.in_block ? step + 6 : 8;
        inside = each.in_block;
      }
      const height = this.heightOf(each.kind);
      Object.assign(each, { x, low: y, middle: y + height / 2, top: y + height });
      y = each.top + step;
    }
    stack.top = y - step + 3;
    return stack;
  }

  heightOf(kind) {
    const { high, norm, pill } = this.size;
    if (isSum(kind)) return 2 * SUM;
    if (kind.endsWith("norm")) return norm;
    return PILLS.includes(kind) ? pill : high;
  }

  // Upwards to downwards.
  y(height) {
    return this.height - height;
  }

  frame({ x, out, low, high, name }) {
    const { box, pad, skip, side } = this.size;
    const { layer, n_layers: n } = this.payload;
    const width = box + 2 * pad + skip;
    const left = out < 0 ? x - box / 2 - skip - pad : x - box / 2 - pad;
    const frame = drawn("rect", {
      class: "frame",
      x: left,
      y: this.y(high),
      width,
      height: high - low,
      rx: 14,
    });
    const beside = out < 0 ? left - side / 2 : left + width + side / 2;
    const middle = this.y((low + high) / 2);
    const current = this.boxes[this.payload.picked];
    const pips = Array.from({ length: n > 12 ? 0 : n }, (_, each) => {
      const now = current.in_block && current.stack === name && each === layer;
      return drawn("circle", {
        class: now ? "pip now" : "pip",
        cx: beside,
        cy: middle - 20 - 11 * each,
        r: now ? 5 : 3.5,
      });
    });
    return drawn("g", {}, frame, this.text(`${n}×`, beside, middle, "times middle"), ...pips);
  }

  // The room above the encoder says what model this is.
  facts() {
    const high = (n) => 12 + n * this.size.font * 1.5;
    const lines = this.payload.facts.map((line, n) =>
      this.text(line, 2, high(n), n === 0 ? "first" : ""),
    );
    return drawn("g", { class: "facts" }, ...lines);
  }

  wires() {
    const wires = [];
    for (const stack of Object.values(this.stacks)) {
      const { x, out } = stack;
      const column = this.boxes.filter((box) => box.stack === stack.name);
      column.slice(1).forEach((box, n) =>
        wires.push(
          this.wire(box, [
            [box.x, column[n].top],
            [box.x, box.low],
          ]),
        ),
      );
      for (const sum of column.filter((box) => box.kind.endsWith("_add")))
        wires.push(this.skip(stack, column, sum));
      const sum = column.find((box) => box.kind === "position"); // its wave stands beside it
      wires.push(
        this.wire(sum, [
          [x + out * (this.size.box / 2 - WAVE), sum.middle],
          [x + out * SUM, sum.middle],
        ]),
      );
    }
    return [...wires, this.memory()];
  }

  // Round the sublayer: from below it, or below its norm if that comes first, into the sum.
  skip({ x, out }, column, sum) {
    const kind = sum.kind.replace("_add", "");
    const first = column.find((box) => box.kind === kind || box.kind === `${kind}_norm`);
    const side = x + out * (this.size.box / 2 + this.size.skip * 0.6);
    const fork = first.low - this.size.step * 0.55;
    return this.wire(sum, [
      [x, fork],
      [side, fork],
      [side, sum.middle],
      [x + out * SUM, sum.middle],
    ]);
  }

  // From the encoder's result into every cross-attention.
  memory() {
    const [from, to] = ["encoder.memory", "decoder.cross"].map((name) =>
      this.boxes.find((box) => box.name === name),
    );
    const between = (from.x + to.x) / 2;
    const half = this.size.box / 2;
    return this.wire(to, [
      [from.x + half, from.middle],
      [between, from.middle],
      [between, to.middle],
      [to.x - half, to.middle],
    ]);
  }

  // A line with round corners and a tip; data have passed it once its box is reached.
  wire(into, points) {
    const { picked } = this.payload;
    const state = into.order === picked ? "done now" : into.order < picked ? "done" : "ahead";
    const line = points.map(([x, y]) => [x, this.y(y)]);
    return drawn(
      "g",
      { class: state },
      drawn("path", { class: "wire", d: rounded(line) }),
      tip(line),
    );
  }

  box(box) {
    const attributes = {
      class: "box",
      role: "button",
      tabindex: box.order === this.payload.picked ? 0 : -1,
      "aria-label": box.spoken,
      "aria-pressed": box.order === this.payload.picked,
      "data-name": box.name,
    };
    const group = drawn(
      "g",
      attributes,
      ...(isSum(box.kind) ? this.sum(box) : this.rectangle(box)),
    );
    group.style.setProperty("--kind", this.colours[colourOf(box.kind) % this.colours.length]);
    return Object.assign(group, {
      onclick: () => this.send("pick", box.name),
      onkeydown: (event) => this.key(event, box),
    });
  }

  // Tab enters the figure at the picked box; arrows go along a stack and over to the other one.
  key(event, box) {
    const [down, right] = ARROWS[event.key] ?? [];
    const enter = event.key === "Enter" || event.key === " ";
    if (down === undefined && !enter) return;
    event.preventDefault();
    if (enter) return this.send("pick", box.name);
    const far = (other) => Math.abs(other.middle - box.middle);
    const there = (other) =>
      right
        ? (other.x - box.x) * right > 0
        : other.x === box.x && (other.middle - box.middle) * down < 0;
    const [next] = this.boxes.filter(there).sort((a, b) => far(a) - far(b));
    if (next) this.svg.querySelector(`[data-name="${next.name}"]`).focus();
  }

  rectangle({ x, low, top, middle, kind, label, count }) {
    const { box, font } = this.size;
    const height = top - low;
    const round = PILLS.includes(kind) ? height / 2 : 7;
    const body = drawn("rect", {
      class: "body",
      x: x - box / 2,
      y: this.y(top),
      width: box,
      height,
      rx: round,
    });
    const wide = this.size === SIZES.wide;
    if (wide && count) {
      const name = this.text(label, x - box / 2 + 12, this.y(middle));
      const number = this.text(count, x + box / 2 - 10, this.y(middle), "count end");
      return [body, name, " ", number]; // what is read are two words
    }
    const lines =
      wide || kind === "tokens" || kind === "next_token"
        ? [shortened(label, box / font)]
        : halves(label, box / font);
    const step = font * 1.2;
    const first = this.y(middle) - ((lines.length - 1) * step) / 2;
    return [
      body,
      ...lines.flatMap((line, n) => [this.text(line, x, first + n * step, "middle"), " "]),
    ];
  }

  sum({ x, middle, kind, stack, spoken }) {
    const y = this.y(middle);
    const parts = [
      drawn("title", {}, spoken), // no word is written in it
      drawn("circle", { class: "reach", cx: x, cy: y, r: SUM + 5 }),
      drawn("circle", { class: "body", cx: x, cy: y, r: SUM }),
      drawn("path", { class: "sign", d: `M${x - 5} ${y}H${x + 5}M${x} ${y - 5}V${y + 5}` }),
    ];
    if (kind !== "position") return parts;
    const at = x + this.stacks[stack].out * (this.size.box / 2);
    return [
      ...parts,
      drawn("circle", { class: "body", cx: at, cy: y, r: WAVE }),
      drawn("path", { class: "sign", d: `M${at - 8} ${y}q4 -11 8 0t8 0` }),
    ];
  }

  text(content, x, y, classes = "") {
    return drawn("text", { x, y, class: classes }, content);
  }
}

function drawn(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const isSum = (kind) => kind.endsWith("_add") || kind === "position";
const colourOf = (kind) => (kind.endsWith("norm") ? NORM : (COLOURS[kind] ?? PLAIN));

function rounded(points) {
  let path = `M${points[0].join(" ")}`;
  for (let n = 1; n < points.length - 1; n++) {
    const [before, corner, after] = [points[n - 1], points[n], points[n + 1]];
    const radius = Math.min(7, distance(before, corner) / 2, distance(corner, after) / 2);
    path += `L${towards(corner, before, radius)}Q${corner.join(" ")} ${towards(corner, after, radius)}`;
  }
  return `${path}L${points.at(-1).join(" ")}`;
}

function tip(points) {
  const [before, end] = points.slice(-2);
  const angle = (Math.atan2(end[1] - before[1], end[0] - before[0]) * 180) / Math.PI;
  return drawn("path", {
    class: "head",
    d: "M0 0L-7 -4.2V4.2Z",
    transform: `translate(${end.join(" ")}) rotate(${angle})`,
  });
}

const distance = ([a, b], [c, d]) => Math.hypot(a - c, b - d);

function towards([a, b], [c, d], length) {
  const share = length / (distance([a, b], [c, d]) || 1);
  return `${a + (c - a) * share} ${b + (d - b) * share}`;
}

// A label of two words that is too long stands in two lines; room is counted in ems.
function halves(label, room) {
  const space = label.indexOf(" ");
  return label.length * 0.56 < room || space < 0
    ? [label]
    : [label.slice(0, space), label.slice(space + 1)];
}

function shortened(label, room) {
  const letters = [...label];
  const most = Math.floor(room / 0.6);
  return letters.length <= most ? label : `${letters.slice(0, most - 1).join("")}…`;
}

export default mount(Figure);
