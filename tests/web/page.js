// Node has no page. This is as much of one as the scripts in web/ ask for.
// Nothing is laid out: an element has the sizes that a test sets.

const PART = /#[\w-]+|\.[\w-]+|\[([\w-]+)(?:="?([^\]"]*)"?)?\]|[\w-]+/g;

/** An element. Its properties are plain fields, such as those that `element` in web/ sets. */
export class FakeElement extends EventTarget {
  /** @param {string} localName */
  constructor(localName) {
    super();
    this.localName = localName;
    this.attributes = new Map();
    this.childNodes = [];
    this.parentElement = null;
    this.dataset = {};
    this.className = "";
    this.style = new FakeStyle();
    this.box = { left: 0, top: 0, width: 0, height: 0 };
  }

  get children() {
    return this.childNodes.filter((node) => node instanceof FakeElement);
  }

  get classList() {
    const names = () => this.className.split(" ").filter(Boolean);
    return {
      contains: (name) => names().includes(name),
      remove: (name) => this.classList.toggle(name, false),
      toggle: (name, isOn) => {
        const others = names().filter((each) => each !== name);
        this.className = (isOn ? [...others, name] : others).join(" ");
      },
    };
  }

  get textContent() {
    return this.childNodes.map((node) => node.textContent ?? node).join("");
  }

  set textContent(text) {
    this.childNodes = text === "" ? [] : [text];
  }

  append(...nodes) {
    for (const node of nodes) if (node instanceof FakeElement) node.parentElement = this;
    this.childNodes.push(...nodes);
  }

  replaceChildren(...nodes) {
    this.childNodes = [];
    this.append(...nodes);
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

  focus() {
    document.activeElement = this;
  }

  click() {
    this.onclick?.();
  }

  /**
   * @param {string} selector of one element, without combinators; commas are allowed
   * @returns {boolean}
   */
  matches(selector) {
    return selector.split(",").some((each) => {
      const parts = [...each.trim().matchAll(PART)];
      return parts.every(([part, name, value]) => this.has(part, name, value));
    });
  }

  has(part, name, value) {
    if (part.startsWith("#")) return this.id === part.slice(1);
    if (part.startsWith(".")) return this.classList.contains(part.slice(1));
    if (!name) return this.localName === part;
    return this.hasAttribute(name) && [undefined, this.getAttribute(name)].includes(value);
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

class FakeStyle {
  setProperty(name, value) {
    this[name] = String(value);
  }

  getPropertyValue(name) {
    return this[name] ?? "";
  }
}

/**
 * A brush that notes each stroke and each text with its settings at that moment.
 * Every letter is ten pixels wide, and as high: eight pixels above its line and two below.
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

/** A page: its elements, its window's events, and frames that come when a test says so. */
export class FakePage {
  constructor() {
    this.root = new FakeElement("html");
    this.body = new FakeElement("body");
    this.root.append(this.body);
    this.frames = [];
    this.now = 0;
    this.isStill = false; // whether the visitor wants no motion
    const events = new EventTarget();
    Object.assign(globalThis, {
      window: globalThis,
      devicePixelRatio: 1,
      document: {
        documentElement: this.root,
        body: this.body,
        activeElement: null,
        hidden: false,
        createElement: (name) => new FakeElement(name),
        createElementNS: (_, name) => new FakeElement(name),
        querySelector: (selector) => this.root.querySelector(selector),
        querySelectorAll: (selector) => this.root.querySelectorAll(selector),
      },
      addEventListener: (...given) => events.addEventListener(...given),
      removeEventListener: (...given) => events.removeEventListener(...given),
      dispatchEvent: (event) => events.dispatchEvent(event),
      getComputedStyle: ({ style }) => style,
      matchMedia: () => ({ matches: this.isStill }),
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

  /** @param {number} milliseconds until the next frame, which is drawn then */
  frame(milliseconds) {
    this.now += milliseconds;
    const due = this.frames.map((act, n) => [act, n]).filter(([act]) => act);
    for (const [act, n] of due) {
      if (this.frames[n] !== act) continue; // cancelled by an earlier one
      this.frames[n] = null;
      act(this.now);
    }
  }
}
