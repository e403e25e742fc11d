// A table of heads. The name of a row is sent back to open it, that of a column to sort by it, and
// what a label opens.

class HeadTable {
  constructor(parent) {
    this.box = element("div", "scroll");
    this.box.setAttribute("role", "region");
    this.box.tabIndex = 0; // keys shall scroll it
    this.box.addEventListener("click", ({ target }) => {
      const named = target.closest("[data-name]"); // buttons are for keys: a row is one as a whole
      if (named) this.send("pick", named.dataset.name);
    });
    parent.append(this.box);
  }

  show({ columns, rows, sorted, down, label }) {
    const focused = this.box.getRootNode().activeElement?.closest("[data-name]")?.dataset.name;
    const table = element("table");
    const top = table.createTHead().insertRow();
    for (const { name, title, about } of columns) {
      const cell = heading(top, "col", title);
      cell.dataset.name = name;
      cell.title = about;
      if (name === sorted) cell.ariaSort = down ? "descending" : "ascending";
    }
    const body = table.createTBody();
    for (const { name, title, picture, chips, cells } of rows) {
      const line = body.insertRow();
      line.dataset.name = name;
      const map = element("img");
      Object.assign(map, { src: picture, alt: "" });
      heading(line, "row", title).firstChild.prepend(map);
      const does = line.insertCell();
      for (const [sign, kind, says, opens] of chips) {
        const one = element(opens ? "button" : "span", "does", ` ${kind}`);
        one.title = says;
        if (opens) one.dataset.name = opens;
        one.prepend(element("span", "chip", sign));
        does.append(one);
      }
      for (const text of cells) line.append(element("td", "number", text));
    }
    this.box.ariaLabel = label;
    this.box.replaceChildren(table);
    this.box.querySelector(`[data-name="${focused}"] button`)?.focus();
  }
}

function heading(line, scope, title) {
  const cell = header("", scope);
  cell.replaceChildren(element("button", "", title));
  line.append(cell);
  return cell;
}

export default mount(HeadTable);
