// Groups of radio buttons on a page without a server.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { offerChoices } from "../../web/saved_page/choices.js";

const WORDS = {
  "attention.label": "Attention",
  "attention.cross": "Cross",
  "attention.self": "Self",
  "rows.label": "Rows",
  "rows.read": "as read",
};

function offered() {
  const page = new FakePage();
  const chosen = [];
  const offer = (kind) =>
    offerChoices(
      page.body,
      { kind: ["cross", "self"], rows: ["read"] },
      { kind, rows: "written" },
      WORDS,
      (...choice) => chosen.push(choice),
    );
  offer("self");
  return { page, offer, chosen, inputs: () => page.body.querySelectorAll("input") };
}

test("each choice is a group with its name, and the chosen value is checked", () => {
  const { page, inputs } = offered();
  assert.deepEqual(
    page.body.querySelectorAll("fieldset").map(({ name, textContent }) => [name, textContent]),
    [
      ["kind", "AttentionCrossSelf"],
      ["rows", "Rowsas read"],
    ],
  );
  assert.deepEqual(
    inputs().map(({ type, name, value, checked }) => [type, name, value, checked]),
    [
      ["radio", "kind", "cross", false],
      ["radio", "kind", "self", true],
      ["radio", "rows", "read", false],
    ],
  );
});

test("a choice is told with its name", () => {
  const { page, chosen } = offered();
  page.body.querySelector("fieldset").onchange({ target: { value: "cross" } });
  assert.deepEqual(chosen, [["kind", "cross"]]);
});

test("the focus stays in its group, and no other focus is taken", () => {
  const { page, offer, inputs } = offered();
  inputs()[1].focus();
  offer("cross");
  assert.equal(document.activeElement, inputs()[0]);
  const other = page.root;
  document.activeElement = other;
  offer("self");
  assert.equal(document.activeElement, other);
});
