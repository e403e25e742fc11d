// Links as chats find them in a text: GitHub's rule leaves out these signs at the end.

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

test("a link whose end is safe stays as it is", () => {
  for (const link of [
    "https://maps.example/?layer=2",
    "https://maps.example/.",
    "?",
    "/a/b/?x=%2E",
  ]) {
    assert.equal(wholeLink(link), link);
  }
});

test("a fragment is a part of the link", () => {
  assert.equal(wholeLink("file:///maps.html#sentence=Yes."), "file:///maps.html#sentence=Yes%2E");
});
