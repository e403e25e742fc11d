// Small tools of a page: its address, its links, its connection, its charts, its messages.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakeElement, FakePage } from "./page.js";
import { showOnButton } from "../../web/app/tools/button_message.js";
import { copyAddress } from "../../web/app/tools/copy_address.js";
import { offerOwnTab } from "../../web/app/tools/own_tab.js";
import { watchConnection } from "../../web/app/tools/reconnect.js";
import { makeRoomInCharts } from "../../web/app/tools/relayout.js";
import { keepAddressWhole, keepLinksWhole } from "../../web/app/tools/whole_links.js";

mock.timers.enable({ apis: ["setTimeout"] });

function setClipboard(clipboard) {
  Object.defineProperty(globalThis, "navigator", { value: { clipboard }, configurable: true });
}

test("the address is copied without a sign at its end that chat programs cut off", async () => {
  globalThis.location = { href: "https://maps.example/?sentence=It+rains." };
  const copied = [];
  setClipboard({ writeText: (text) => copied.push(text) });
  assert.equal(await copyAddress(), true);
  assert.deepEqual(copied, ["https://maps.example/?sentence=It+rains%2E"]);
  setClipboard({ writeText: () => Promise.reject(new Error("forbidden")) });
  assert.equal(await copyAddress(), false);
});

test("without https the address is copied from a box", async () => {
  const page = new FakePage();
  globalThis.location = { href: "https://maps.example/?a=b." };
  setClipboard(undefined);
  FakeElement.prototype.select = function select() {
    document.selected = this;
  };
  for (const isCopied of [true, false]) {
    const commands = [];
    document.execCommand = (name) => {
      commands.push([name, document.selected.value, page.body.contains(document.selected)]);
      return isCopied;
    };
    assert.equal(await copyAddress(), isCopied);
    assert.deepEqual(commands, [["copy", "https://maps.example/?a=b%2E", true]]);
    assert.deepEqual(page.body.children, []);
  }
});

test("the address of a page and its links end whole", () => {
  const page = new FakePage();
  const written = [];
  const write = (state, title, url) => written.push(url);
  globalThis.location = { href: "https://maps.example/?a=b." };
  globalThis.history = { state: null, pushState: write, replaceState: write };
  keepAddressWhole();
  const { replaceState } = history;
  keepAddressWhole();
  assert.equal(history.replaceState, replaceState); // only once
  history.pushState(null, "", "?a=_");
  history.pushState(null, "", undefined);
  assert.deepEqual(written, ["https://maps.example/?a=b%2E", "?a=%5F", undefined]);

  const hrefs = ["?a=.", "?a=b", "page.", "?a=~"];
  const links = hrefs.map(() => page.add("a"));
  links.forEach((link, n) => link.setAttribute("href", hrefs[n]));
  keepLinksWhole();
  const found = links.map((link) => link.getAttribute("href"));
  assert.deepEqual(found, ["?a=%2E", "?a=b", "page.", "?a=%7E"]);
});

// A page in a frame of a site, or in none. Returns whether it is marked, and its link.
function framed(top) {
  const page = new FakePage();
  globalThis.location = new URL("https://maps.example/?embed=true&a=1");
  globalThis.window = { top };
  globalThis.window.parent = top ? {} : globalThis.window;
  const link = page.add("a", { className: "own-tab" });
  offerOwnTab();
  return [page.root.hasAttribute("data-framed"), link.href, link.target];
}

test("in a frame of another site an upload is offered in a tab of its own", () => {
  const link = ["https://maps.example/?a=1", "_blank"];
  assert.deepEqual(framed({ location: { origin: "https://other.example" } }), [true, ...link]);
  const hidden = {
    get location() {
      throw new Error("another site");
    },
  };
  assert.deepEqual(framed(hidden), [true, ...link]);
  assert.deepEqual(framed({ location: { origin: "https://maps.example" } }), [false, ...link]);
  assert.deepEqual(framed(null), [false, ...link]);
});

test("a page that has reconnected is noted, another state is not", () => {
  const page = new FakePage();
  const observed = [];
  let isOver = false;
  globalThis.MutationObserver = class {
    constructor(act) {
      this.act = act;
    }

    observe(...given) {
      observed.push([this, ...given]);
    }

    disconnect() {
      isOver = true;
    }
  };
  const ending = new AbortController();
  let connections = 0;
  const count = () => (connections += 1);
  watchConnection(count, ending.signal); // a page without a connection
  assert.deepEqual(observed, []);
  const app = page.add("div");
  app.setAttribute("data-test-connection-state", "DISCONNECTED_FOREVER");
  watchConnection(count, ending.signal);
  const [[observer, node, options]] = observed;
  assert.equal(node, app);
  assert.deepEqual(options, { attributeFilter: ["data-test-connection-state"] });
  observer.act();
  assert.equal(connections, 0);
  app.setAttribute("data-test-connection-state", "CONNECTED");
  observer.act();
  assert.equal(connections, 1);
  ending.abort();
  assert.equal(isOver, true);
});

test("charts measure again 0.6 seconds after the last change of the window", () => {
  const page = new FakePage();
  globalThis.PointerEvent = Event;
  const chart = page.add("div", { className: "vega-embed" });
  const svg = new FakeElement("svg");
  chart.append(svg);
  const events = [];
  svg.addEventListener("pointerout", ({ bubbles }) => events.push(bubbles));
  makeRoomInCharts();
  mock.timers.tick(500);
  makeRoomInCharts();
  mock.timers.tick(599);
  assert.deepEqual(events, []);
  mock.timers.tick(1);
  assert.deepEqual(events, [true]);
});

test("a button shows a message for 2.5 seconds, and says it", () => {
  new FakePage();
  const button = document.createElement("button");
  button.textContent = "Copy";
  button.ariaLabel = "Copy the address";
  const state = () => [button.textContent, button.ariaLabel, button.ariaLive];
  showOnButton(button, "Copied");
  showOnButton(button, "Copied again"); // a second click within the time
  assert.deepEqual(state(), ["Copied", "Copied", "polite"]);
  mock.timers.tick(2499);
  assert.deepEqual(state(), ["Copied", "Copied", "polite"]);
  mock.timers.tick(1);
  assert.deepEqual(state(), ["Copy", "Copy the address", null]);
});
