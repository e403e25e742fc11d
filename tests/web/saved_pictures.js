// A page with pictures but without layout, as the pages without a server are.

import { FakeElement, FakePage } from "./page.js";

/**
 * Makes a page whose elements are 640 pixels wide, with two colours in each scale.
 *
 * @returns {FakePage}
 */
export function pageOfPictures() {
  const page = new FakePage();
  globalThis.innerHeight = 900;
  globalThis.CSSStyleSheet = class {
    replaceSync(text) {
      this.text = text;
    }
  };
  FakeElement.prototype.clientWidth = 640;
  FakeElement.prototype.offsetWidth = 0;
  FakeElement.prototype.scrollIntoView = function scrollIntoView(how) {
    document.scrolledTo = [this, how];
  };
  globalThis.getComputedStyle = () => ({
    fontSize: "14px",
    fontFamily: "serif",
    color: "rgb(0, 0, 0)",
    getPropertyValue: (name) => (name.endsWith("-colors") ? '["#000000", "#ffffff"]' : "#888888"),
  });
  return page;
}
