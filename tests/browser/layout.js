// Faults in the layout of a page: the page scrolls sideways, an element is cut off, or two elements
// overlap. Runs in the page and returns a list of sentences.

() => {
  const PARTS =
    "h1, h2, p, li, summary, button, a, label, input, canvas, th, [role=radio], [role=combobox], .vega-embed svg";
  // Elements that may overlap others.
  const MEANT = [
    "[data-testid=stHeader] *", // Streamlit's own menu overlaps the first line of the page
    ".grid canvas", // its buttons are above it
    "canvas.ribbons, .ladder *", // words cover the ribbons; the ladder covers words below it
    ".katex *, .js-plotly-plot *, .vega-embed svg *, [data-testid=stDataFrame] *",
    ".unseen, .tip",
    "[data-testid=stSliderThumbValue] *", // Streamlit's; it is close to the slider's label
  ];
  const SLACK = 2; // pixels
  const PHONE = 640; // pixels; on a phone a long formula scrolls in its box
  const faults = [];

  function* parts(root) {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) yield* parts(element.shadowRoot);
      // of a part within another one, the position of the outer one decides
      const inside = element.parentElement?.closest(PARTS);
      if (element.matches(PARTS) && !inside && !MEANT.some((selector) => element.matches(selector))) yield element;
    }
  }

  const parentOf = (element) => element.parentElement ?? element.getRootNode().host ?? null;

  // The visible box of an element, without what a scrolling box hides. Null if nothing is visible.
  function seen(element) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return null;
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const box = { left, top, right, bottom };
    for (let above = parentOf(element); above; above = parentOf(above)) {
      if (above.matches(".stMain, .stApp, body")) break;
      if (getComputedStyle(above).overflow === "visible") continue;
      const frame = above.getBoundingClientRect();
      box.left = Math.max(box.left, frame.left);
      box.right = Math.min(box.right, frame.right);
      box.top = Math.max(box.top, frame.top);
      box.bottom = Math.min(box.bottom, frame.bottom);
    }
    return box.right - box.left > SLACK && box.bottom - box.top > SLACK ? box : null;
  }

  const name = (element) =>
    `${element.tagName.toLowerCase()} "${(element.ariaLabel || element.textContent || element.value || "").trim().slice(0, 40)}"`;

  // The place of the letters of a text of a chart. The box of a text has room above and below its
  // letters, which depends on font and browser. The first line stands on the text's own zero.
  function lettersOf(text) {
    const brush = document.createElement("canvas").getContext("2d");
    brush.font = getComputedStyle(text).font;
    const letters = brush.measureText(text.textContent);
    const { x, y, width, height } = text.getBBox();
    const top = -letters.actualBoundingBoxAscent;
    const bottom = text.querySelector("tspan") ? y + height : letters.actualBoundingBoxDescent;
    const corners = DOMQuad.fromRect({ x, y: top, width, height: bottom - top });
    const toScreen = (point) => point.matrixTransform(text.getScreenCTM());
    const { p1, p2, p3, p4 } = corners;
    return DOMQuad.fromQuad({ p1: toScreen(p1), p2: toScreen(p2), p3: toScreen(p3), p4: toScreen(p4) }).getBounds();
  }

  const main = document.querySelector(".stMain");
  for (const box of [main, document.documentElement]) {
    if (box.scrollWidth > box.clientWidth) faults.push(`the page is ${box.scrollWidth} px wide`);
  }
  const shown = [...parts(document.querySelector(".stApp"))].map((element) => [element, seen(element)]).filter(([, box]) => box);
  for (const [element, { left, right }] of shown) {
    if (left < -SLACK || right > innerWidth + SLACK) faults.push(`${name(element)} is cut off: ${left} to ${right}`);
  }
  shown.forEach(([one, a], n) => {
    for (const [other, b] of shown.slice(n + 1)) {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > SLACK && down > SLACK) {
        faults.push(`${name(one)} and ${name(other)} lie on each other by ${Math.round(across)} x ${Math.round(down)}`);
      }
    }
  });
  // a tree may be wide, because it scrolls
  const whole = ".katex-display, .stVegaLiteChart:not(.st-key-tree *)";
  for (const box of innerWidth > PHONE ? document.querySelectorAll(whole) : []) {
    if (box.scrollWidth > box.clientWidth + SLACK) faults.push(`${name(box)} is wider than its box`);
  }
  for (const control of document.querySelectorAll(":is(.stNumberInput, .stSelectbox)")) {
    const beyond = control.scrollWidth - control.clientWidth;
    if (beyond > SLACK) faults.push(`${name(control)} goes ${beyond} px beyond its place`);
  }
  for (const chart of document.querySelectorAll(".vega-embed svg")) {
    const frame = chart.getBoundingClientRect();
    for (const text of chart.querySelectorAll("text")) {
      const box = lettersOf(text);
      const beyond = Math.max(frame.left - box.left, frame.top - box.top, box.right - frame.right, box.bottom - frame.bottom);
      if (beyond > SLACK && text.checkVisibility({ opacityProperty: true })) {
        faults.push(`"${text.textContent.slice(0, 40)}" goes ${Math.round(beyond)} px beyond its chart`);
      }
    }
  }
  return faults;
}
