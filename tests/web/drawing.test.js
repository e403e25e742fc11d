// Parts of a page drawn as SVG. On the fake page, every letter is ten pixels wide and high.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeBrush, FakeElement, FakePage } from "./page.js";
import { setLightColours } from "../../web/app/tools/light_colours.js";
import { Drawing } from "../../web/app/tools/drawing.js";

const STYLE = {
  display: "block",
  visibility: "visible",
  opacity: "1",
  color: "rgb(0, 0, 0)",
  backgroundColor: "rgba(0, 0, 0, 0)",
  borderTopColor: "rgb(9, 9, 9)",
  borderRightColor: "rgb(9, 9, 9)",
  borderBottomColor: "rgb(9, 9, 9)",
  borderLeftColor: "rgb(9, 9, 9)",
  outlineStyle: "none",
  fontWeight: "400",
  fontSize: "10px",
  fontFamily: "serif",
  textAlign: "start",
  direction: "ltr",
  writingMode: "horizontal-tb",
};
const PLAIN = ' font-size="10" font-weight="400" text-anchor="start" fill="rgb(0, 0, 0)"';

globalThis.Node = { ELEMENT_NODE: 1, TEXT_NODE: 3 };
globalThis.ShadowRoot = class {};
FakeElement.prototype.nodeType = 1;
const page = new FakePage();
globalThis.getComputedStyle = ({ style }) => {
  return { ...STYLE, ...style, getPropertyValue: (name) => style[name] ?? "" };
};
page.add("div", { className: "stApp" });
document.head = page.body;
document.createRange = () => ({
  setStart(node, start) {
    this.node = node;
    this.start = start;
  },
  setEnd() {},
  getBoundingClientRect() {
    const [left, top, width = 10] = this.node.places[this.start];
    return { left, top, right: left + width, bottom: top + 10 };
  },
});

// A text whose letters follow each other from (left, top), or are at given positions.
function textNode(data, left, top, places) {
  const inLine = Array.from(data, (_, n) => [left + 10 * n, top]);
  return { nodeType: 3, data, textContent: data, places: places ?? inLine };
}

function block({ style = {}, box = [0, 0, 200, 20], name = "p", ...properties } = {}, ...children) {
  const made = Object.assign(new FakeElement(name), properties);
  Object.assign(made.style, style);
  const [left, top, width, height] = box;
  made.box = { left, top, width, height };
  made.append(...children);
  for (const child of children) Object.assign(child, { parentNode: made, parentElement: made });
  return made;
}

const drawn = (node, drawing = new Drawing(0, 0)) => drawing.node(node);

test("the line below a word that names a role keeps its style", () => {
  const line = {
    textDecorationLine: "underline",
    textDecorationColor: "rgb(1, 2, 3)",
    textDecorationThickness: "2px",
    textUnderlineOffset: "3px",
  };
  const linesBelow = (style) => {
    const word = block({ name: "b", style: { ...line, textDecorationStyle: style } });
    const text = textNode("abc", 10, 20);
    word.append(text);
    text.parentElement = word;
    return [
      ...drawn(word).matchAll(/<path d="M10 ([\d.]+)H40"[^>]*?( stroke-dasharray="[^"]*")?>/g),
    ];
  };
  const [[, y, none]] = linesBelow("solid");
  assert.equal(none, undefined);
  const doubled = linesBelow("double").map(([, height]) => Number(height));
  assert.deepEqual(doubled, [Number(y), Number(y) + 4]);
  assert.equal(linesBelow("dashed")[0][2], ' stroke-dasharray="6 4"');
  assert.equal(linesBelow("dotted")[0][2], ' stroke-dasharray="2"');
  line.textDecorationLine = "none";
  assert.deepEqual(linesBelow("solid"), []);
});

test("the line below a word goes on below the element inside it", () => {
  const line = {
    textDecorationLine: "underline",
    textDecorationStyle: "dotted",
    textDecorationColor: "rgb(1, 2, 3)",
  };
  const token = (display) => {
    const text = block({ name: "bdi", style: { display } }, textNode("abc", 10, 20));
    return drawn(block({ name: "li", style: line }, text));
  };
  assert.match(token("inline"), /<path d="M10 [\d.]+H40"[^>]* stroke-dasharray="1"/);
  assert.doesNotMatch(token("inline-block"), /<path/);
});

test("a text is written on its baseline, with coordinates from the corner of the drawing", () => {
  const drawing = new Drawing(5, 20);
  const svg = drawn(block({}, textNode("ab", 15, 30)), drawing);
  // the middle is 15 pixels below the corner, the baseline (8 - 2) / 2 pixels below the middle
  assert.equal(svg, `<text x="10" y="18"${PLAIN}>ab</text>`);
  assert.deepEqual([drawing.up, drawing.right, drawing.bottom], [10, 30, 20]);
});

test("lines are broken as on the page, without spaces at their beginning or end", () => {
  const places = [
    [0, 0],
    [0, 0, 0], // a space at the end of a line has no width
    [0, 12],
    [10, 12],
  ];
  const svg = drawn(block({}, textNode("a bc", 0, 0, places)));
  assert.equal(svg, `<text x="0" y="8"${PLAIN}>a</text><text x="0" y="20"${PLAIN}>bc</text>`);
});

test("a single Chinese letter below another one is a new line", () => {
  const places = [
    [0, 0],
    [0, 12],
    [0, 24],
  ];
  const svg = drawn(block({}, textNode("我爱你", 0, 0, places)));
  assert.deepEqual(svg.match(/>.</g), [">我<", ">爱<", ">你<"]);
});

test("a part of a sentence keeps its width, without the space at its end, but not the last", () => {
  const bold = block({ name: "strong", style: { display: "inline" } }, textNode("cd", 30, 0));
  const svg = drawn(block({}, textNode("ab ", 0, 0), bold, textNode(".", 50, 0)));
  const texts = [...svg.matchAll(/<text x="(\d+)".*? textLength="(\d+)".*?>(.*?)<\/text>/g)];
  assert.deepEqual(
    texts.map((text) => text.slice(1)),
    [
      ["0", "20", "ab"],
      ["30", "20", "cd"],
    ],
  );
  assert.match(svg, />\.</);
  bold.style.textAlign = "center";
  const centred = block({ style: { textAlign: "center" } }, textNode("ab ", 0, 0), bold);
  assert.equal(drawn(centred).match(/textLength/g).length, 2); // both have to stay together
  assert.doesNotMatch(drawn(block({}, textNode("ab", 0, 0))), /textLength/);
});

test("spaces within a line stay, one at the beginning of a line does not", () => {
  const texts = (...places) => drawn(block({}, textNode("a b", 0, 0, places))).match(/>[^<]+</g);
  assert.deepEqual(texts([0, 12], [10, 12], [20, 12]), [">a b<"]);
  assert.deepEqual(texts([0, 0], [0, 12], [10, 12]), [">a<", ">b<"]);
  const style = { writingMode: "vertical-rl" };
  const upright = textNode("a b", 0, 0, [
    [0, 0],
    [0, 10],
    [0, 20],
  ]);
  assert.match(drawn(block({ style }, upright)), />a b</);
});

test("the parts of an equation keep their widths, though all of them are elements", () => {
  const style = { display: "inline" };
  const part = (letter, left) => block({ name: "b", style }, textNode(letter, left, 0));
  const svg = drawn(block({}, part("2", 0), part("=", 10), block({}, part("2", 20))));
  assert.equal(svg.match(/textLength="10" lengthAdjust="spacingAndGlyphs"/g).length, 1);
  assert.doesNotMatch(svg.match(/<text x="20".*/)[0], /textLength/); // alone in its block
  const below = block({}, textNode("0.5", 0, 10));
  assert.doesNotMatch(drawn(block({}, part("a", 0), below)), /textLength/); // alone in its line
  const nested = block({ name: "span", style }, textNode("q ", 0, 0), part("a", 20));
  assert.equal(drawn(block({}, nested, below)).match(/textLength/g).length, 1);
});

test("of several lines only the last keeps its width, because a bold word may follow it", () => {
  const places = [
    [0, 0],
    [0, 12],
  ];
  const bold = block({ name: "b", style: { display: "inline" } }, textNode("c", 10, 12));
  const svg = drawn(block({}, textNode("ab", 0, 0, places), bold));
  const kept = [...svg.matchAll(/textLength.*?>(.)</g)].map(([, letter]) => letter);
  assert.deepEqual(kept, ["b"]);
});

test("an italic text stays italic, such as a letter of a formula", () => {
  const svg = drawn(block({ style: { fontStyle: "italic" } }, textNode("q", 0, 0)));
  assert.match(svg, /font-style="italic"/);
});

test("a bold word may be at the top of a component", () => {
  const host = block();
  const root = host.attachShadow();
  const bold = block({ name: "strong", style: { display: "inline" } }, textNode("ab", 0, 0));
  root.append(bold);
  assert.equal(bold.parentElement, null);
  assert.match(drawn(host), />ab<\/text>$/);
});

test("a raised letter is in the line, a letter more than half a line below is not", () => {
  const texts = (top) =>
    drawn(
      block(
        {},
        textNode("ab", 0, 0, [
          [0, 0],
          [10, top],
        ]),
      ),
    ).match(/<text/g).length;
  assert.deepEqual([texts(5), texts(-5), texts(6), texts(-6)], [1, 1, 2, 2]);
});

test("a text that has room keeps its place and its size", () => {
  const style = { textOverflow: "ellipsis" };
  const svg = drawn(block({ style, box: [0, 0, 200, 10] }, textNode("ab", 50, 0)));
  assert.equal(svg, `<text x="50" y="8"${PLAIN}>ab</text>`);
});

test("a text that the page cuts is whole, in smaller letters in its box", () => {
  const style = { textOverflow: "ellipsis" };
  const drawing = new Drawing(0, 0);
  const svg = drawn(block({ style, box: [20, 0, 30, 10] }, textNode("abcdef", 20, 0)), drawing);
  // 30 of 60 pixels: the letters have half the size, and the baseline is half as far from the
  // middle
  assert.equal(svg, `<text x="20" y="6.5"${PLAIN.replace('"10"', '"5"')}>abcdef</text>`);
  assert.equal(drawing.right, 50);
});

test("a text in a wider font than ours shrinks to its width on the page", () => {
  const style = { fontFamily: "narrow" };
  const places = [
    [0, 0, 4],
    [4, 0, 4],
  ];
  assert.match(drawn(block({ style }, textNode("ab", 0, 0, places))), /font-size="4"/);
  const asWide = [
    [0, 0, 10],
    [10, 0, 9],
  ];
  assert.match(drawn(block({ style }, textNode("ab", 0, 0, asWide))), /font-size="10"/);
  assert.match(drawn(block({}, textNode("ab", 0, 0, places))), /font-size="10"/); // our font
  const oneShort = [
    [50, 0, 10],
    [60, 0, 8.5],
  ];
  // 18.5 of 20 pixels
  assert.match(drawn(block({ style }, textNode("ab", 50, 0, oneShort))), /font-size="9.25"/);
});

test("the parts of a sentence or a word in another font shrink alike, on one baseline", (t) => {
  const measure = FakeBrush.prototype.measureText;
  t.after(() => Object.assign(FakeBrush.prototype, { measureText: measure }));
  FakeBrush.prototype.measureText = function letters(text) {
    return { ...measure(text), width: (this.font.endsWith("narrow") ? 8 : 10) * text.length };
  };
  const subword = (letters, left, width, className = "") => {
    const places = Array.from(letters, (_, n) => [left + width * n, 0, width]);
    const style = { display: "inline", fontFamily: "narrow" };
    const word = block({ name: "bdi", style }, textNode(letters, left, 0, places));
    return block({ name: "li", className }, word);
  };
  const words = block({}, subword("ab", 0, 9), subword("c", 18, 4, "joined"), subword("de", 30, 9));
  const svg = drawn(words);
  const read = (name) => [...svg.matchAll(/<text.*?>/g)].map(([it]) => it.match(`${name}="(.*?)"`));
  const values = (name) => read(name).map((found) => found?.[1]);
  assert.deepEqual(values("font-size"), ["8", "8", "9"]); // the last is alone
  assert.deepEqual(values("textLength"), ["18", "4", undefined]);
  // 16 pixels wide letters get a space; one of 8 pixels becomes narrower
  assert.deepEqual(values("lengthAdjust"), [undefined, "spacingAndGlyphs", undefined]);
  assert.deepEqual(values(" y"), ["8", "8", "8"]);
  const formula = { name: "span", className: "katex", style: { fontFamily: "narrow" } };
  assert.match(drawn(block(formula, textNode("q", 0, 0))), /textLength="10"/);
});

test("a text in another font stays in the middle of its box", () => {
  const anchor = (style, left) =>
    drawn(block({ style, box: [0, 0, 40, 20] }, textNode("ab", left, 0))).match(
      /text-anchor="(.*?)"/,
    );
  assert.equal(anchor({ fontFamily: "narrow" }, 10)[1], "middle");
  assert.equal(anchor({ fontFamily: "narrow" }, 5)[1], "start");
  assert.equal(anchor({}, 10)[1], "start"); // our font has the same width
});

test("a text keeps the side at which it is aligned", () => {
  const anchor = (style) => {
    const svg = drawn(block({ style }, textNode("ab", 10, 0)));
    return [...svg.match(/x="(\d+)".*text-anchor="(\w+)"/)].slice(1);
  };
  assert.deepEqual(anchor({ textAlign: "center" }), ["20", "middle"]);
  assert.deepEqual(anchor({ textAlign: "end" }), ["30", "end"]);
  assert.deepEqual(anchor({ textAlign: "justify" }), ["10", "start"]);
  assert.deepEqual(anchor({ direction: "rtl" }), ["30", "start"]);
  assert.deepEqual(anchor({ textAlign: "-webkit-center" }), ["20", "middle"]);
});

test("an upright text is rotated around its middle", () => {
  const style = { writingMode: "vertical-rl" };
  const places = [
    [10, 0],
    [10, 10],
  ];
  const svg = drawn(block({ style }, textNode("ab", 0, 0, places)));
  assert.match(svg, /^<text x="15" y="13" .*transform="rotate\(-90 15 10\)">ab<\/text>$/);
});

test("hidden elements, controls and the title are not drawn", () => {
  const text = textNode("a", 0, 0);
  const isDrawn = (properties, drawing) => drawn(block(properties, text), drawing) !== "";
  assert.equal(isDrawn({}), true);
  assert.equal(isDrawn({ style: { display: "none" } }), false);
  assert.equal(isDrawn({ style: { visibility: "hidden" } }), false);
  assert.equal(isDrawn({ style: { opacity: "0" } }), false);
  assert.equal(isDrawn({ className: "figure-bar" }), false);
  assert.equal(isDrawn({ className: "vega-bindings" }), false); // the sliders of a chart
  assert.equal(isDrawn({ className: "katex-mathml" }), false); // a formula for screen readers
  assert.equal(isDrawn({ name: "h2" }), true);
  assert.equal(isDrawn({ name: "h2" }, new Drawing(0, 0, "a")), false);
  assert.equal(isDrawn({ name: "h2" }, new Drawing(0, 0, "b")), true);
  assert.equal(isDrawn({}, new Drawing(0, 0, "a")), true);
  assert.equal(drawn({ nodeType: 8 }), ""); // a comment
});

test("a translucent element becomes a group with opacity", () => {
  const svg = drawn(block({ style: { opacity: "0.5" } }, textNode("a", 0, 0)));
  assert.match(svg, /^<g opacity="0.5"><text/);
  assert.equal(drawn(block({ style: { opacity: "0.5" } })), ""); // an empty element needs no group
});

test("a background becomes a rectangle, with round corners if its box has them", () => {
  const style = { backgroundColor: "rgb(1, 2, 3)", borderTopLeftRadius: "4px" };
  const drawing = new Drawing(1, 2);
  const svg = drawn(block({ style, box: [10, 20, 30, 40] }), drawing);
  assert.equal(svg, '<rect x="9" y="18" width="30" height="40" rx="4" fill="rgb(1, 2, 3)"></rect>');
  assert.deepEqual([drawing.up, drawing.right, drawing.bottom], [18, 39, 58]);
});

test("a box without a visible style or size is not drawn and does not extend the drawing", () => {
  const drawing = new Drawing(0, 0);
  assert.equal(drawn(block(), drawing), "");
  const style = { backgroundColor: "rgb(1, 2, 3)" };
  assert.equal(drawn(block({ style, box: [0, 0, 0, 9] }), drawing), "");
  assert.equal(drawn(block({ style, box: [0, 0, 9, 0] }), drawing), "");
  assert.deepEqual([drawing.right, drawing.bottom], [0, 0]);
});

function bordered(...widths) {
  const sides = ["Top", "Right", "Bottom", "Left"];
  const style = Object.fromEntries(
    sides.map((side, n) => [`border${side}Width`, `${widths[n]}px`]),
  );
  return drawn(block({ style, box: [10, 20, 30, 40] }));
}

test("a border is inside its box, and an outline is outside", () => {
  const paint = 'fill="none" stroke="rgb(9, 9, 9)" stroke-width="2"';
  assert.equal(
    bordered(2, 2, 2, 2),
    `<rect x="11" y="21" width="28" height="38" rx="0" ${paint}></rect>`,
  );
  const style = { outlineStyle: "solid", outlineWidth: "2px", outlineColor: "rgb(9, 9, 9)" };
  assert.equal(
    drawn(block({ style, box: [10, 20, 30, 40] })),
    `<rect x="9" y="19" width="32" height="42" rx="0" ${paint}></rect>`,
  );
  const none = { ...style, outlineStyle: "none" };
  assert.equal(drawn(block({ style: none, box: [10, 20, 30, 40] })), "");
});

test("an outline of no width is none", () => {
  const style = { outlineStyle: "auto", outlineWidth: "0px", outlineColor: "rgb(9, 9, 9)" };
  assert.equal(drawn(block({ style })), "");
});

test("a border only on some sides is a line on each of them", () => {
  const line = (box) => `<rect ${box} fill="rgb(9, 9, 9)"></rect>`;
  const [top, bottom] = ["20", "58"].map((y) => line(`x="10" y="${y}" width="30" height="2"`));
  const [left, right] = ["10", "38"].map((x) => line(`x="${x}" y="20" width="2" height="40"`));
  assert.equal(bordered(2, 0, 0, 0), top);
  assert.equal(bordered(0, 2, 0, 0), right);
  assert.equal(bordered(0, 0, 2, 0), bottom);
  assert.equal(bordered(0, 0, 0, 2), left);
  assert.equal(bordered(2, 0, 2, 2), top + bottom + left);
  assert.equal(bordered(0, 0, 0, 0), "");
});

test("a dashed border or outline has dashes", () => {
  const dashed = (style) => drawn(block({ style, box: [10, 20, 30, 40] }));
  const sides = ["Top", "Right", "Bottom", "Left"];
  const widths = Object.fromEntries(sides.map((side) => [`border${side}Width`, "3px"]));
  assert.match(dashed({ ...widths, borderTopStyle: "dashed" }), /stroke-dasharray="6 3"/);
  assert.doesNotMatch(dashed({ ...widths, borderTopStyle: "solid" }), /dasharray/);
  const outline = { outlineStyle: "dashed", outlineWidth: "2px", outlineColor: "rgb(9, 9, 9)" };
  assert.match(dashed(outline), /stroke-dasharray="4 2"/);
});

test("our own picture paints itself at its position, in its size on the page", () => {
  const canvas = block({ name: "canvas", box: [30, 40, 100, 50] });
  Object.assign(canvas, { width: 400, paintOn: (brush) => brush.fillRect(1, 2, 3, 4) });
  const svg = drawn(canvas, new Drawing(10, 10));
  assert.match(svg, /^<g transform="translate\(20 30\) scale\(0.25\)"><path d="M1 2h3v4h-3Z"/);
  canvas.box.width = 0;
  assert.equal(drawn(canvas), "");
  Object.assign(canvas.box, { width: 100, height: 0 });
  assert.equal(drawn(canvas), "");
});

test("on a screen with two pixels for each of the page it is as large as there", () => {
  globalThis.devicePixelRatio = 2;
  const canvas = block({ name: "canvas", box: [0, 0, 200, 100] });
  Object.assign(canvas, { width: 400, paintOn: (brush) => brush.fillRect(1, 2, 3, 4) });
  assert.match(drawn(canvas), /scale\(1\)/);
  globalThis.devicePixelRatio = 1;
});

test("a canvas that does not paint itself becomes an image", () => {
  const canvas = block({ name: "canvas", box: [30, 40, 100, 50] });
  canvas.toDataURL = () => "data:,";
  FakeBrush.prototype.getImageData = () => ({ data: [18, 52, 86] });
  assert.equal(
    drawn(canvas, new Drawing(10, 10)),
    '<image x="20" y="30" width="100" height="50" ' +
      'preserveAspectRatio="none" xlink:href="data:,"></image>',
  );
});

test("a scene in three dimensions is painted in light colours, and then as it was", () => {
  const node = block({ className: "js-plotly-plot", box: [0, 0, 100, 50] });
  const style = { position: "absolute" }; // as Plotly sets it
  node.append(block({ name: "canvas", box: [0, 0, 100, 50], style }));
  assert.equal(drawn(node), ""); // Plotly has not made it yet
  const plots = [];
  const colour = "#102030";
  const scene = { _scene: null, bgcolor: colour };
  const data = [{ color: colour }];
  Object.assign(node, { _fullLayout: { scene }, _fullData: data, layout: "the layout" });
  const plot = (given, layout, own) => plots.push([given[0].color, layout.scene.bgcolor, own]);
  scene._scene = { plot, toImage: (kind) => `data:${kind}` };
  setLightColours({ css: "", ink: "", swaps: { [colour]: "#fafbfc" } });
  page.root.toggleAttribute("data-dark", true);
  const drawing = new Drawing(0, 0);
  const image = /^<image x="0" y="0" width="100" height="50" .* xlink:href="data:png">/;
  assert.match(drawn(node, drawing), image);
  assert.deepEqual([drawing.up, drawing.right, drawing.bottom], [0, 100, 50]);
  page.root.toggleAttribute("data-dark", false);
  assert.deepEqual(plots, [
    ["#fafbfc", "#fafbfc", "the layout"],
    [colour, colour, "the layout"],
  ]);
  scene._scene.toImage = () => null;
  assert.equal(drawn(node), "");
});

FakeElement.prototype.cloneNode = function cloneNode(isDeep) {
  const copy = new FakeElement(this.localName);
  for (const [name, value] of this.attributes) copy.setAttribute(name, value);
  if (isDeep) copy.append(...this.childNodes.map((child) => child.cloneNode?.(true) ?? child));
  return copy;
};
globalThis.XMLSerializer = class {
  serializeToString({ localName, attributes, childNodes }) {
    const texts = [...attributes].map(([name, value]) => ` ${name}="${value}"`);
    const content = childNodes.map((node) =>
      node.localName ? this.serializeToString(node) : node,
    );
    return `<${localName}${texts.join("")}>${content.join("")}</${localName}>`;
  }
};

function svgNode(name, attributes, style, ...children) {
  const made = new FakeElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  Object.assign(made.style, style);
  made.append(...children);
  return made;
}

// An SVG of our own has its styles in a style sheet. The SVG of a chart has attributes.
function savedSvg(isOurs, attributes, ...children) {
  const svg = svgNode("svg", attributes, {}, ...children);
  svg.box = { left: 10, top: 20, width: 300, height: 200 };
  if (isOurs) svg.getRootNode = () => new ShadowRoot();
  return drawn(svg);
}

const LOOK = { fill: "rgb(1, 2, 3)", fillOpacity: "1", stroke: "none", opacity: "1" };

test("our own SVG gets its styles as attributes, except for defaults of all programs", () => {
  const look = { ...LOOK, "stroke-width": "2px", "stroke-linejoin": "miter", "font-weight": "600" };
  const part = svgNode("rect", { class: "box", "data-name": "a", x: 1, stroke: "red" }, look);
  assert.equal(
    savedSvg(true, { viewBox: "0 0 9 9", class: "own" }, part).replace(/ class=".*?"/, ""),
    '<svg viewBox="0 0 9 9" x="10" y="20" width="300" height="200">' +
      '<rect x="1" stroke-width="2" font-weight="600" fill="rgb(1, 2, 3)"></rect></svg>',
  );
});

test("two opacities are multiplied, and full opacity is not written", () => {
  const opacityOf = (style) => {
    const svg = savedSvg(true, { viewBox: "0 0 9 9" }, svgNode("path", {}, { ...LOOK, ...style }));
    return svg.match(/fill-opacity="(.*?)"/)?.[1];
  };
  assert.equal(opacityOf({}), undefined);
  assert.equal(opacityOf({ fillOpacity: "0.5" }), "0.5");
  assert.equal(opacityOf({ fill: "rgba(1, 2, 3, 0.5)", fillOpacity: "0.5" }), "0.25");
});

test("a group keeps only its opacity, which applies to its parts together", () => {
  const style = { ...LOOK, opacity: "0.4", "stroke-width": "2px" };
  const svg = savedSvg(true, { viewBox: "0 0 9 9" }, svgNode("g", {}, style));
  assert.match(svg, /<g opacity="0.4"><\/g>/);
});

test("font weights are rounded to hundreds, which every program supports", () => {
  const weightOf = (weight) => {
    const part = svgNode("path", {}, { ...LOOK, "font-weight": weight });
    return savedSvg(true, { viewBox: "0 0 9 9" }, part).match(/font-weight="(\d+)"/)[1];
  };
  assert.deepEqual([weightOf("600"), weightOf("550"), weightOf("449")], ["600", "600", "400"]);
});

test("a vertically centred text is moved down to its baseline", () => {
  const yOf = (dominantBaseline) => {
    const text = svgNode("text", { y: 50 }, { ...LOOK, dominantBaseline });
    return savedSvg(true, { viewBox: "0 0 9 9" }, text).match(/<text y="(\d+)"/)[1];
  };
  // the baseline is (8 - 2) / 2 below the middle
  assert.deepEqual([yOf("central"), yOf("auto")], ["53", "50"]);
});

test("a chart keeps its attributes and gets a viewBox of its size and unique ids", () => {
  const clip = svgNode("path", { id: "a", fill: "currentColor", "clip-path": "url(#b)" });
  const chart = () => savedSvg(false, {}, clip.cloneNode());
  const [first, second] = [chart(), chart()];
  assert.match(first, /viewBox="0 0 300 200"/);
  assert.match(first, /fill="rgb\(0, 0, 0\)"/); // the text colour of the page
  const [, id] = first.match(/ id="(.*?)"/);
  assert.ok(first.includes(`url(#${id.slice(0, -1)}b)`));
  assert.notEqual(second.match(/ id="(.*?)"/)[1], id);
});

test("a chart that is wider than its column or its figure on paper shrinks to it", () => {
  const row = block({ box: [0, 0, 400, 400] });
  const chart = block({ className: "stVegaLiteChart" });
  row.append(chart);
  const svg = svgNode("svg", {}, {});
  svg.box = { left: 10, top: 20, width: 300, height: 200 };
  chart.append(svg);
  const placed = (clientWidth) => {
    chart.clientWidth = clientWidth;
    const drawing = new Drawing(0, 0);
    const [, width, height] = drawn(svg, drawing).match(/ width="(.*?)" height="(.*?)"/);
    return [width, height, drawing.right, drawing.bottom];
  };
  const [shrunk, whole] = [
    ["150", "100", 160, 120],
    ["300", "200", 310, 220],
  ];
  row.className = "st-key-figure-a";
  assert.deepEqual(placed(150), whole); // alone
  row.append(block({ className: "stBidiComponent" }));
  assert.deepEqual([placed(150), placed(600)], [shrunk, whole]);
  row.className = "";
  assert.deepEqual(placed(150), whole);
  row.setAttribute("data-beside", "");
  assert.deepEqual([placed(150), placed(600)], [shrunk, whole]);
});

test("a label that was cut is whole, in letters that keep its width", () => {
  const label = (length) => {
    const text = svgNode("text", { "data-whole": "" }, { ...LOOK, ...STYLE, fontSize: "20px" });
    text.append("stud…");
    text.dataset.whole = "students"; // 80 pixels
    text.getComputedTextLength = () => length;
    return text;
  };
  const written = (length) => {
    const [, size, text] = savedSvg(true, { viewBox: "0 0 9 9" }, label(length)).match(
      /<text.*?(?: font-size="(.*?)".*?)?>(.*?)<\/text>/,
    );
    return [size, text];
  };
  assert.deepEqual(written(40), ["10", "students"]);
  assert.deepEqual(written(100), ["20", "students"]); // there is room
});

test("a label of a chart that begins with a right-to-left word keeps the order of its own", () => {
  const svg = savedSvg(false, {}, svgNode("text", {}, {}, "אב 1"));
  assert.match(svg, /<text unicode-bidi="plaintext">/);
});
