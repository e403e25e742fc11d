import { element } from "../../pictures/elements.js";
import { REDRAW } from "../../pictures/paper.js";
import { headerCell } from "../../pictures/table.js";
import { mount } from "../mount.js";

const BETWEEN = " · "; // between the parts of a head's name

/**
 * A table of heads. A click sends a name to Python: a row to open, a column to sort by, or the
 * target of a tag.
 *
 * `head_table` in ui/components/head_table describes the payload.
 */
class HeadTable {
  constructor(parent) {
    this.listening = null; // AbortController of the events of the window
    this.box = element("div", {
      className: "scroll",
      role: "region",
      tabIndex: 0, // keys scroll it
      onclick: (event) => this.click(event),
    });
    parent.append(this.box);
  }

  // A mouse can click anywhere in a row. The keyboard reaches only the buttons in it.
  click({ target }) {
    const named = target.closest("[data-name]");
    if (named) this.send("click", named.dataset.name);
  }

  show({ columns, rows, sorted, down, label }) {
    const { activeElement } = this.box.getRootNode();
    const focused = activeElement?.closest("[data-name]")?.dataset.name;
    const names = columns.map((column) => columnCell(column, sorted, down));
    const head = element("thead", {}, element("tr", {}, ...names));
    const body = element("tbody", {}, ...rows.map(rowOf));
    this.box.ariaLabel = label;
    this.box.replaceChildren(element("table", {}, head, body));
    this.box.querySelector(`[data-name="${focused}"] button`)?.focus();
    this.listening?.abort();
    this.listening = new AbortController();
    for (const name of [REDRAW, "resize"]) {
      addEventListener(name, () => this.endWithWholeRow(), { signal: this.listening.signal });
    }
    this.endWithWholeRow();
  }

  // A presented table cannot be scrolled, so it ends after the last completely visible row.
  endWithWholeRow() {
    const { style } = this.box;
    style.maxHeight = "";
    if (!document.documentElement.hasAttribute("data-present")) return;
    const height = this.box.clientHeight;
    const rows = [...this.box.querySelectorAll("tr")];
    const ends = rows.map((row) => row.offsetTop + row.offsetHeight);
    const end = ends.findLast((each) => each <= height);
    if (end) style.maxHeight = `${end}px`;
  }

  stop() {
    this.listening.abort();
  }
}

function columnCell({ name, title, about }, sorted, down) {
  const order = down ? "descending" : "ascending";
  const ariaSort = name === sorted ? order : null;
  const properties = { scope: "col", dataset: { name }, title: about, ariaSort };
  return element("th", properties, element("button", {}, title));
}

function rowOf({ name, title, picture, chips, cells, on_paper: onPaper }) {
  const maps = [element("img", { src: picture, alt: "" })];
  if (onPaper) maps.push(element("img", { src: onPaper, alt: "", className: "on-paper" }));
  return element(
    "tr",
    { dataset: { name } },
    headerCell("row", element("button", {}, ...maps, titleOf(title))),
    element("td", {}, ...chips.map(chipOf)),
    ...cells.map((text) => element("td", { className: "number" }, text)),
  );
}

// Returns the name of a head. On a phone its layer and number are in a line of their own.
function titleOf(title) {
  const [attention, ...place] = title.split(BETWEEN);
  if (!place.length) return title;
  const between = element("span", { className: "between" }, BETWEEN);
  const last = element("span", { className: "place" }, place.join(BETWEEN));
  return element("span", {}, attention, between, last);
}

// Returns the tag of one behaviour of a head; a `Chip` arrives as a list.
function chipOf([sign, name, says, opens]) {
  const chip = element("span", { className: "chip" }, sign);
  const properties = { className: "does", title: says };
  if (!opens) return element("span", properties, chip, ` ${name}`);
  return element("button", { ...properties, dataset: { name: opens } }, chip, ` ${name}`);
}

export default mount(HeadTable);
