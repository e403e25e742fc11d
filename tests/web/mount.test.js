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

test("the end of a run that a newer one has replaced is ignored", () => {
  // Streamlit ends the first run late if both have waited for the script.
  const parentElement = {};
  const run = (data) => mount(Picture)({ data, parentElement, setTriggerValue() {} });
  const end = run(1);
  const endLast = run(2);
  end();
  assert.equal(parentElement.view.shown, 2);
  endLast();
  assert.equal(parentElement.view.shown, null);
});
