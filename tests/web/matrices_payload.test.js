// The payload of matrices on a page without a server.

import assert from "node:assert/strict";
import test from "node:test";

import { matricesPayload } from "../../web/saved_page/matrices_payload.js";

test("a matrix has its shape, and defaults for what it does not say", () => {
  const rowLabels = ["q", "r"];
  const values = [1, 2, 3, 4, 5, 6];
  const given = [
    { rowLabels, values },
    { rowLabels, values, large: true },
  ];
  const { matrices, ...others } = matricesPayload(given, { asTable: "table", clicked: [0, 1, 2] });
  assert.deepEqual(matrices[0], {
    rows: 2,
    columns: 3,
    groups: 1,
    group: null,
    large: false,
    notes: [],
    frames: [],
    covered: [],
    rowLabels,
    values,
  });
  assert.equal(matrices[1].large, true);
  assert.deepEqual(others, {
    operators: ["→"],
    links: [],
    largest: 44, // pixels of a cell
    asTable: "table",
    clicked: [0, 1, 2],
    clickable: false,
  });
});

test("cells can be clicked if the options say so", () => {
  const options = { asTable: "", clicked: null, clickable: true };
  assert.equal(matricesPayload([], options).clickable, true);
});
