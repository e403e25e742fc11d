// An opened page has one entry in the browser's history.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { keepOneEntryForAPage } from "../../web/app/tools/one_entry.js";

// A history of addresses, on a page that a visitor has just clicked.
function begun() {
  new FakePage();
  const go = (path) => {
    globalThis.location = new URL(path, "https://maps.example/start");
  };
  const entries = ["/start"];
  go("/start");
  globalThis.history = {
    pushState: (state, title, url) => {
      go(url);
      entries.push(url);
    },
    replaceState: (state, title, url) => {
      go(url);
      entries[entries.length - 1] = url;
    },
  };
  keepOneEntryForAPage();
  const push = (url) => history.pushState(null, "", url);
  return { entries, push };
}

test("the choices of a page that was just opened are written into its entry", () => {
  const { entries, push } = begun();
  push("/heads");
  push("/heads?layer=1");
  push("/heads?layer=2");
  assert.deepEqual(entries, ["/start", "/heads?layer=2"]);
});

test("a choice of the visitor is a new entry", () => {
  for (const name of ["pointerdown", "keydown"]) {
    const { entries, push } = begun();
    push("/heads");
    dispatchEvent(new Event(name));
    push("/heads?layer=1");
    push("/heads?layer=2");
    assert.deepEqual(entries, ["/start", "/heads", "/heads?layer=1", "/heads?layer=2"]);
  }
});

test("on the first page of a visit, choices are new entries", () => {
  const { entries, push } = begun();
  push("/start?layer=1");
  assert.deepEqual(entries, ["/start", "/start?layer=1"]);
});

test("the same address is no new entry", () => {
  const { entries, push } = begun();
  push("/start?layer=1");
  push("/start?layer=1");
  assert.deepEqual(entries, ["/start", "/start?layer=1"]);
});

test("an old page with the choices of the new one is no entry", () => {
  const { entries, push } = begun();
  push("/start?layer=2");
  dispatchEvent(new Event("pointerdown")); // on the link to the new page
  push("/start?checkpoint=tiny");
  push("/heads?checkpoint=tiny");
  assert.deepEqual(entries, ["/start", "/start?layer=2", "/heads?checkpoint=tiny"]);
});

test("a choice that the old page took before it was left stays an entry", () => {
  const typed = "/start?sentence=new";
  for (const after of [["/heads"], [typed, "/heads?sentence=new"], ["/heads?layer=2"]]) {
    const { entries, push } = begun();
    dispatchEvent(new Event("pointerdown")); // on the link, which takes what was typed
    push(typed);
    after.forEach(push);
    assert.deepEqual(entries, ["/start", typed, after.at(-1)]);
  }
});

test("an action of the visitor between two pages confirms the address of the first", () => {
  const { entries, push } = begun();
  push("/start?sentence=new");
  dispatchEvent(new Event("keydown"));
  push("/heads?sentence=new");
  assert.deepEqual(entries, ["/start", "/start?sentence=new", "/heads?sentence=new"]);
});

test("the history is watched once, and a click is heard before the page hears it", (context) => {
  const add = context.mock.method(EventTarget.prototype, "addEventListener");
  begun();
  const push = history.pushState;
  keepOneEntryForAPage();
  assert.equal(history.pushState, push);
  assert.deepEqual(
    add.mock.calls.map(({ arguments: [name, , options] }) => [name, options.capture]),
    [
      ["pointerdown", true],
      ["keydown", true],
    ],
  );
});
