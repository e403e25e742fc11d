// What a picture shows and says while a visitor points at it, clicks it or presses keys. This
// script is put into a page after the page has settled. A fact is a name and a short text.

window.hands = (() => {
  const KEYS = ["ArrowRight", "ArrowDown", "End", "ArrowLeft", "ArrowUp", "Home", "Enter", " ", "Escape"];
  const STATES = ["aria-pressed", "aria-current", "aria-selected", "aria-checked", "data-lit", "open"];
  const FRAMES = 200; // maximum frames until a picture no longer changes
  const MANY = 200; // cells; with more cells, a colour may differ by one step on another processor
  const NUMBERS = /\d+\.\d{3,}/g;

  const short = (text) => {
    const line = text.replace(/\s+/g, " ").trim().replace(NUMBERS, (number) => Number(number).toFixed(2));
    return line.length > 70 ? `${line.slice(0, 69)}…` : line;
  };
  const frame = () => new Promise(requestAnimationFrame);
  const visible = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const all = (roots, selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  const nameOf = (element) => short(element.getAttribute("aria-label") || element.dataset.name || element.textContent || element.localName);
  const list = (names) => (names.length > 3 ? `${names[0]} … ${names.at(-1)} (${names.length})` : names.join(", "));

  // The cells that a frame encloses, or the size of the frame if there is no picture.
  function cells([x, y, width, height], picture) {
    if (!picture) return `${Math.round(width)}×${Math.round(height)}`;
    const side = (from, size, start, whole, n) => {
      const [first, last] = [from + 1, from + size - 1].map((at) => Math.floor(((at - start) / whole) * n));
      return first === last ? first : `${first}–${last}`;
    };
    const row = side(y, height, picture.y, picture.height, picture.rows);
    return `[${row}, ${side(x, width, picture.x, picture.width, picture.columns)}]`;
  }

  function painted(canvas) {
    let told;
    try {
      told = seen.painted(canvas);
    } catch {
      return {}; // nothing is painted yet
    }
    const { texts, frames, fills, pictures, ribbons } = told;
    const widths = ribbons.map(({ path, width }) => width ?? Math.abs(path.at(-1)[1] - path[0][1]));
    return {
      texts: list(texts.map(({ text }) => text)),
      pictures: list(pictures.map(({ rows, columns, smooth }) => `${rows}×${columns}${smooth ? " smooth" : ""}`)),
      colours: list(pictures.filter(({ colours }) => colours.length < MANY).map(({ colours }) => String(new Set(colours).size))),
      frames: list(frames.map((place) => cells(place, pictures[0]))),
      fills: fills.length ? String(fills.length) : "",
      ribbons: ribbons.length ? `${ribbons.length}, ${widths.reduce((sum, each) => sum + each, 0).toFixed(0)} wide` : "",
    };
  }

  function facts(roots) {
    const now = {};
    for (const [n, canvas] of all(roots, "canvas").filter(visible).entries()) {
      if (!canvas.paintOn) continue;
      for (const [name, text] of Object.entries(painted(canvas))) now[`canvas ${n + 1} ${name}`] = text;
    }
    now.tip = list(all(roots, ".tip").filter(visible).map((each) => short(each.textContent)));
    now.said = list(all(roots, "[aria-live]").map((each) => short(each.textContent)).filter(Boolean));
    for (const name of STATES) now[name] = list(all(roots, `[${name}]:not([${name}=false])`).filter(visible).map(nameOf));
    const focus = roots.map((root) => root.activeElement).find(Boolean);
    now.focus = focus && focus !== document.body ? nameOf(focus) : "";
    // The order of an element's classes only tells which of them was set last.
    const classes = all(roots, "[class]").filter(visible).flatMap((each) => [...each.classList].sort());
    for (const name of classes) now[`.${name}`] = String(classes.filter((each) => each === name).length);
    for (const name of ["li", "button", "td", "rect", "text"]) now[`<${name}>`] = list(all(roots, name).filter(visible).map(nameOf));
    const shares = all(roots, "[style*='--share']").map((each) => Number(each.style.getPropertyValue("--share")));
    now.shares = shares.length ? shares.reduce((sum, each) => sum + each, 0).toFixed(2) : "";
    return Object.fromEntries(Object.entries(now).filter(([, text]) => text));
  }

  async function still(roots) {
    let [now, same] = [facts(roots), 0];
    for (let n = 0; n < FRAMES && same < 6; n++) {
      await frame();
      const next = facts(roots);
      same = JSON.stringify(next) === JSON.stringify(now) ? same + 1 : 0;
      now = next;
    }
    return now;
  }

  // The screen coordinates of a point: a share of the element's width and height. In a picture of
  // cells it is the centre of a cell, because the edges of cells depend on the browser's fonts.
  function pointAt(element, across, down) {
    const { left, top, width, height } = element.getBoundingClientRect();
    const pictures = element.paintOn ? seen.painted(element).pictures : [];
    const isOutside = across > 1;
    if (!pictures.length || isOutside) return [left + across * width, top + down * height];
    const { x, y, rows, columns, ...size } = pictures[Math.floor(across * pictures.length)];
    const column = Math.floor(across * columns) + 0.5;
    const row = Math.floor(down * rows) + 0.5;
    const scale = width / parseFloat(element.style.width);
    return [left + scale * (x + (column / columns) * size.width), top + scale * (y + (row / rows) * size.height)];
  }

  function point(element, kind, across, down) {
    const [clientX, clientY] = pointAt(element, across, down);
    const how = { clientX, clientY, bubbles: kind !== "pointerleave", composed: true, cancelable: true, pointerType: "mouse", pointerId: 1 };
    element.dispatchEvent(kind === "click" ? new MouseEvent(kind, how) : new PointerEvent(kind, how));
  }

  // Name of an action on an element -> function that does it.
  function actions(element) {
    const press = (key) => () => {
      element.focus();
      element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
    };
    const over = (across, down) => () => ["pointerover", "pointerenter", "pointermove"].forEach((kind) => point(element, kind, across, down));
    const places = element.matches("canvas") ? [[0.3, 0.4], [0.55, 0.6], [0.8, 0.3]] : [[0.3, 0.6]];
    return [
      ...places.map(([across, down]) => [`over ${across} ${down}`, over(across, down)]),
      ["click", () => point(element, "click", ...places[0])],
      ["leave", () => ["pointerout", "pointerleave"].forEach((kind) => point(element, kind, 2, 2))],
      ...KEYS.map((key) => [key === " " ? "Space" : key, press(key)]),
      ["blur", () => element.blur()],
    ];
  }

  // What each action changes on the first element of each selector, and which messages it would
  // send.
  async function handle(roots, views, selectors) {
    const sent = [];
    for (const view of views) view.send = (...message) => sent.push(JSON.stringify(message));
    let before = await still(roots);
    const told = [["as it stands", [], {}, before]];
    for (const selector of selectors) {
      const element = all(roots, selector).find(visible);
      if (!element) throw new Error(`there is no ${selector}`);
      for (const [name, act] of actions(element)) {
        if (!element.isConnected) break;
        act();
        const after = await still(roots);
        told.push([`${selector} ${name}`, sent.splice(0), before, after]);
        before = after;
      }
    }
    return told;
  }

  const shadows = (within) => [...document.querySelectorAll(`${within} *`)].map((host) => host.shadowRoot).filter(Boolean);

  return {
    // The component of the app with this key. Meanwhile no component can ask the server.
    inApp(key, selectors) {
      const views = shadows("body").flatMap((root) => [root, ...root.querySelectorAll("*")].map((each) => each.view).filter(Boolean));
      return handle(shadows(`.st-key-${key}`), views, selectors);
    },
    inPage: (selectors) => handle([document, ...shadows("html")], [], selectors),
  };
})();
