// A table of heads: its rows, its order, and what a click reports.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeElement, FakePage } from "./page.js";
import headTable from "../../web/app/head_table/head_table.js";

const COLUMNS = [
  { name: "head", title: "Head", about: "the head" },
  { name: "entropy", title: "Entropy", about: "in bits" },
];
const ROWS = [
  {
    name: "1.1",
    title: "1.1",
    picture: "map.png",
    chips: [
      ["P", "previous", "looks back", "about"],
      ["N", "next", "looks on", null],
    ],
    cells: ["0.5", "1.2"],
  },
  { name: "1.2", title: "1.2", picture: "b.png", chips: [], cells: ["0", "0"], on_paper: "p.png" },
];

function shown(changes = {}) {
  const page = new FakePage();
  const sent = [];
  const setTriggerValue = (...message) => sent.push(message);
  const data = { columns: COLUMNS, rows: ROWS, sorted: "entropy", down: true, label: "Heads" };
  const show = (more) =>
    headTable({ data: { ...data, ...more }, parentElement: page.body, setTriggerValue });
  const end = show(changes);
  const { box } = page.body.view;
  const find = (selector) => box.querySelectorAll(selector);
  return { page, box, find, sent, show, end };
}

test("each head has a row with its map, its tags and its numbers", () => {
  const { box, find } = shown();
  assert.deepEqual([box.ariaLabel, box.tabIndex], ["Heads", 0]); // keys scroll it
  assert.deepEqual(
    find("tbody tr").map((row) => [row.dataset.name, row.textContent]),
    [
      ["1.1", "1.1P previousN next0.51.2"],
      ["1.2", "1.200"],
    ],
  );
  assert.deepEqual(
    find("img").map(({ src, alt, className }) => [src, alt, className]),
    [
      ["map.png", "", ""],
      ["b.png", "", ""],
      ["p.png", "", "on-paper"], // a map in the colours of paper
    ],
  );
});

test("the place of a head can be in a line of its own", () => {
  const rows = [{ ...ROWS[0], title: "Cross-attention · layer 1 · head 3" }];
  const { find } = shown({ rows });
  assert.equal(find("tbody th button")[0].textContent, "Cross-attention · layer 1 · head 3");
  assert.equal(find(".place")[0].textContent, "layer 1 · head 3");
});

test("a tag that opens something is a button", () => {
  const { find } = shown();
  assert.deepEqual(
    find(".does").map(({ localName, title, dataset }) => [localName, title, dataset.name]),
    [
      ["button", "looks back", "about"],
      ["span", "looks on", undefined],
    ],
  );
});

test("the sorted column says in which order", () => {
  const orders = (changes) =>
    shown(changes)
      .find("th[scope=col]")
      .map(({ ariaSort }) => ariaSort);
  assert.deepEqual(orders({}), [null, "descending"]);
  assert.deepEqual(orders({ down: false }), [null, "ascending"]);
  assert.deepEqual(orders({ sorted: "head" }), ["descending", null]);
});

test("a click reports the row, the column or the target of a tag; one beside them nothing", () => {
  const { box, find, sent } = shown();
  for (const selector of ["td.number", "th[scope=col] button", "button.does"]) {
    box.onclick({ target: find(selector)[0] });
  }
  box.onclick({ target: box });
  assert.deepEqual(sent, [
    ["click", "1.1"],
    ["click", "head"],
    ["click", "about"],
  ]);
});

test("a focused row keeps the focus when the table is written again", () => {
  const { find, show } = shown();
  document.activeElement = find("tbody button")[2]; // of the second row
  show();
  assert.equal(document.activeElement, find('[data-name="1.2"] button')[0]);
  document.activeElement = null;
  show();
  assert.equal(document.activeElement, null);
});

// A table of 4 rows of 30 pixels with its head, in a box of this height, on a projector.
function heightOf(clientHeight, isPresented = true) {
  const { page, box, find, end } = shown({ rows: [...ROWS, ...ROWS] });
  page.root.toggleAttribute("data-present", isPresented);
  box.clientHeight = clientHeight;
  find("tr").forEach((row, n) => Object.assign(row, { offsetTop: 30 * n, offsetHeight: 30 }));
  dispatchEvent(new Event("resize"));
  const { maxHeight } = box.style;
  end();
  return maxHeight;
}

test("a projected table ends with a whole row", () => {
  assert.deepEqual([heightOf(100), heightOf(90), heightOf(89)], ["90px", "90px", "60px"]);
  assert.equal(heightOf(20), ""); // not even one row fits
  assert.equal(heightOf(100, false), "");
});

test("a projected table is measured whenever the page is drawn, until it leaves the page", () => {
  const { page, box, end, show } = shown();
  page.root.toggleAttribute("data-present", true);
  Object.assign(FakeElement.prototype, { offsetTop: 0, offsetHeight: 30 });
  box.clientHeight = 50;
  dispatchEvent(new Event("redraw"));
  assert.equal(box.style.maxHeight, "30px");
  show();
  end();
  box.style.maxHeight = "as it was";
  page.body.view.stop();
  dispatchEvent(new Event("redraw"));
  assert.equal(box.style.maxHeight, "as it was");
});
