// The shapes that a picture paints, written as SVG, and compared with results by hand.

import assert from "node:assert/strict";
import test from "node:test";

import {
  anchorAttributes,
  escapeXml,
  paintAttributes,
  svgElement,
} from "../../web/app/tools/svg.js";
import { SvgBrush } from "../../web/app/tools/svg_brush.js";

const COLOURS = {
  red: "rgb(255, 0, 0)",
  glass: "color(srgb 0 0 1 / 0.2)",
  transparent: "rgba(0, 0, 0, 0)",
};

// Every text reaches 8 pixels above its baseline and 2 pixels below it.
class Element {
  style = {};

  dataset = {};

  append() {}

  getContext() {
    return this;
  }

  measureText() {
    return { fontBoundingBoxAscent: 8, fontBoundingBoxDescent: 2 };
  }
}

globalThis.document = { createElement: () => new Element(), body: new Element() };
globalThis.getComputedStyle = ({ style }) => ({ color: COLOURS[style.color] });

function paintedBy(paint) {
  const brush = new SvgBrush();
  paint(brush);
  return brush.parts.join("\n");
}

test("an unpainted path has no colour, whatever was painted before", () => {
  assert.deepEqual(paintAttributes("fill", "red"), { fill: "rgb(255, 0, 0)", "fill-opacity": "" });
  assert.deepEqual(paintAttributes("fill", "none"), { fill: "none" });
  assert.deepEqual(paintAttributes("stroke", "none"), { stroke: "none" });
});

test("a filled rectangle becomes a path, rounded to hundredths", () => {
  const svg = paintedBy((brush) => brush.fillRect(1, 2.345, 30, 4));
  assert.equal(svg, '<path d="M1 2.35h30v4h-30Z" fill="rgb(0, 0, 0)"></path>');
});

test("a framed rectangle is not filled", () => {
  const svg = paintedBy((brush) => {
    brush.strokeStyle = "red";
    brush.lineWidth = 2;
    brush.strokeRect(0, 0, 5, 6);
  });
  assert.equal(
    svg,
    '<path d="M0 0h5v6h-5Z" fill="none" stroke="rgb(255, 0, 0)" stroke-width="2"></path>',
  );
});

test("a line goes from point to point", () => {
  const svg = paintedBy((brush) => {
    brush.beginPath();
    brush.moveTo(1, 2);
    brush.lineTo(3, -4);
    brush.stroke();
  });
  assert.match(svg, /^<path d="M1 2L3 -4" fill="none" stroke="rgb\(0, 0, 0\)" stroke-width="1">/);
});

test("a Bézier curve has two control points", () => {
  const svg = paintedBy((brush) => {
    brush.moveTo(0, 0);
    brush.bezierCurveTo(1, 2, 3, 4, 5, 6);
    brush.fill();
  });
  assert.match(svg, /^<path d="M0 0C1 2 3 4 5 6" fill=/);
});

test("a new path does not contain the previous path", () => {
  const svg = paintedBy((brush) => {
    brush.moveTo(9, 9);
    brush.beginPath();
    brush.moveTo(1, 1);
    brush.fill();
  });
  assert.match(svg, /d="M1 1"/);
});

test("a translucent colour is written as a colour and an opacity", () => {
  assert.deepEqual(paintAttributes("fill", "glass"), {
    fill: "rgb(0, 0, 255)",
    "fill-opacity": 0.2,
  });
  assert.deepEqual(paintAttributes("stroke", "transparent"), { stroke: "none" });
  const svg = paintedBy((brush) => {
    brush.globalAlpha = 0.35;
    brush.fillRect(0, 0, 1, 1);
  });
  assert.match(svg, / opacity="0.35"/);
});

test("moved and rotated shapes have a transform, which restore ends", () => {
  const svg = paintedBy((brush) => {
    brush.save();
    brush.translate(10, 20);
    brush.rotate(-Math.PI / 2);
    brush.fillRect(0, 0, 1, 1);
    brush.restore();
    brush.fillRect(0, 0, 1, 1);
  });
  const [moved, plain] = svg.split("\n");
  assert.match(moved, / transform="translate\(10 20\) rotate\(-90\)"/);
  assert.doesNotMatch(plain, /transform/);
});

test("a text is written on its baseline; a vertically centred text is moved down", () => {
  const onTheLine = paintedBy((brush) => brush.fillText("a < b", 3, 10));
  assert.equal(
    onTheLine,
    '<text x="3" y="10" font-size="10" text-anchor="start" fill="rgb(0, 0, 0)">a &lt; b</text>',
  );
  const inTheMiddle = paintedBy((brush) => {
    brush.font = "bold 14px sans-serif";
    brush.textAlign = "center";
    brush.textBaseline = "middle";
    brush.fillText("x", 3, 10);
  });
  assert.equal(
    inTheMiddle,
    '<text x="3" y="13" font-size="14" font-weight="bold" text-anchor="middle" ' +
      'fill="rgb(0, 0, 0)">x</text>',
  );
});

test("a right-aligned text from right to left has its anchor at its start", () => {
  assert.deepEqual(anchorAttributes("left", "ltr"), { "text-anchor": "start" });
  assert.deepEqual(anchorAttributes("right", "ltr"), { "text-anchor": "end" });
  assert.deepEqual(anchorAttributes("right", "rtl"), { direction: "rtl", "text-anchor": "start" });
  assert.deepEqual(anchorAttributes("left", "rtl"), { direction: "rtl", "text-anchor": "end" });
  assert.deepEqual(anchorAttributes("middle", "rtl"), {
    direction: "rtl",
    "text-anchor": "middle",
  });
});

const RED = 0xff0000ff; // in little-endian order
const BLUE = 0xffff0000;

function image(...rows) {
  return { cells: { columns: rows[0].length, colours: Uint32Array.from(rows.flat()) } };
}

test("all cells of one colour become one path, and empty cells are not painted", () => {
  const cells = image([RED, RED, BLUE], [0, BLUE, RED]);
  assert.equal(
    paintedBy((brush) => brush.drawImage(cells, 5, 6, 30, 20)),
    '<g shape-rendering="crispEdges" transform="translate(5 6) scale(10 10)">' +
      '<path d="M0 0H2v1H0ZM2 1H3v1H2Z" fill="rgb(255,0,0)"></path>' +
      '<path d="M2 0H3v1H2ZM1 1H2v1H1Z" fill="rgb(0,0,255)"></path></g>',
  );
});

test("a part of an image is painted without the rest", () => {
  const cells = image([RED, BLUE, RED], [RED, RED, BLUE]);
  const part = paintedBy((brush) => brush.drawImage(cells, 1, 1, 2, 1, 0, 0, 8, 4));
  assert.match(part, /scale\(4 4\)"><path d="M0 0H1v1H0Z" fill="rgb\(255,0,0\)"/);
  assert.match(part, /<path d="M1 0H2v1H1Z" fill="rgb\(0,0,255\)"/);
});

test("cells smaller than a pixel are painted in their mean colour", () => {
  const cells = image([RED, BLUE, RED, BLUE]);
  const tiny = paintedBy((brush) => brush.drawImage(cells, 0, 0, 2, 1));
  assert.match(tiny, /scale\(1 1\)"><path d="M0 0H2v1H0Z" fill="rgb\(128,0,128\)"/);
});

test("the transform of an image does not move later shapes", () => {
  const svg = paintedBy((brush) => {
    brush.drawImage(image([RED]), 5, 6, 30, 20);
    brush.fillRect(0, 0, 1, 1);
  });
  assert.doesNotMatch(svg.split("\n")[1], /transform/);
});

test("clipped shapes are in a group that names its clip path", () => {
  const svg = paintedBy((brush) => {
    brush.rect(0, 0, 5, 5);
    brush.clip();
    brush.fillRect(0, 0, 9, 9);
  });
  const [clip, group] = svg.split("\n");
  const [, id] = clip.match(/^<clipPath id="(.*?)"><path d="M0 0h5v5h-5Z"><\/path><\/clipPath>$/);
  assert.ok(group.startsWith(`<g clip-path="url(#${id})"><path d="M0 0h9v9h-9Z"`));
});

test("an element has no empty attributes, and a text has no character that XML forbids", () => {
  assert.equal(svgElement("g", { id: "", width: undefined, x: 0 }), '<g x="0"></g>');
  assert.equal(escapeXml('"a" & \0\ud800'), "&quot;a&quot; &amp; \ufffd\ufffd");
});
