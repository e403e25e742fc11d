// Elements of a page. Whatever a visitor typed is set as text or as an attribute, never as HTML.

// An element with these properties, in which texts and other elements stand.
export function element(tag, { dataset, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  Object.assign(made.dataset, dataset);
  made.append(...children);
  return made;
}

export const button = (className, text, onclick) =>
  element("button", { type: "button", className, onclick }, text);

// A token is of a language, and turns nothing around it if it is written from right to left. A part of
// a character says its bytes when one points at it.
export function token(text, lang, told = {}) {
  const made = element("bdi", {}, text);
  if (told[text]) made.title = told[text];
  if (lang) made.lang = lang;
  return made;
}

export const header = (scope, ...children) => element("th", { scope }, ...children);
