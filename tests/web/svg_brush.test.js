// What a picture paints, as SVG: one shape after another, each checked by hand.

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
  "#000": [0, 0, 0, 255],
  red: [255, 0, 0, 255],
  glass: [0, 0, 255, 51],
  transparent: [0, 0, 0, 0],
};

// A canvas that knows four colours and, as a real one does, ignores what is no colour; every text is
// 8 pixels high above its line and 2 below it.
class Canvas {
  #fillStyle = "#000";

  append() {}

  dataset = {};

  get fillStyle() {
    return this.#fillStyle;
  }

  set fillStyle(style) {
    if (style in COLOURS) this.#fillStyle = style;
  }

  getContext() {
    return this;
  }

  clearRect() {}

  fillRect() {}

  drawImage(...image) {
    this.image = image;
  }

  getImageData() {
    return { data: COLOURS[this.fillStyle] };
  }

  measureText() {
    return { fontBoundingBoxAscent: 8, fontBoundingBoxDescent: 2 };
  }

  toDataURL() {
    return `data:${this.width}×${this.height}:${this.image.slice(1).join(" ")}`;
  }
}

globalThis.document = { createElement: () => new Canvas() };

function paintedBy(paint) {
  const brush = new SvgBrush();
  paint(brush);
  return brush.parts.join("\n");
}

test("what is not painted stays without a colour, whatever was painted before", () => {
  assert.deepEqual(paintAttributes("fill", "red"), { fill: "rgb(255, 0, 0)", "fill-opacity": "" });
  assert.deepEqual(paintAttributes("fill", "none"), { fill: "none" });
  assert.deepEqual(paintAttributes("stroke", "none"), { stroke: "none" });
});

test("a filled rectangle is a path around its box, rounded to hundredths", () => {
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

test("a line leads from point to point", () => {
  const svg = paintedBy((brush) => {
    brush.beginPath();
    brush.moveTo(1, 2);
    brush.lineTo(3, -4);
    brush.stroke();
  });
  assert.match(svg, /^<path d="M1 2L3 -4" fill="none" stroke="rgb\(0, 0, 0\)" stroke-width="1">/);
});

test("a curve has two points that it leans to", () => {
  const svg = paintedBy((brush) => {
    brush.moveTo(0, 0);
    brush.bezierCurveTo(1, 2, 3, 4, 5, 6);
    brush.fill();
  });
  assert.match(svg, /^<path d="M0 0C1 2 3 4 5 6" fill=/);
});

test("a path that is begun again forgets what came before", () => {
  const svg = paintedBy((brush) => {
    brush.moveTo(9, 9);
    brush.beginPath();
    brush.moveTo(1, 1);
    brush.fill();
  });
  assert.match(svg, /d="M1 1"/);
});

test("what one sees through keeps its colour and its opacity apart", () => {
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

test("moved and turned shapes say so, and restoring ends it", () => {
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

test("a text stands on its line; in the middle of it, it is moved down by half of its height", () => {
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
    '<text x="3" y="13" font-size="14" font-weight="bold" text-anchor="middle" fill="rgb(0, 0, 0)">x</text>',
  );
});

test("a text that ends at a point begins there if it is read from right to left", () => {
  assert.deepEqual(anchorAttributes("left", "ltr"), { "text-anchor": "start" });
  assert.deepEqual(anchorAttributes("right", "ltr"), { "text-anchor": "end" });
  assert.deepEqual(anchorAttributes("right", "rtl"), { direction: "rtl", "text-anchor": "start" });
  assert.deepEqual(anchorAttributes("left", "rtl"), { direction: "rtl", "text-anchor": "end" });
  assert.deepEqual(anchorAttributes("middle", "rtl"), {
    direction: "rtl",
    "text-anchor": "middle",
  });
});

test("a picture of cells is three times as large, so that its cells stay sharp", () => {
  const whole = paintedBy((brush) => brush.drawImage("cells", 5, 6, 20, 10));
  assert.equal(
    whole,
    '<image x="5" y="6" width="20" height="10" preserveAspectRatio="none" href="data:60×30:0 0 60 30"></image>',
  );
  const part = paintedBy((brush) => brush.drawImage("cells", 1, 2, 3, 4, 5, 6, 20, 10));
  assert.match(part, /href="data:60×30:1 2 3 4 0 0 60 30"/);
  const tiny = paintedBy((brush) => brush.drawImage("cells", 0, 0, 0.1, 0.1));
  assert.match(tiny, /href="data:1×1:/);
});

test("what is clipped is in a group that names its clip", () => {
  const svg = paintedBy((brush) => {
    brush.rect(0, 0, 5, 5);
    brush.clip();
    brush.fillRect(0, 0, 9, 9);
  });
  const [clip, group] = svg.split("\n");
  const [, id] = clip.match(/^<clipPath id="(.*?)"><path d="M0 0h5v5h-5Z"><\/path><\/clipPath>$/);
  assert.ok(group.startsWith(`<g clip-path="url(#${id})"><path d="M0 0h9v9h-9Z"`));
});

test("an element has no empty attributes, and a text no sign that XML does not have", () => {
  assert.equal(svgElement("g", { id: "", width: undefined, x: 0 }), '<g x="0"></g>');
  assert.equal(escapeXml('"a" & \0\ud800'), "&quot;a&quot; &amp; \ufffd\ufffd");
});
