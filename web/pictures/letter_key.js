const LATIN = /^\p{Script=Latin}$/u;
const NO_LETTER = new Set(["Process", "Unidentified", "Dead"]); // an input method took the key
const BOXES = "input, textarea, select, [contenteditable]:not([contenteditable=false])";

/**
 * Returns the Latin letter that is printed on a key, in lower case, whatever Caps Lock says.
 *
 * Keyboards for other scripts have Latin letters beside their own, at the places of a US keyboard.
 * Where the layout types Latin letters, the letter that it types counts: on a Dvorak keyboard "p"
 * is at a different place.
 *
 * @param {KeyboardEvent} event
 * @returns {string} the name of the key if it is not a letter, such as "Enter"
 */
export function letterKey({ key, code }) {
  if (LATIN.test(key)) return key.toLowerCase();
  const isForeign = /^\p{L}\p{M}*$/u.test(key) || NO_LETTER.has(key);
  const [, letter] = (isForeign && code.match(/^Key([A-Z])$/)) || [];
  return letter ? letter.toLowerCase() : key;
}

/**
 * Returns whether a key goes into a box, or does something that is not ours to change.
 *
 * @param {KeyboardEvent} event
 * @param {string} [boxes] CSS selector of what takes keys
 * @returns {boolean}
 */
export function isTaken(event, boxes = BOXES) {
  const [target] = event.composedPath(); // the innermost element, also inside a component
  const isHeld = event.ctrlKey || event.metaKey || event.altKey;
  return isHeld || event.isComposing || Boolean(target.closest?.(boxes));
}
