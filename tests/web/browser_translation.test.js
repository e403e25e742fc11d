// A browser that translates a page replaces its texts by elements. React still knows the texts.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { watchTranslation } from "../../web/app/tools/browser_translation.js";

// A node with those methods of the browser that React calls to change a page.
class FakeNode {
  static TEXT_NODE = 3;

  constructor(name) {
    Object.assign(this, { localName: name, nodeType: name ? 1 : 3, parentNode: null, nodes: [] });
  }

  get isConnected() {
    return this === body || Boolean(this.parentNode?.isConnected);
  }

  contains(node) {
    return node === this || this.nodes.some((each) => each.contains(node));
  }

  removeChild(child) {
    if (child.parentNode !== this) throw new Error("NotFoundError");
    this.nodes.splice(this.nodes.indexOf(child), 1);
    child.parentNode = null;
    return child;
  }

  insertBefore(node, next) {
    if (next && next.parentNode !== this) throw new Error("NotFoundError");
    node.parentNode?.removeChild(node);
    this.nodes.splice(next ? this.nodes.indexOf(next) : this.nodes.length, 0, node);
    node.parentNode = this;
    return node;
  }

  replaceWith(node) {
    const parent = this.parentNode;
    parent.insertBefore(node, this);
    parent.removeChild(this);
  }
}
globalThis.Node = FakeNode;

let watched = null; // the observer of the page
const textObservers = new Map(); // text -> its observer
globalThis.MutationObserver = class {
  constructor(act) {
    this.act = act;
  }

  observe(node, options) {
    if (options.characterData) textObservers.set(node, this);
    else watched = [this.act, node, options];
  }

  disconnect() {
    this.isOver = true;
  }
};

new FakePage();
let body = new FakeNode("body");
document.body = body;
const { signal } = new AbortController();
watchTranslation(signal);

// A sentence with a text, which the browser then translates.
function translated() {
  body = new FakeNode("body");
  const [p, text, font] = [new FakeNode("p"), new FakeNode(), new FakeNode("font")];
  body.insertBefore(p);
  p.insertBefore(text);
  text.replaceWith(font);
  note({ removedNodes: [text], addedNodes: [font] });
  return { p, text, font };
}

function note(record) {
  const none = { previousSibling: null, nextSibling: null };
  watched[0]([{ addedNodes: [], removedNodes: [], ...none, ...record }]);
}

test("the whole page is watched", () => {
  assert.equal(watched[1].localName, "body");
  assert.deepEqual(watched[2], { childList: true, subtree: true });
});

test("when React removes a text, its translation goes", () => {
  const { p, text } = translated();
  assert.equal(p.removeChild(text), text);
  assert.deepEqual(p.nodes, []);
});

test("when React inserts before a text, it is before the translation", () => {
  const { p, text, font } = translated();
  const added = new FakeNode("b");
  p.insertBefore(added, text);
  assert.deepEqual(p.nodes, [added, font]);
  const last = new FakeNode("i");
  p.insertBefore(last, null);
  assert.equal(p.nodes.at(-1), last);
});

test("a translation is also one that is beside the removed text", () => {
  for (const side of ["previousSibling", "nextSibling"]) {
    body = new FakeNode("body");
    const [p, text, font] = [new FakeNode("p"), new FakeNode(), new FakeNode("font")];
    body.insertBefore(p);
    p.insertBefore(font);
    note({ removedNodes: [text], [side]: font });
    p.removeChild(text);
    assert.deepEqual(p.nodes, [], side);
  }
});

test("an element around the translation, or around a node of ours, is removed with it", () => {
  const { p, text, font } = translated();
  const outer = new FakeNode("font");
  font.replaceWith(outer);
  outer.insertBefore(font);
  p.removeChild(text);
  assert.deepEqual(p.nodes, []);

  const [link, wrapper] = [new FakeNode("a"), new FakeNode("font")];
  p.insertBefore(wrapper);
  wrapper.insertBefore(link);
  p.removeChild(link);
  assert.deepEqual(p.nodes, []);
});

test("a text that was moved, or removed without a translation, is not taken for translated", () => {
  body = new FakeNode("body");
  const [p, text] = [new FakeNode("p"), new FakeNode()];
  body.insertBefore(p);
  const gone = new FakeNode("font"); // a node that has left the page again
  note({ removedNodes: [text], addedNodes: [gone] });
  note({ removedNodes: [text], addedNodes: [new FakeNode("b")] });
  assert.equal(p.removeChild(text), text); // nothing shows it, nothing is removed
  const font = p.insertBefore(new FakeNode("font"));
  p.insertBefore(text);
  note({ removedNodes: [text], addedNodes: [font] }); // the text is still on the page
  p.removeChild(text);
  assert.deepEqual(p.nodes, [font]);
  const element = new FakeNode("b");
  note({ removedNodes: [element], addedNodes: [font] }); // an element, not a text
  p.removeChild(element);
  assert.deepEqual(p.nodes, [font]);
});

test("a node that is elsewhere on the page is an error, as without our changes", () => {
  const { p } = translated();
  const other = body.insertBefore(new FakeNode("p"));
  const inOther = other.insertBefore(new FakeNode("b"));
  assert.throws(() => p.removeChild(inOther), /NotFoundError/);
  assert.throws(() => p.insertBefore(new FakeNode("i"), inOther), /NotFoundError/);
});

test("a new text, for example in another language, takes the place of the translation", () => {
  const { p, text } = translated();
  const observer = textObservers.get(text);
  observer.act();
  assert.equal(observer.isOver, true);
  assert.deepEqual(p.nodes, [text]);
  p.removeChild(text);
  assert.deepEqual(p.nodes, []);
});

test("a text whose translation has left the page stays away", () => {
  const { p, text, font } = translated();
  p.removeChild(font);
  textObservers.get(text).act();
  assert.deepEqual(p.nodes, []);
});

test("nodes are changed once", () => {
  const { removeChild } = FakeNode.prototype;
  watchTranslation(signal);
  assert.equal(FakeNode.prototype.removeChild, removeChild);
});

test("a text that has replaced its translation is an ordinary text again", () => {
  const { p, text } = translated();
  textObservers.get(text).act();
  const other = body.insertBefore(new FakeNode("p"));
  other.insertBefore(text);
  assert.throws(() => p.removeChild(text), /NotFoundError/);
});
