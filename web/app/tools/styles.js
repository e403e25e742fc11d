// The page's styles are imported by a style element that Streamlit cleans in a document of its own. Firefox
// gives the page the sheet of that document, in which nothing was loaded: then it is loaded here.

import { element } from "../../pictures/elements.js";

let nextLook;

export function loadStyles(looks = 20) {
  clearTimeout(nextLook);
  const rules = [...document.querySelectorAll("style")].flatMap(({ sheet }) => [
    ...(sheet?.cssRules ?? []),
  ]);
  const onItsWay = rules.some(({ styleSheet }) => styleSheet === null);
  if (onItsWay && looks) nextLook = setTimeout(loadStyles, 250, looks - 1);
  const empty = rules.find(({ styleSheet }) => styleSheet?.cssRules.length === 0);
  if (!empty || document.querySelector(`link[href="${empty.href}"]`)) return;
  document.head.append(element("link", { rel: "stylesheet", href: empty.href }));
}
