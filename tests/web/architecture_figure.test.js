// The figure of the architecture, on a page without layout. The sizes are in units of the drawing.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import architecture from "../../web/app/architecture/architecture.js";

const KINDS = {
  encoder: ["tokens", "embedding", "position", "self_norm", "self", "self_add", "memory"],
  decoder: ["tokens", "embedding", "position", "self", "self_add", "cross", "cross_add", "softmax"],
};
const IN_BLOCK = ["self_norm", "self", "self_add", "cross", "cross_add"];
const BOXES = Object.entries(KINDS).flatMap(([stack, kinds]) =>
  kinds.map((kind) => ({
    stack,
    kind,
    in_block: IN_BLOCK.includes(kind),
    label: `${kind} of model`,
    spoken: `${stack} ${kind}`,
    count: kind === "embedding" ? "7" : "",
  })),
);
const COLOURS = ["#000000", "#111111", "#222222", "#333333", "#444444", "#555555"];

function drawn(changes = {}, width = 1000, palette = COLOURS) {
  const page = new FakePage();
  const sent = [];
  const data = {
    boxes: BOXES,
    n_layers: 3,
    layer: 1,
    reached: 4,
    facts: ["en-fr", "6"],
    label: "F",
  };
  const parentElement = page.body;
  const setTriggerValue = (...message) => sent.push(message);
  globalThis.getComputedStyle = () => ({ getPropertyValue: () => palette.join(" ") });
  const run = architecture({ data: { ...data, ...changes }, parentElement, setTriggerValue });
  const { view } = parentElement;
  view.root.clientWidth = width;
  view.draw();
  return {
    view,
    sent,
    run,
    svg: view.svg,
    box: (name) => view.svg.querySelector(`[data-name="${name}"]`),
  };
}

const numbers = (node, ...names) => names.map((name) => Number(node.getAttribute(name)));
const wiresOf = (svg) => svg.querySelectorAll(".wire").map((wire) => wire.getAttribute("d"));

test("the figure is as high as its higher stack and at most 825 pixels wide", () => {
  const { svg } = drawn();
  // Heights of the decoder from bottom to top: pill 28, box 34, sum 18, then a block of box, sum,
  // box and sum, then a box. There are 12 between them, 18 more at the beginning of a block and 8
  // at its end, 3 below the figure, and 3 + 4 above.
  const height = 3 + 28 + 34 + 18 + 34 + 18 + 34 + 18 + 34 + 7 * 12 + 18 + 8 + 3 + 4;
  assert.equal(svg.getAttribute("viewBox"), `0 0 760 ${height}`);
  assert.deepEqual([svg.style.maxWidth, svg.style.fontSize, svg.ariaLabel], ["825px", "18px", "F"]);
  assert.equal(drawn({}, 500).svg.style.maxWidth, "480px");
});

test("a box is drawn around its middle, a pill with round ends", () => {
  const { svg, box } = drawn();
  const height = Number(svg.getAttribute("viewBox").split(" ")[3]);
  const body = (name) => box(name).querySelector(".body");
  // the box is 30 + 10 + 20 units from the edge
  assert.deepEqual(numbers(body("encoder.tokens"), "x", "y", "width", "height", "rx"), [
    60,
    height - 31,
    286,
    28,
    14,
  ]);
  assert.deepEqual(numbers(body("decoder.embedding"), "x", "y", "width", "height", "rx"), [
    760 - 60 - 286,
    height - 77,
    286,
    34,
    7,
  ]);
});

test("the frame of a block has space for residual connections on its outer side", () => {
  const frames = drawn().svg.querySelectorAll(".frame");
  assert.deepEqual(
    frames.map((frame) => numbers(frame, "x", "width")),
    [
      [60 - 10 - 20, 286 + 2 * 10 + 20],
      [760 - 60 - 286 - 10, 326],
    ],
  );
  const [y, frameHeight] = numbers(frames[0], "y", "height");
  const middle = y + frameHeight / 2;
  const times = drawn().svg.querySelectorAll(".times");
  assert.deepEqual(
    times.map((each) => [each.textContent, ...numbers(each, "x")]),
    [
      ["3×", 30 - 15],
      ["3×", 760 - 60 + 10 + 20 + 15],
    ],
  );
  assert.deepEqual(numbers(times[0], "y"), [middle]);
});

test("each layer has a dot, and the dot of the current layer is larger", () => {
  const { svg } = drawn(); // a box of the encoder in the second layer
  const pips = svg.querySelectorAll(".pip");
  assert.deepEqual(
    pips.map((pip) => pip.getAttribute("r")),
    ["3.5", "5", "3.5", "3.5", "3.5", "3.5"],
  );
  assert.equal(svg.querySelectorAll(".now.pip")[0], pips[1]);
  const [first, second] = pips.map((pip) => numbers(pip, "cy")[0]);
  const times = numbers(svg.querySelector(".times"), "y")[0];
  assert.deepEqual([times - first, first - second], [20, 11]);
  // no block is reached yet
  assert.equal(drawn({ reached: 0 }).svg.querySelectorAll(".now.pip").length, 0);
});

test("more than 12 layers have no dots", () => {
  assert.equal(drawn({ n_layers: 12 }).svg.querySelectorAll(".pip").length, 24);
  assert.equal(drawn({ n_layers: 13 }).svg.querySelectorAll(".pip").length, 0);
});

test("the wire from the encoder bends halfway between the stacks", () => {
  const { svg, view } = drawn();
  const y = (name) => view.y(view.boxNamed(name).middle);
  const [from, to] = [y("encoder.memory"), y("decoder.cross")];
  const wire = wiresOf(svg).at(-1);
  const corners = [...wire.matchAll(/Q([\d.]+) ([\d.]+)/g)].map(([, ...at]) => at.map(Number));
  assert.ok(wire.startsWith(`M${60 + 286} ${from}`)); // from the right edge of the box
  assert.ok(wire.endsWith(`L${760 - 60 - 286} ${to}`));
  assert.deepEqual(corners, [
    [380, from],
    [380, to],
  ]);
});

test("a residual connection goes around sublayer and norm to the side of the sum", () => {
  const { svg, view } = drawn();
  const y = (height) => view.y(height);
  const sum = view.boxNamed("encoder.self_add");
  const norm = view.boxNamed("encoder.self_norm");
  const fork = y(norm.low - 12 * 0.55);
  const side = 203 - (143 + 12); // at 0.6 of the 20 units beside the box
  const wire = wiresOf(svg).find((each) => each.startsWith(`M203 ${fork}`));
  const corners = [...wire.matchAll(/Q([\d.]+) ([\d.]+)/g)].map(([, ...at]) => at.map(Number));
  assert.deepEqual(corners, [
    [side, fork],
    [side, y(sum.middle)],
  ]);
  assert.ok(wire.endsWith(`L${203 - 9} ${y(sum.middle)}`));
});

test("positional encodings come from a wave on the outer side of the sum", () => {
  const { box, svg, view } = drawn();
  const circles = (name) =>
    box(name)
      .querySelectorAll("circle")
      .map((each) => numbers(each, "cx", "r"));
  assert.deepEqual(circles("encoder.position"), [
    [203, 14],
    [203, 9],
    [60, 13],
  ]);
  assert.deepEqual(circles("decoder.position").at(-1), [700, 13]);
  const y = view.y(view.boxNamed("encoder.position").middle);
  assert.ok(wiresOf(svg).includes(`M${60 + 13} ${y}L${203 - 9} ${y}`));
  const signs = box("encoder.position").querySelectorAll(".sign");
  assert.equal(signs[0].getAttribute("d"), `M198 ${y}H208M203 ${y - 5}V${y + 5}`);
  assert.equal(signs[1].getAttribute("d"), `M52 ${y}q4 -11 8 0t8 0`);
  assert.equal(box("encoder.self_add").querySelectorAll(".sign").length, 1);
});

test("an arrow head points in the direction of its wire", () => {
  const { svg } = drawn();
  const heads = svg.querySelectorAll(".head").map((each) => each.getAttribute("transform"));
  assert.ok(heads[0].endsWith("rotate(-90)")); // pointing upwards
  assert.ok(heads.at(-1).endsWith("rotate(0)")); // pointing to the right
});

test("a wire is done, current or ahead, depending on whether the data have reached its end", () => {
  const { svg } = drawn({ reached: 8 }); // the second box of the decoder, its embedding
  const states = svg.querySelectorAll("g").filter((each) => each.querySelector(".wire"));
  const ofDecoder = states.slice(-11).map(({ className }) => className);
  assert.deepEqual(ofDecoder.slice(0, 3), ["done now", "ahead", "ahead"]);
  assert.equal(states[0].className, "done");
});

test("Tab focuses the reached box, and only this box is pressed", () => {
  const { svg } = drawn();
  const boxes = svg.querySelectorAll(".box");
  const reached = boxes.filter((each) => each.getAttribute("tabindex") === "0");
  assert.deepEqual(
    reached.map((each) => each.dataset.name),
    ["encoder.self"],
  );
  const pressed = boxes.filter((each) => each.getAttribute("aria-pressed") === "true");
  assert.deepEqual(pressed, reached);
});

test("kinds of boxes have the paper's colours, which repeat if the theme has fewer", () => {
  const { box } = drawn();
  const colour = (name) => box(name).style.getPropertyValue("--kind");
  assert.equal(colour("encoder.embedding"), "#333333");
  assert.equal(colour("encoder.self_norm"), "#444444");
  assert.equal(colour("decoder.cross"), "#111111");
  assert.equal(colour("decoder.softmax"), "#222222");
  assert.equal(colour("encoder.position"), "#333333");
  assert.equal(colour("encoder.self"), "#111111");
  assert.equal(colour("encoder.tokens"), "#111111"); // the eighth kind, but COLOURS has six colours
});

test("with eight colours, the unembedding has the seventh and a plain box the eighth", () => {
  const boxes = BOXES.map((box) => (box.kind === "cross" ? { ...box, kind: "unembed" } : box));
  const palette = [...COLOURS, "#666666", "#777777"];
  const shown = drawn(
    { boxes: [...boxes, { ...BOXES[0], stack: "decoder", kind: "cross" }] },
    1000,
    palette,
  );
  const colour = (name) => shown.box(name).style.getPropertyValue("--kind");
  assert.equal(colour("decoder.unembed"), "#666666");
  assert.equal(colour("encoder.tokens"), "#777777");
});

test("in a wide figure, names are at the left and counts at the right of the boxes", () => {
  const { box, view } = drawn();
  const [name, count] = box("encoder.embedding").querySelectorAll("text");
  const y = view.y(view.boxNamed("encoder.embedding").middle);
  assert.deepEqual(numbers(name, "x", "y"), [60 + 12, y]);
  assert.deepEqual(numbers(count, "x", "y"), [60 + 286 - 10, y]);
  assert.deepEqual([name.textContent, count.textContent], ["embedding of model", "7"]);
  // in the middle of the box
  assert.equal(box("encoder.memory").querySelectorAll("text").length, 1);
});

test("in a narrow figure, a long name has two lines and no count", () => {
  const { box, view } = drawn({}, 400);
  const [first, second] = box("encoder.embedding").querySelectorAll("text");
  const { middle, x } = view.boxNamed("encoder.embedding");
  assert.deepEqual([first.textContent, second.textContent], ["embedding", "of model"]);
  const [above, below] = [first, second].map((line) => numbers(line, "y")[0]);
  assert.equal(numbers(first, "x")[0], x);
  assert.ok(Math.abs(below - above - 13 * 1.2) < 1e-9);
  assert.ok(Math.abs((above + below) / 2 - view.y(middle)) < 1e-9);
});

test("a shortened name is complete in the saved figure", () => {
  const boxes = BOXES.map((box) => ({
    ...box,
    label: "a very long name for a box of so few units",
  }));
  const [text] = drawn({ boxes }, 400).box("encoder.tokens").querySelectorAll("text");
  assert.ok(text.textContent.endsWith("…"));
  assert.equal(text.dataset.whole, boxes[0].label);
  const [whole] = drawn({}, 1000).box("encoder.memory").querySelectorAll("text");
  assert.equal(whole.dataset.whole, undefined);
});

test("the facts are one below the other, and the first has its own style", () => {
  const facts = drawn().svg.querySelector(".facts").children;
  assert.deepEqual(
    facts.map((each) => [each.textContent, ...numbers(each, "x", "y"), each.className]),
    [
      ["en-fr", 2, 12, "first"],
      ["6", 2, 39, ""],
    ],
  );
});

test("a click, Enter and the space bar choose a part", () => {
  const { box, sent } = drawn();
  let prevented = 0;
  const press = (key) =>
    box("encoder.self").onkeydown({ key, preventDefault: () => (prevented += 1) });
  box("decoder.cross").click();
  press("Enter");
  press(" ");
  assert.deepEqual(sent, [
    ["click", "decoder.cross"],
    ["click", "encoder.self"],
    ["click", "encoder.self"],
  ]);
  press("a");
  assert.equal(prevented, 2);
  assert.equal(document.activeElement, null);
});

test("an arrow key focuses the next part, which keeps the focus in a new drawing", () => {
  const { box, view, sent } = drawn();
  const press = (key) => box("encoder.self").onkeydown({ key, preventDefault() {} });
  press("ArrowUp");
  assert.equal(document.activeElement, box("encoder.self_add"));
  view.draw();
  assert.equal(document.activeElement, box("encoder.self_add"));
  press("ArrowRight");
  assert.equal(document.activeElement.dataset.name.split(".")[0], "decoder");
  assert.deepEqual(sent, []);
});
