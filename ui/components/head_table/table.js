// A table of heads. The name of a row is sent back to open it, that of a column to sort by it, and
// what a label opens.

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
    const table = element("table");
    const top = table.createTHead().insertRow();
    for (const { name, title, about } of columns) {
      const cell = header("col", element("button", {}, title));
      cell.dataset.name = name;
      cell.title = about;
      if (name === sorted) cell.ariaSort = down ? "descending" : "ascending";
      top.append(cell);
    }
    const body = table.createTBody();
    for (const { name, title, picture, chips, cells } of rows) {
      const line = body.insertRow();
      line.dataset.name = name;
      const map = element("img", { src: picture, alt: "" });
      line.append(header("row", element("button", {}, map, title)));
      const does = line.insertCell();
      for (const [sign, kind, title, opens] of chips) {
        const chip = element("span", { className: "chip" }, sign);
        const one = element(opens ? "button" : "span", { className: "does", title }, chip, ` ${kind}`);
        if (opens) one.dataset.name = opens;
        does.append(one);
      }
      for (const text of cells) line.append(element("td", { className: "number" }, text));
    }
    this.box.ariaLabel = label;
    this.box.replaceChildren(table);
    this.box.querySelector(`[data-name="${focused}"] button`)?.focus();
  }
}
