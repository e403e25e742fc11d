// A table of heads. The name of a row is sent back to open it, that of a column to sort by it, and
// what a label opens.

import { mount } from "../mount.js";
import { element, header } from "../../pictures/elements.js";

class HeadTable {
  constructor(parent) {
    const onclick = ({ target }) => {
      const named = target.closest("[data-name]"); // buttons are for keys: a row is one as a whole
      if (named) this.send("pick", named.dataset.name);
    };
    this.box = element("div", { className: "scroll", role: "region", tabIndex: 0, onclick }); // for keys
    parent.append(this.box);
  }

  show({ columns, rows, sorted, down, label }) {
    const focused = this.box.getRootNode().activeElement?.closest("[data-name]")?.dataset.name;
    const top = columns.map(({ name, title, about }) => {
      const ariaSort = name === sorted ? (down ? "descending" : "ascending") : null;
      const cell = { scope: "col", dataset: { name }, title: about, ariaSort };
      return element("th", cell, element("button", {}, title));
    });
    const body = rows.map(({ name, title, picture, chips, cells }) => {
      const map = element("img", { src: picture, alt: "" });
      const numbers = cells.map((text) => element("td", { className: "number" }, text));
      const does = element("td", {}, ...chips.map(labelOf));
      return element(
        "tr",
        { dataset: { name } },
        header("row", element("button", {}, map, title)),
        does,
        ...numbers,
      );
    });
    const parts = [element("thead", {}, element("tr", {}, ...top)), element("tbody", {}, ...body)];
    this.box.ariaLabel = label;
    this.box.replaceChildren(element("table", {}, ...parts));
    this.box.querySelector(`[data-name="${focused}"] button`)?.focus();
  }
}

function labelOf([sign, kind, title, opens]) {
  const [tag, dataset] = opens ? ["button", { name: opens }] : ["span"];
  return element(
    tag,
    { className: "does", title, dataset },
    element("span", { className: "chip" }, sign),
    ` ${kind}`,
  );
}

export default mount(HeadTable);
