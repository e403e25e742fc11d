import { element, token } from "./elements.js";

/**
 * Makes a table with a row for each row name and a column for each column name.
 *
 * @param {string} caption
 * @param {string[]} rows names of the rows
 * @param {string[]} columns names of the columns
 * @param {(row: number, column: number) => (string | Node)[]} contentOf content of a cell
 * @param {(string | null)[]} [languages] language tags of the names of rows and of columns
 * @returns {HTMLTableElement}
 */
export function tableOf(caption, rows, columns, contentOf, languages = []) {
  const [rowLanguage, columnLanguage] = languages;
  const columnNames = columns.map((name) => headerCell("col", token(name, columnLanguage)));
  const body = rows.map((name, i) => {
    const cells = columns.map((_, j) => element("td", {}, ...contentOf(i, j)));
    return element("tr", {}, headerCell("row", token(name, rowLanguage)), ...cells);
  });
  return element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, element("td"), ...columnNames)),
    element("tbody", {}, ...body),
  );
}

/**
 * Makes a cell that names a row or a column.
 *
 * @param {"row" | "col"} scope
 * @param {...(string | Node)} children
 * @returns {HTMLTableCellElement}
 */
export function headerCell(scope, ...children) {
  return element("th", { scope }, ...children);
}
