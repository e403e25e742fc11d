// A picture of a component, which Streamlit may run twice at the same time.

import assert from "node:assert/strict";
import test from "node:test";

import { mount } from "../../web/app/mount.js";

class Picture {
  show(data) {
    this.shown = data;
  }

  stop() {
    this.shown = null;
  }
}

test("the end of a run is ignored if a newer run has replaced it", () => {
  // If both runs have waited for the script, Streamlit reports the end of the first run late.
  const parentElement = {};
  const run = (data) => mount(Picture)({ data, parentElement, setTriggerValue() {} });
  const end = run(1);
  const endLast = run(2);
  end();
  assert.equal(parentElement.view.shown, 2);
  endLast();
  assert.equal(parentElement.view.shown, null);
});
