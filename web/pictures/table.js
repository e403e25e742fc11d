import { element, header, token } from "./elements.js";

// A row for each name, and in it what `cell` says of each pair: a list of texts and elements.
export function tableOf(caption, rows, columns, cell, [rowLanguage, columnLanguage] = []) {
  const top = element(
    "tr",
    {},
    element("td"),
    ...columns.map((name) => header("col", token(name, columnLanguage))),
  );
  const body = rows.map((name, i) => {
    const cells = columns.map((_, j) => element("td", {}, ...cell(i, j)));
    return element("tr", {}, header("row", token(name, rowLanguage)), ...cells);
  });
  const parts = [
    element("caption", {}, caption),
    element("thead", {}, top),
    element("tbody", {}, ...body),
  ];
  return element("table", {}, ...parts);
}
