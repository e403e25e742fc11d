// Links in a text as chat programs detect them. By GitHub's rule, these final characters are left
// out.

import assert from "node:assert/strict";
import test from "node:test";

import { wholeLink } from "../../web/pictures/whole_link.js";

const CUT_BY_GITHUB = /[?!.,:*_~'")\]]+$/;

function asOpened(link) {
  return new URLSearchParams(new URL(link).search).get("sentence");
}

for (const sentence of [
  "It rains.",
  "It rains…",
  "Wait...",
  "a_",
  "~",
  "so -",
  "well ",
  "(twice)",
  "'No!'",
  "7 * 8 *",
  "他来了。",
]) {
  test(`a link to “${sentence}” ends in a letter or a digit, and opens it`, () => {
    const link = wholeLink(`https://maps.example/?${new URLSearchParams({ sentence })}`);
    assert.doesNotMatch(link, CUT_BY_GITHUB);
    assert.equal(asOpened(link), sentence);
  });
}

test("a link with a safe ending is not changed", () => {
  for (const link of [
    "https://maps.example/?layer=2",
    "https://maps.example/.",
    "?",
    "/a/b/?x=%2E",
  ]) {
    assert.equal(wholeLink(link), link);
  }
});

test("a fragment belongs to the link", () => {
  assert.equal(wholeLink("file:///maps.html#sentence=Yes."), "file:///maps.html#sentence=Yes%2E");
});
