// A table of heads. What is sent back is the name of a row, to open it, or of a column, to sort by it.

export default function ({ data, parentElement, setTriggerValue }) {
  const view = parentElement.headTable ?? (parentElement.headTable = new HeadTable(parentElement));
  view.pick = (name) => setTriggerValue("pick", name);
  view.show(data);
}

class HeadTable {
  constructor(parent) {
    this.box = element("div", "scroll");
    this.box.setAttribute("role", "region");
    this.box.tabIndex = 0; // it may be too wide, and keys shall scroll it
    this.box.addEventListener("click", (event) => this.click(event));
    parent.append(this.box);
  }

  show({ columns, rows, sorted, down, label }) {
    const focused = this.box.getRootNode().activeElement?.dataset.name;
    const table = element("table");
    const top = table.createTHead().insertRow();
    for (const { name, title, about } of columns) {
      const cell = header("", "col");
      cell.replaceChildren(button(name, title));
      cell.title = about;
      if (name === sorted) cell.ariaSort = down ? "descending" : "ascending";
      top.append(cell);
    }
    const body = table.createTBody();
    for (const row of rows) this.row(body.insertRow(), row);
    this.box.setAttribute("aria-label", label);
    this.box.replaceChildren(table);
    if (focused) this.box.querySelector(`[data-name="${focused}"]`)?.focus();
  }

  row(line, { name, title, picture, chips, cells }) {
    line.dataset.row = name;
    const open = button(name, title);
    const map = element("img");
    map.src = picture;
    map.alt = "";
    open.prepend(map);
    const head = header("", "row");
    head.replaceChildren(open);
    line.append(head);
    const does = line.insertCell();
    for (const [sign, kind, says] of chips) {
      const one = element("span", "does", kind);
      one.title = says;
      one.prepend(element("span", "chip", sign), " ");
      does.append(one);
    }
    for (const text of cells) line.append(element("td", "number", text));
  }

  // The button of a row is for keys: the pointer may press anywhere in it.
  click({ target }) {
    const name = target.closest("button")?.dataset.name ?? target.closest("[data-row]")?.dataset.row;
    if (name) this.pick(name);
  }
}

function button(name, title) {
  const made = element("button", "", title);
  made.type = "button";
  made.dataset.name = name;
  return made;
}
