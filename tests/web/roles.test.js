// Words that highlight the matrices of a role.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { onRoleEvent, onTab } from "../../web/app/tools/roles.js";

// A page with two words, and a list of what the pictures are told.
function begun() {
  const page = new FakePage();
  const told = [];
  addEventListener("role", ({ detail: { role, go } }) => told.push(`${role} ${go}`));
  const words = ["query", "key"].map((role) => {
    const word = page.add("a", { hash: `#role-${role}` });
    word.setAttribute("href", word.hash);
    return word;
  });
  send("focusout", page.body); // an earlier test may have left one lit
  told.length = 0;
  return { page, told, words };
}

// Returns whether the browser may follow the link.
function send(type, target) {
  let follows = true;
  onRoleEvent({
    type,
    target,
    preventDefault: () => {
      follows = false;
    },
  });
  return follows;
}

test("pictures learn once which word is under the pointer, and then that there is none", () => {
  const { page, told, words } = begun();
  assert.equal(send("pointerover", words[0]), true);
  send("pointerover", words[0]);
  send("pointerover", page.body);
  send("pointerover", page.body);
  assert.deepEqual(told, ["query false", " false"]);
});

test("the focused word counts, unless the pointer is on another one", () => {
  const { page, told, words } = begun();
  document.activeElement = words[0];
  send("focusin", words[0]);
  send("pointerover", words[1]);
  send("pointerover", page.body);
  send("focusout", words[0]);
  assert.deepEqual(told, ["query false", "key false", "query false", " false"]);
});

test("each click scrolls to the matrices instead of following the link", () => {
  const { page, told, words } = begun();
  assert.equal(send("click", words[0]), false);
  send("click", words[0]);
  assert.deepEqual(told, ["query true", "query true"]);
  assert.equal(send("click", page.body), true);
  assert.deepEqual(told.slice(2), [" false"]);
  send("pointerover", {}); // what is no element of the page
  assert.equal(told.length, 3);
});

test("Tab goes only to words whose role is in a picture", () => {
  const { page, words } = begun();
  const picture = page.add("div");
  picture.setAttribute("data-roles", "value query");
  page.add("div").setAttribute("data-roles", "");
  onTab({ key: "Enter" });
  assert.deepEqual(
    words.map(({ tabIndex }) => tabIndex),
    [undefined, undefined],
  );
  onTab({ key: "Tab" });
  assert.deepEqual(
    words.map(({ tabIndex }) => tabIndex),
    [0, -1],
  );
});
