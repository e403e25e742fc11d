// What a picture looks like and says, and what becomes of it in the hands of a visitor: pointed at,
// clicked, led by keys. A line for each of its elements, and for all that a canvas paints. Put into
// a page after it has settled.

window.handled = (() => {
  const SAYS = ["id", "role", "title", "lang", "dir", "type", "disabled", "hidden", "style", "for", "popover", "scope"];
  const KEYS = ["ArrowRight", "ArrowDown", "End", "ArrowLeft", "ArrowUp", "Home", "Enter", "2", " ", "Escape"];
  const IN_HAND = "button, input, select, summary, canvas, [tabindex], .tile";
  const NOT = ".play, .copy"; // what goes on by itself, or needs the clipboard
  const WAITING = "not painted yet";
  const frame = () => new Promise(requestAnimationFrame);
  const OF_ONE_MODEL = /\b[0-9a-f]{12}\b|(?<![.#\d])\d{6,}/g; // a fingerprint, a number in the name of its box
  const short = (text) => text.slice(0, 400).replace(OF_ONE_MODEL, "").replace(/\d+\.\d{3,}/g, (number) => Number(number).toFixed(3));

  function attributes(element) {
    const own = [...element.attributes].filter(({ name }) => name !== "style" || !element.matches(".tip")); // as wide as its digits
    const told = own.filter(({ name }) => SAYS.includes(name) || /^(aria|data|d$|x|y|tab)/.test(name));
    const state = ["value", "checked", "open"].filter((name) => element[name]).map((name) => `${name}=${element[name]}`);
    return [...told.map(({ name, value }) => `${name}=${short(value)}`).sort(), ...state].join(" "); // set anew, they stand in another order
  }

  function painted(canvas) {
    let told;
    try {
      told = seen.painted(canvas);
    } catch (error) {
      return [`${WAITING}: ${error.message}`];
    }
    const { texts, frames, fills, pictures, ribbons } = told;
    const places = (...numbers) => numbers.map((n) => `${n.toFixed(0)}px`).join(" ");
    return [
      ...texts.map(({ text, x, y, colour }) => `text ${text} at ${places(x, y)} ${colour}`),
      ...fills.map(({ place, colour }) => `fill ${places(...place)} ${colour}`),
      ...frames.map((place) => `frame ${places(...place)}`),
      ...pictures.map(({ colours, ...place }) => {
        const found = colours.map((colour) => parseInt(colour.slice(1) || "0", 16));
        const sum = (weight) => found.reduce((all, code, n) => all + weight(n) * (code & 255) + (code >> 8 & 255) * n, 0);
        return `picture ${places(place.x, place.y, place.width, place.height)} ${place.rows}x${place.columns} ${sum(() => 1)} ${place.smooth ? "smooth" : "sharp"}`;
      }),
      ...together(ribbons),
    ];
  }

  // Of the ribbons of one colour or opacity: how many, and the sums of their places and widths.
  function together(ribbons) {
    const kinds = Map.groupBy(ribbons, ({ colour, opacity }) => colour ?? `opacity ${opacity.toFixed(2)}`);
    return [...kinds].map(([kind, some]) => {
      const sum = (of) => some.reduce((all, each, n) => all + (n + 1) * of(each), 0).toFixed(0);
      const ends = [sum(({ path }) => path[0][1]), sum(({ path }) => path.at(-1)[1]), sum(({ path }) => path[0][0])];
      return `${some.length} ribbons ${kind} ${ends.join(" ")} ${sum(({ width }) => 10 * (width ?? 0))}`;
    });
  }

  function* lines(element) {
    if (element.matches("style, script, link")) return;
    const own = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join(" ");
    const seen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ? "" : " unseen";
    yield `${element.localName}.${element.getAttribute("class") ?? ""} ${attributes(element)} "${short(own)}"${seen}`;
    if (element.paintOn && element.checkVisibility()) yield* painted(element);
    if (element.matches("tr:not(:has(button))")) yield [...element.cells].map((cell) => `${cell.localName} ${cell.scope ?? ""} ${cell.className} ${cell.textContent}`).join(" | ");
    else for (const child of [...(element.shadowRoot?.children ?? []), ...element.children]) yield* lines(child);
  }

  function whatIs(view) {
    const own = view.roots[0] === document ? [document] : view.roots; // which holds all of its others
    return own.flatMap((root) => [...root.children]).flatMap((element) => [...lines(element)]);
  }

  function point(element, kind, across, down) {
    const { left, top, width, height } = element.getBoundingClientRect();
    const [clientX, clientY] = [left + across * width, top + down * height];
    const how = { clientX, clientY, bubbles: kind !== "pointerleave", composed: true, cancelable: true, pointerType: "mouse", pointerId: 1 };
    const Kind = kind === "click" ? MouseEvent : PointerEvent;
    element.dispatchEvent(new Kind(kind, how));
  }

  // Name of what is done to an element -> how it is done.
  function hands(element) {
    const key = (name) => () => {
      element.focus();
      element.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, composed: true, cancelable: true }));
    };
    const over = (across, down) => () => ["pointerover", "pointerenter", "pointermove"].forEach((kind) => point(element, kind, across, down));
    const places = element.matches("canvas") ? [[0.3, 0.4], [0.55, 0.6], [0.8, 0.3], [0.02, 0.98]] : [[0.3, 0.6]];
    return [
      ...places.map(([across, down]) => [`over ${across} ${down}`, over(across, down)]),
      ["shift", () => element.dispatchEvent(new MouseEvent("click", { shiftKey: true, bubbles: true, composed: true }))],
      ["click", () => point(element, "click", ...places[0])],
      ["leave", () => ["pointerout", "pointerleave"].forEach((kind) => point(element, kind, 2, 2))],
      ...KEYS.map((name) => [name === " " ? "Space" : name, key(name)]),
      ["blur", () => element.blur()],
    ];
  }

  const waits = (line) => line.startsWith(WAITING) || line.includes("aria-busy=true");

  // What stands there once nothing changes for so many frames.
  async function still(view, frames) {
    let [now, same] = [[], 0];
    for (let n = 0; n < 200 && (same < frames || now.some(waits)); n++) {
      await frame();
      const next = whatIs(view);
      same = next.join() === now.join() ? same + 1 : 0;
      now = next;
    }
    return now;
  }

  // The next element of the few of its kind that is still to be taken in hand, and what it is called.
  function following(view, done, few) {
    const kinds = new Map();
    for (const element of view.roots.flatMap((root) => [...root.querySelectorAll(IN_HAND)])) {
      if (!element.checkVisibility() || element.matches(NOT)) continue;
      const list = element.matches("li") ? `${element.parentElement.className} ` : "";
      const kind = `${list}${element.localName}.${element.getAttribute("class") ?? ""}`;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      const name = `${kind} ${kinds.get(kind)}`;
      if (kinds.get(kind) <= few && !done.has(name)) return [name, element];
    }
    return null;
  }

  // All of it: first as it stands, then what each hand changes, with what would be sent to the server.
  async function walk(view, few = 2) {
    const sent = [];
    for (const each of view.views) each.send = (...said) => sent.push(JSON.stringify(said));
    let before = await still(view, 9);
    const told = [["as it stands", [], before]];
    const done = new Set();
    for (let next; (next = following(view, done, few)); ) {
      const [name, element] = next;
      done.add(name);
      for (const [how, hand] of hands(element)) {
        if (!element.isConnected) break;
        hand();
        const after = await still(view, 1);
        told.push([`${name} ${how} ${sent.splice(0).join(" ")}`, before, after]);
        before = after;
      }
    }
    return told;
  }

  // Of the app: the component with this key, while no component can ask the server.
  function inApp(key) {
    const roots = (within) => [...document.querySelectorAll(`${within} *`)].map((host) => host.shadowRoot).filter(Boolean);
    const views = roots("body").flatMap((root) => [root, ...root.querySelectorAll("*")].map((each) => each.view).filter(Boolean));
    return { roots: roots(`.st-key-${key}`), views };
  }

  // Where the page is, and which of its parts are seen where.
  function whole(key) {
    const parts = [...document.querySelectorAll(".stMain [class*=st-key-]")].filter((part) => part.checkVisibility());
    const place = ({ left, top, width, height }) => [left, top, width, height].map((n) => `${n.toFixed(0)}px`).join(" ");
    const named = parts.map((part) => `${short(part.className.match(/st-key-\S+/)[0])} ${place(part.getBoundingClientRect())}`);
    const { pathname, search, hash } = location;
    return [`${pathname} ${search} ${hash}`, attributes(document.documentElement), ...named, ...whatIs(inApp(key))];
  }

  return {
    whole: async (key) => {
      let [now, before] = ["", "not yet"];
      for (let n = 0; n < 200 && now !== before; n++) {
        for (let frames = 0; frames < 9; frames++) await frame();
        [before, now] = [now, whole(key).join("\n")];
      }
      return now.split("\n");
    },
    inApp: (key) => walk(inApp(key)),
    inPage() {
      const roots = [...document.querySelectorAll("*")].map((host) => host.shadowRoot).filter(Boolean);
      return walk({ roots: [document, ...roots], views: [] }, 1);
    },
  };
})();
