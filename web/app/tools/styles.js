import { element } from "../../pictures/elements.js";

const LOOK_AGAIN = 250; // milliseconds

let timer = 0;

/**
 * Loads the page's styles in Firefox.
 *
 * A style element imports them, which Streamlit sanitises in a separate document. Firefox then uses
 * that document's style sheet, in which nothing was loaded.
 *
 * @param {number} [looks] how often to retry while a sheet is loading
 */
export function loadStyles(looks = 20) {
  clearTimeout(timer);
  const sheets = [...document.querySelectorAll("style")].map(({ sheet }) => sheet);
  const rules = sheets.flatMap((sheet) => [...(sheet?.cssRules ?? [])]);
  const isLoading = rules.some(({ styleSheet }) => styleSheet === null);
  if (isLoading && looks) timer = setTimeout(loadStyles, LOOK_AGAIN, looks - 1);

  const empty = rules.find(({ styleSheet }) => styleSheet?.cssRules.length === 0);
  if (!empty || document.querySelector(`link[href="${empty.href}"]`)) return;
  document.head.append(element("link", { rel: "stylesheet", href: empty.href }));
}
