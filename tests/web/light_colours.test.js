// The colours of a chart that is saved from a dark page.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { forFile, lighten, lightOf, setLightColours } from "../../web/app/tools/light_colours.js";

const { root, body } = new FakePage();
document.head = body;
setLightColours({ css: "--a: b;", ink: "#222222", swaps: { "#0a0b0c": "#fafbfc" } });

function isDark(colorScheme) {
  document.querySelector = () => ({ style: { colorScheme } });
}

test("a dark colour is replaced only while a dark page is drawn for a file", () => {
  assert.equal(lightOf("#0a0b0c"), "#0a0b0c");
  isDark("dark");
  assert.equal(
    forFile(() => lightOf("#0a0b0c")),
    "#fafbfc",
  );
  assert.equal(
    forFile(() => lightOf("rgb(10, 11, 12)")),
    "#fafbfc",
  );
  isDark("light");
  assert.equal(
    forFile(() => lightOf("#0a0b0c")),
    "#0a0b0c",
  );
});

test("other colours and translucent colours are not replaced", () => {
  isDark("dark");
  for (const colour of ["#0a0b0d", "rgba(10, 11, 12, 0.5)"]) {
    assert.equal(
      forFile(() => lightOf(colour)),
      colour,
    );
  }
});

test("the page gets its colours back, even if a drawing fails", () => {
  isDark("dark");
  const redrawn = [];
  addEventListener("redraw", () => redrawn.push(root.hasAttribute("data-for-file")));
  assert.throws(() => forFile(() => assert.fail()));
  assert.deepEqual(redrawn, [true, false]);
  assert.ok(!root.hasAttribute("data-for-file"));
  assert.ok(!root.hasAttribute("data-dark"));
});

test("colours at any depth of a chart are replaced, and restored afterwards", () => {
  isDark("dark");
  const chart = {
    font: { color: "#0a0b0c", size: 12 },
    numbers: Float32Array.of(1),
    _own: { color: "#0a0b0c" },
    title: "#0a0b0d",
    empty: null,
  };
  forFile(() => {
    const darken = lighten(chart);
    assert.deepEqual(chart.font, { color: "#fafbfc", size: 12 });
    assert.equal(chart._own.color, "#0a0b0c"); // internal field of the library
    darken();
    assert.deepEqual(chart.font, { color: "#0a0b0c", size: 12 });
  });
});

test("the rules of a file hold against all others, and those of paper are the same", () => {
  const [style] = document.head.querySelectorAll("style");
  const rules = (selector) => [
    `${selector} * { transition: none !important; animation: none !important; }`,
    "color-scheme: light !important; color: #222222 !important; background: #fff !important;",
    "--ground: #fff !important;", // such as that of a name that stays while its table scrolls
    `${selector} .stBidiComponent > div { --a: b !important; }`,
  ];
  const [ofFile, ofPaper] = style.textContent.split("@media print");
  for (const rule of rules(":root[data-for-file]")) assert.ok(ofFile.includes(rule), rule);
  for (const rule of rules(":root")) assert.ok(ofPaper.includes(rule), rule);
});

test("the rules are written again when the colours change, in the same element", () => {
  setLightColours({ css: "--a: c;", ink: "#333333", swaps: {} });
  const styles = document.head.querySelectorAll("style");
  styles[0].isTheFirst = true;
  assert.equal(styles.length, 1);
  assert.match(styles[0].textContent, /color: #333333/);
  styles[0].remove(); // Streamlit may empty the head
  setLightColours({ css: "--a: b;", ink: "#222222", swaps: { "#a0b0c0": "#0f0f0f" } });
  const [again] = document.head.querySelectorAll("style");
  assert.ok(again.isTheFirst);
});

test("a colour with the digits from a to f is found by its numbers", () => {
  isDark("dark");
  assert.equal(
    forFile(() => lightOf("rgb(160, 176, 192)")),
    "#0f0f0f",
  );
});

test("only texts that are colours are read as colours", () => {
  isDark("dark");
  const chart = { name: "a0b0c0", wide: true, parts: ["#a0b0c0", 3] };
  forFile(() => {
    const darken = lighten(chart);
    assert.deepEqual(chart, { name: "a0b0c0", wide: true, parts: ["#0f0f0f", 3] });
    darken();
    assert.deepEqual(chart.parts, ["#a0b0c0", 3]);
  });
});
