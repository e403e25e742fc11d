// A browser that gives the box of a zoomed element in the pixels of the element.

import assert from "node:assert/strict";
import test from "node:test";

import { standardiseBoxes } from "../../web/app/tools/zoomed_boxes.js";

const OWN = { x: 10, y: 20, width: 30, height: 40 }; // the box that this browser gives

class OldElement {
  constructor(zoom, { parentElement = null, host = undefined } = {}) {
    Object.assign(this, { nodeType: 1, zoom, parentElement, host });
  }

  getRootNode() {
    return { host: this.host };
  }

  getBoundingClientRect() {
    return OWN;
  }
}

class OldRange {
  constructor(commonAncestorContainer) {
    this.commonAncestorContainer = commonAncestorContainer;
  }

  getBoundingClientRect() {
    return OWN;
  }
}

Object.assign(globalThis, {
  Element: OldElement,
  Range: OldRange,
  Node: { ELEMENT_NODE: 1 },
  getComputedStyle: ({ zoom }) => ({ zoom }),
  DOMRect: class {
    constructor(...numbers) {
      this.numbers = numbers;
    }
  },
});

const boxOf = (each) => each.getBoundingClientRect().numbers;
const page = new OldElement("1");
const picture = new OldElement("1.5", { parentElement: page });
const canvas = new OldElement("2", { host: picture }); // in the shadow root of the picture

test("a box is in pixels of the screen, whatever is zoomed around it", () => {
  standardiseBoxes();
  standardiseBoxes(); // each page shows its tools
  assert.deepEqual(boxOf(page), [10, 20, 30, 40]);
  assert.deepEqual(boxOf(picture), [15, 30, 45, 60]);
  assert.deepEqual(boxOf(canvas), [30, 60, 90, 120]);
});

test("the box of a text is in pixels of the screen, too", () => {
  standardiseBoxes();
  assert.deepEqual(boxOf(new OldRange({ nodeType: 3, parentElement: canvas })), [30, 60, 90, 120]);
  assert.deepEqual(boxOf(new OldRange(picture)), [15, 30, 45, 60]);
});

test("the methods of a browser that follows the standard stay", () => {
  class NewElement {
    get currentCSSZoom() {
      return 2;
    }

    getBoundingClientRect() {}
  }
  globalThis.Element = NewElement;
  const { getBoundingClientRect } = NewElement.prototype;
  standardiseBoxes();
  assert.equal(NewElement.prototype.getBoundingClientRect, getBoundingClientRect);
});
