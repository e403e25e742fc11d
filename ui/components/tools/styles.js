// The page's styles are imported by a style element that Streamlit cleans in a document of its own. Firefox
// gives the page the sheet of that document, in which nothing was loaded: then it is loaded here.

function loadStyles() {
  const rules = [...document.querySelectorAll("style")].flatMap(({ sheet }) => [...(sheet?.cssRules ?? [])]);
  if (rules.some(({ styleSheet }) => styleSheet === null)) setTimeout(loadStyles, 250); // one is on its way
  const empty = rules.find(({ styleSheet }) => styleSheet?.cssRules.length === 0);
  if (!empty || document.querySelector(`link[href="${empty.href}"]`)) return;
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: empty.href }));
}
