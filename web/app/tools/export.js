// The bar of a figure: the picture as PNG and SVG or copied; for numbers it asks the server for
// Streamlit's button, and presses it.

import { Drawing } from "./drawing.js";
import { ink, ruler, short, tag, written } from "./svg_writer.js";
import { element } from "../../pictures/elements.js";

const PARTS =
  ".stVegaLiteChart, .stPlotlyChart, .stBidiComponent, .stHtml, .stHeading," +
  ".stMarkdown:not(:has(.katex, table, [data-testid=stCaptionContainer]))";
const [MARGIN, GAP, TITLE, LINE] = [24, 16, 19, 12]; // pixels: round all, between parts, of letters
const [NARROWEST, LARGEST] = [360, 16000]; // pixels of a picture, of a side of a PNG
const TWICE = 2;
const SOON = 3000; // milliseconds within which something is drawn
const ANSWER = 15_000; // and within which the server offers a file
const WORD = 2500; // milliseconds for which a button says what came of it
let words = {};
let want = () => {}; // tells the server which file

export function prepareExport(newWords, ask) {
  words = newWords;
  want = ask;
}

export async function onTake(event) {
  const button = event.target.closest?.("[data-take]");
  if (!button) return;
  const figure = button.closest('[class*="st-key-figure-"]');
  const kind = button.dataset.take;
  try {
    if (kind === "svg") save(svgFile(await picture(figure)), button, kind);
    else if (kind === "png") save(await png(await picture(figure)), button, kind);
    else if (kind === "copy") await copy(picture(figure)).then(() => say(button, words.copied));
    else (await offered(figure, kind)).click();
  } catch (problem) {
    say(button, kind === "copy" ? words.no_copy : words.no_picture);
    if (kind !== "copy") throw problem; // to copy a browser may forbid, as it does without https
  }
}

// The parts of a figure at their places, under its title, over the line that says what it is.
async function picture(figure) {
  const bar = figure.querySelector(".figure-bar");
  const parts = await shown(figure, bar);
  const { drawn, left, width: wide, height: high } = arranged(parts);
  const width = Math.ceil(Math.max(wide, NARROWEST)) + 2 * MARGIN;
  const style = getComputedStyle(figure.closest(".stApp"));
  const font = style.fontFamily;
  const said = [...bar.querySelectorAll(".provenance span")].map(fieldOf).join(" · ");
  const title = bar.dataset.title;
  const fill = ink("fill", style.color);
  const text = (content, size, look, y) =>
    wrapped(content, width - 2 * MARGIN, `${look["font-weight"] ?? 400} ${size}px ${font}`).map(
      (line, n) =>
        tag(
          "text",
          { x: MARGIN, y: y + (n + 0.8) * 1.4 * size, "font-size": size, ...look, ...fill },
          written(line),
        ),
    );
  const made = text(title, TITLE, { "font-weight": 600 }, MARGIN);
  const top = MARGIN + made.length * 1.4 * TITLE + GAP;
  made.push(
    tag("g", { transform: `translate(${short(MARGIN - left)} ${short(top)})` }, drawn.join("\n")),
  );
  const y = top + high + GAP;
  const lines = text(said, LINE, { opacity: 0.8 }, y);
  const height = Math.ceil(y + lines.length * 1.4 * LINE + MARGIN);
  const svg = `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${written(font)}" style="white-space: pre; color: ${style.color}">
<title>${written(title)}</title>
<desc>${written(said)}</desc>
${tag("rect", { width: "100%", height: "100%", ...ink("fill", style.backgroundColor) })}
${made.join("\n")}
${lines.join("\n")}
</svg>
`;
  return { svg, width, height, text: `${title}\n${said}` };
}

// Name and value; one that is read from the right turns nothing around it.
function fieldOf(span) {
  const value = span.querySelector("bdi");
  const said = span.textContent.trim();
  if (!value || getComputedStyle(value).direction !== "rtl") return said;
  return said.replace(value.textContent, (text) => `\u2067${text}\u2069`); // isolated, for all programs
}

// What a figure shows; while it is drawn anew that is nothing for a moment.
async function shown(figure, bar) {
  const drawn = () =>
    [...figure.querySelectorAll(PARTS)].filter(
      (part) => !part.contains(bar) && part.offsetHeight > 1,
    );
  return soonest(() => (drawn().length ? drawn() : null), SOON);
}

// The button that gives away the numbers; the next run of the page takes it back.
function offered(figure, kind) {
  const button = () => figure.querySelector(`[class*="st-key-take-"][class*="-${kind}"] button`);
  if (!button()) want([figure.querySelector(".figure-bar").dataset.name, kind]);
  return soonest(button, ANSWER);
}

async function soonest(find, patience) {
  const until = performance.now() + patience;
  while (performance.now() < until) {
    const found = find();
    if (found) return found;
    await new Promise(requestAnimationFrame);
  }
  throw new Error("nothing is drawn here");
}

// Each part as high as those above it let it be: controls that stand between them are left out. One
// that is scrolled is as wide as what is drawn of it.
function arranged(nodes) {
  const parts = nodes.map((node) => ({ ...node.getBoundingClientRect().toJSON(), node }));
  const done = [];
  for (const part of parts.sort((one, other) => one.top - other.top)) {
    const above = done.filter(({ left, right }) => left < part.right - 1 && part.left < right - 1);
    const y = Math.max(
      0,
      ...above.map(
        (other) => other.y + other.height + Math.min(GAP, Math.max(0, part.top - other.bottom)),
      ),
    );
    const drawing = new Drawing(0, part.top);
    const drawn = tag("g", { transform: `translate(0 ${short(y)})` }, drawing.node(part.node));
    const right = Math.max(part.right, drawing.right);
    done.push({ ...part, y, drawn, right, height: drawing.bottom });
  }
  const left = Math.min(...done.map((part) => part.left));
  return {
    drawn: done.map((part) => part.drawn),
    left,
    width: Math.max(...done.map((part) => part.right)) - left,
    height: Math.max(...done.map((part) => part.y + part.height)),
  };
}

// Chinese breaks between any two signs, other writing at spaces, a word without end anywhere.
function wrapped(text, width, font) {
  ruler.font = font;
  const lines = [""];
  for (const piece of text.match(
    /[\u2e80-\u9fff\uff00-\uffef]|\s+|[^\s\u2e80-\u9fff\uff00-\uffef]{1,40}/gu,
  ) ?? []) {
    if (lines.at(-1) && ruler.measureText(lines.at(-1) + piece).width > width) lines.push("");
    lines[lines.length - 1] += lines.at(-1) ? piece : piece.trimStart();
  }
  return lines;
}

const svgFile = ({ svg }) => new Blob([svg], { type: "image/svg+xml" });

async function png(made) {
  const url = URL.createObjectURL(svgFile(made));
  const drawn = new Image(made.width, made.height);
  drawn.src = url;
  await drawn.decode();
  const scale = Math.min(TWICE, LARGEST / Math.max(made.width, made.height));
  const canvas = new OffscreenCanvas(made.width * scale, made.height * scale);
  canvas.getContext("2d").drawImage(drawn, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return canvas.convertToBlob(); // a PNG
}

// A browser lets us write only at once, so what is written comes later.
function copy(made) {
  const text = made.then((each) => new Blob([each.text], { type: "text/plain" }));
  return navigator.clipboard.write([
    new ClipboardItem({ "image/png": made.then(png), "text/plain": text }),
  ]);
}

function save(blob, button, kind) {
  const href = URL.createObjectURL(blob);
  element("a", { href, download: `${button.closest(".figure-bar").dataset.name}.${kind}` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

export function say(button, word) {
  const [text, name] = [button.textContent, button.ariaLabel];
  if (button.ariaLive) return; // it is said already
  button.ariaLive = "polite";
  button.textContent = button.ariaLabel = word;
  setTimeout(() => {
    button.ariaLive = null;
    [button.textContent, button.ariaLabel] = [text, name];
  }, WORD);
}
