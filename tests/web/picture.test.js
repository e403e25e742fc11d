// The base of every picture: when it is drawn, and its tables.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { Picture } from "../../web/pictures/picture.js";

class Drawn extends Picture {
  drawings = 0;

  draw() {
    this.drawings += 1;
  }

  tables() {
    this.written = (this.written ?? 0) + 1;
    return ["the tables"];
  }
}

function begun() {
  const page = new FakePage();
  const observers = [];
  globalThis.ResizeObserver = class {
    constructor(act) {
      this.act = act;
      observers.push(this);
    }

    observe(node) {
      this.node = node;
    }

    disconnect() {
      this.node = null;
    }
  };
  const picture = new Drawn(page.body);
  const [observer] = observers;
  const node = page.add("div", { clientWidth: 100 });
  const resize = () => observer.act([{ target: node }]);
  return { page, picture, observer, node, resize };
}

test("a picture begins without a tip, and its canvas is hidden from screen readers", () => {
  const { page, picture } = begun();
  assert.ok(page.body.contains(picture.root));
  assert.equal(picture.tip.hidden, true);
  assert.equal(picture.canvas.ariaHidden, true);
  assert.deepEqual([picture.tablesBox.tabIndex, picture.tablesBox.role], [0, "region"]);
  assert.equal(picture.live.ariaLive, "polite");
});

test("a picture is drawn when its size changes or the page asks, but only if it has a size", () => {
  const { picture, observer, node, resize } = begun();
  picture.drawWith(node);
  assert.equal(observer.node, node);
  resize();
  assert.equal(picture.drawings, 1);
  dispatchEvent(new Event("redraw"));
  assert.equal(picture.drawings, 2);
  node.clientWidth = 0; // for example in a view that is hidden
  resize();
  dispatchEvent(new Event("redraw"));
  assert.equal(picture.drawings, 2);
});

test("a picture listens once, also after it was shown again, and until it leaves the page", () => {
  const { picture, observer, node } = begun();
  picture.drawWith(node);
  picture.drawWith(node);
  let heard = 0;
  picture.listen("own", () => (heard += 1));
  dispatchEvent(new Event("redraw"));
  dispatchEvent(new Event("own"));
  assert.deepEqual([picture.drawings, heard], [1, 1]);
  picture.stop();
  dispatchEvent(new Event("redraw"));
  dispatchEvent(new Event("own"));
  assert.deepEqual([picture.drawings, heard, observer.node], [1, 1, null]);
});

test("the tables of a picture are written only while they are open", () => {
  const { picture, node } = begun();
  picture.drawWith(node, "As a table");
  assert.deepEqual(
    [picture.summary.textContent, picture.tablesBox.ariaLabel],
    ["As a table", "As a table"],
  );
  assert.equal(picture.written, undefined);
  picture.details.open = true;
  picture.details.ontoggle();
  assert.equal(picture.tablesBox.textContent, "the tables");
  picture.writeTables(); // by default with the same name
  assert.deepEqual([picture.written, picture.summary.textContent], [2, "As a table"]);
});

test("a canvas paints itself with the brush of a file", () => {
  const { picture } = begun();
  picture.paint = (brush) => `painted with ${brush}`;
  assert.equal(picture.canvas.paintOn("a brush"), "painted with a brush");
});
