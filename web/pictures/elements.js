// Makes elements of a page. Typed text becomes text or an attribute, never HTML.

/**
 * Makes an element.
 *
 * @param {string} name such as "div"
 * @param {object} [properties] of the element; `dataset` holds its data attributes
 * @param {...(string | Node)} children texts and elements in it
 * @returns {HTMLElement}
 */
export function element(name, { dataset, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  Object.assign(made.dataset, dataset);
  made.append(...children);
  return made;
}

/**
 * Makes a button.
 *
 * @param {string} className
 * @param {string} text
 * @param {(event: Event) => void} onclick
 * @returns {HTMLButtonElement}
 */
export function button(className, text, onclick) {
  return element("button", { type: "button", className, onclick }, text);
}

/**
 * Makes the element of a token, isolated from the text direction around it.
 *
 * @param {string} text
 * @param {string | null} lang language tag; null if it is not known
 * @param {object} [inFull] tooltips of tokens that show only a part of a character
 * @returns {HTMLElement}
 */
export function token(text, lang, inFull = {}) {
  const made = element("bdi", { translate: false }, text);
  if (inFull[text]) made.title = inFull[text];
  if (lang) made.lang = lang;
  return made;
}
