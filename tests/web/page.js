// A page for tests in Node, which has none. It has only what the scripts in web/ use.
// There is no layout: an element has the sizes that a test sets.

import { readFileSync } from "node:fs";

// A part of a selector: a combinator, or one condition of an element.
const PART = new RegExp(
  [
    String.raw`\s*([\s>])\s*`,
    String.raw`:(is|not|has)\(((?:[^()]|\([^()]*\))*)\)`,
    String.raw`([#.:]?[\w-]+|\*)`,
    String.raw`\[([\w-]+)(?:([*^$]?)="?([^\]"]*)"?)?\]`,
  ].join("|"),
  "gy",
);
const TAG = /<(\/?)([a-z]\w*)([^>]*)>|([^<]+)/g;
const ATTRIBUTE = /([\w-]+)(="(.*?)")?/g;

// Splits a selector at its commas, except those in brackets.
function alternatives(selector) {
  let depth = 0;
  const marked = selector.replace(/[()[\],]/g, (sign) => {
    if (sign === ",") return depth ? sign : "\0";
    depth += "([".includes(sign) ? 1 : -1;
    return sign;
  });
  return marked.split("\0");
}

function partsOf(selector) {
  const parts = [...selector.matchAll(PART)];
  const known = parts.map(([part]) => part).join("");
  if (known !== selector) throw new SyntaxError(`'${selector}' is not a selector`);
  return parts;
}

/** An element. Its properties are plain fields, such as those that `element` in web/ sets. */
export class FakeElement extends EventTarget {
  /** @param {string} localName */
  constructor(localName) {
    super();
    this.localName = localName;
    this.attributes = new Map();
    this.childNodes = [];
    this.parentNode = null;
    this.dataset = {};
    this.className = "";
    this.style = new FakeStyle();
    this.box = { left: 0, top: 0, width: 0, height: 0 };
  }

  get children() {
    return this.childNodes.filter((node) => node instanceof FakeElement);
  }

  get parentElement() {
    return this.parentNode?.localName === "#shadow-root" ? null : this.parentNode;
  }

  set parentElement(parent) {
    this.parentNode = parent;
  }

  get lastChild() {
    return this.childNodes.at(-1) ?? null;
  }

  get nextElementSibling() {
    return this.beside(1);
  }

  get previousElementSibling() {
    return this.beside(-1);
  }

  beside(by) {
    const siblings = this.parentNode?.children ?? [];
    return siblings[siblings.indexOf(this) + by] ?? null;
  }

  get isConnected() {
    return this === document.documentElement || Boolean(this.parentNode?.isConnected);
  }

  get classList() {
    const names = () => this.className.split(" ").filter(Boolean);
    return {
      add: (...added) => added.forEach((name) => this.classList.toggle(name, true)),
      contains: (name) => names().includes(name),
      remove: (name) => this.classList.toggle(name, false),
      toggle: (name, isOn) => {
        const others = names().filter((each) => each !== name);
        this.className = (isOn ? [...others, name] : others).join(" ");
      },
    };
  }

  get textContent() {
    return this.childNodes.map((node) => node?.textContent ?? String(node)).join("");
  }

  set textContent(text) {
    this.childNodes = text === "" ? [] : [text];
  }

  append(...nodes) {
    for (const node of nodes) {
      if (!(node instanceof FakeElement)) continue;
      node.remove();
      node.parentNode = this;
    }
    this.childNodes.push(...nodes);
  }

  replaceChildren(...nodes) {
    for (const child of this.children) child.parentNode = null;
    this.childNodes = [];
    this.append(...nodes);
  }

  remove() {
    this.replaceWith();
  }

  replaceWith(...nodes) {
    const parent = this.parentNode;
    if (!parent) return;
    const at = parent.childNodes.indexOf(this);
    parent.childNodes.splice(at, 1, ...nodes);
    this.parentNode = null;
    for (const node of nodes) node.parentNode = parent;
  }

  before(...nodes) {
    this.parentNode.childNodes.splice(this.parentNode.childNodes.indexOf(this), 0, ...nodes);
    for (const node of nodes) node.parentNode = this.parentNode;
  }

  after(node) {
    this.parentNode.childNodes.splice(this.parentNode.childNodes.indexOf(this) + 1, 0, node);
    node.parentNode = this.parentNode;
  }

  contains(node) {
    return node === this || this.children.some((child) => child.contains(node));
  }

  setAttribute(name, value) {
    this.attributes.set(name, String(value));
    if (name === "class") this.className = String(value);
    if (name.startsWith("data-")) this.dataset[name.slice(5)] = String(value);
  }

  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }

  hasAttribute(name) {
    return this.attributes.has(name);
  }

  removeAttribute(name) {
    this.attributes.delete(name);
  }

  toggleAttribute(name, isOn = !this.hasAttribute(name)) {
    if (isOn) this.setAttribute(name, "");
    else this.removeAttribute(name);
  }

  getBoundingClientRect() {
    const { left, top, width, height } = this.box;
    return { left, top, width, height, right: left + width, bottom: top + height };
  }

  getRootNode() {
    return document;
  }

  getContext() {
    this.brush ??= new FakeBrush();
    return this.brush;
  }

  attachShadow() {
    this.shadowRoot = new FakeElement("#shadow-root");
    return this.shadowRoot;
  }

  focus() {
    document.activeElement = this;
  }

  click() {
    const event = new Event("click");
    this.onclick?.(event);
    this.dispatchEvent(event);
  }

  /**
   * @param {string} selector with descendants, children, :is(), :not() and :has()
   * @returns {boolean}
   */
  matches(selector) {
    return alternatives(selector).some((each) => this.isEndOf(partsOf(each.trim())));
  }

  // Returns whether the parts of a selector lead to this element.
  isEndOf(parts) {
    const at = parts.findLastIndex(([, combinator]) => combinator);
    if (!parts.slice(at + 1).every((part) => this.has(...part))) return false;
    if (at < 0) return true;
    const earlier = parts.slice(0, at);
    const parent = this.parentNode;
    if (parts[at][1] === ">") return Boolean(parent?.isEndOf?.(earlier));
    for (let node = parent; node; node = node.parentNode) {
      if (node.isEndOf?.(earlier)) return true;
    }
    return false;
  }

  has(_, __, test, inner, simple, name, how, value) {
    if (test === "is") return this.matches(inner);
    if (test === "not") return !this.matches(inner);
    if (test === "has") return this.querySelector(inner) !== null;
    if (name) return this.hasValue(name, how, value);
    if (simple.startsWith("#")) return this.id === simple.slice(1);
    if (simple.startsWith(".")) return this.classList.contains(simple.slice(1));
    if (simple.startsWith(":")) return Boolean(this[simple.slice(1)]); // such as :checked
    return simple === "*" || this.localName === simple;
  }

  hasValue(name, how, value) {
    const text = name === "class" ? this.className : this.attributes.get(name);
    const given = text ?? (name.startsWith("data-") ? this.dataset[name.slice(5)] : this[name]);
    if ([undefined, null, false].includes(given)) return false;
    if (value === undefined) return true;
    const test = { "*": "includes", "^": "startsWith", $: "endsWith" }[how];
    return test ? String(given)[test](value) : String(given) === value;
  }

  querySelectorAll(selector) {
    return this.children.flatMap((child) => [
      ...(child.matches(selector) ? [child] : []),
      ...child.querySelectorAll(selector),
    ]);
  }

  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  closest(selector) {
    return this.matches(selector) ? this : (this.parentElement?.closest(selector) ?? null);
  }
}

/** A text box or a slider, whose value is a text, and a key event, which a script sends to it. */
export class FakeInput extends FakeElement {
  get value() {
    return this.text;
  }

  set value(value) {
    this.text = String(value);
  }
}

class FakeTablePart extends FakeElement {
  get tBodies() {
    return this.querySelectorAll("tbody");
  }

  get rows() {
    return this.querySelectorAll("tr");
  }

  get cells() {
    return this.querySelectorAll("td, th");
  }
}

class FakeFieldset extends FakeElement {
  get elements() {
    return this.querySelectorAll("input");
  }
}

class FakeKeyboardEvent extends Event {
  constructor(name, { key, ...options }) {
    super(name, options);
    this.key = key;
  }
}

class FakeStyle {
  setProperty(name, value) {
    this[name] = String(value);
  }

  getPropertyValue(name) {
    return this[name] ?? "";
  }
}

/**
 * A brush that records each stroke and each text with its settings at that moment.
 * Every letter is ten pixels wide and high: eight pixels above its baseline and two below.
 */
export class FakeBrush {
  painted = [];

  globalAlpha = 1;

  note(what, values) {
    const { globalAlpha, strokeStyle, fillStyle, lineWidth, font, textAlign } = this;
    const settings = { globalAlpha, strokeStyle, fillStyle, lineWidth, font, textAlign };
    this.painted.push({ what, ...values, ...settings });
  }

  /**
   * @param {string} what such as "fillText"
   * @returns {object[]} what was painted in this way, in order
   */
  all(what) {
    return this.painted.filter((each) => each.what === what);
  }

  createImageData(width, height) {
    return { width, height, data: { buffer: new ArrayBuffer(4 * width * height) } };
  }

  putImageData() {}

  measureText(text) {
    return { width: 10 * text.length, fontBoundingBoxAscent: 8, fontBoundingBoxDescent: 2 };
  }

  fillText(text, x, y) {
    this.note("fillText", { text, x, y });
  }

  fillRect(x, y, width, height) {
    this.note("fillRect", { box: [x, y, width, height] });
  }

  strokeRect(x, y, width, height) {
    this.note("strokeRect", { box: [x, y, width, height] });
  }

  drawImage(_, ...numbers) {
    this.note("drawImage", { numbers });
  }

  translate(x, y) {
    this.note("translate", { x, y });
  }

  rotate(angle) {
    this.note("rotate", { angle });
  }

  beginPath() {
    this.path = [];
  }

  moveTo(x, y) {
    this.path.push([x, y]);
  }

  lineTo(x, y) {
    this.path.push([x, y]);
  }

  bezierCurveTo(...numbers) {
    this.path.push(numbers);
  }

  rect(...numbers) {
    this.path.push(numbers);
  }

  stroke() {
    this.note("stroke", { path: this.path });
  }

  fill() {
    this.note("fill", { path: this.path });
  }

  clearRect() {
    this.painted = [];
  }

  scale(x) {
    this.note("scale", { x });
  }

  save() {}

  restore() {}

  clip() {}
}

const CLASSES = {
  table: FakeTablePart,
  tbody: FakeTablePart,
  tr: FakeTablePart,
  fieldset: FakeFieldset,
};

/** A page: its elements, its window's events, and frames that come when a test says so. */
export class FakePage {
  constructor() {
    this.root = new FakeElement("html");
    this.body = new FakeElement("body");
    this.root.append(this.body);
    this.frames = [];
    this.now = 0;
    this.isStill = false; // whether the visitor prefers reduced motion
    const events = new EventTarget();
    Object.assign(globalThis, {
      window: globalThis,
      HTMLInputElement: FakeInput,
      KeyboardEvent: FakeKeyboardEvent,
      devicePixelRatio: 1,
      document: {
        documentElement: this.root,
        body: this.body,
        activeElement: null,
        hidden: false,
        createElement: (name) => new (CLASSES[name] ?? FakeElement)(name),
        createElementNS: (namespaceURI, name) =>
          Object.assign(new FakeElement(name), { namespaceURI }),
        querySelector: (selector) => this.root.querySelector(selector),
        querySelectorAll: (selector) => this.root.querySelectorAll(selector),
      },
      addEventListener: (...given) => events.addEventListener(...given),
      removeEventListener: (...given) => events.removeEventListener(...given),
      dispatchEvent: (event) => events.dispatchEvent(event),
      getComputedStyle: ({ style }) => style,
      matchMedia: () => ({
        matches: this.isStill,
        addEventListener: (_, act) => (this.onScheme = act), // the page becomes light or dark
      }),
      requestAnimationFrame: (act) => this.frames.push(act),
      cancelAnimationFrame: (id) => (this.frames[id - 1] = null),
      ResizeObserver: class {
        observe() {}

        disconnect() {}
      },
    });
  }

  /**
   * Adds an element to the page.
   *
   * @param {string} name such as "div"
   * @param {object} [properties] of the element
   * @returns {FakeElement}
   */
  add(name, properties = {}) {
    const made = Object.assign(new FakeElement(name), properties);
    this.body.append(made);
    return made;
  }

  /**
   * Adds the elements of a file of web/ to the page.
   *
   * @param {string} path such as "saved_page/maps.html"
   */
  addHtml(path) {
    const html = readFileSync(new URL(`../../web/${path}`, import.meta.url), "utf8");
    let parent = this.body;
    for (const [, end, name, attributes, text] of html.matchAll(TAG)) {
      if (text?.trim()) parent.append(text);
      if (!name) continue;
      if (end) {
        parent = parent.parentNode;
        continue;
      }
      const made = document.createElement(name);
      for (const [, key, , value = ""] of attributes.matchAll(ATTRIBUTE)) {
        made.setAttribute(key, value);
        if (key === "id") made.id = value;
        if (key === "hidden") made.hidden = true;
      }
      parent.append(made);
      parent = made;
    }
  }

  /** @param {number} milliseconds until the next frame, which is drawn then */
  frame(milliseconds) {
    this.now += milliseconds;
    const due = this.frames.map((act, n) => [act, n]).filter(([act]) => act);
    for (const [act, n] of due) {
      if (this.frames[n] !== act) continue; // an earlier frame has cancelled this one
      this.frames[n] = null;
      act(this.now);
    }
  }
}
