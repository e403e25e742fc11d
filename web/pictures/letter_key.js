const LATIN = /^\p{Script=Latin}$/u;
const NO_LETTER = new Set(["Process", "Unidentified", "Dead"]); // an input method took the key
const BOXES = "input, textarea, select, [contenteditable]:not([contenteditable=false])";

/**
 * Returns the Latin letter that is printed on a key, in lower case, independently of Caps Lock.
 *
 * Keyboards for other scripts also have Latin letters, at the positions of a US keyboard. If the
 * layout types Latin letters, the typed letter counts: a Dvorak keyboard has "p" elsewhere.
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
 * Returns whether a key is typed into a box, or has another effect that we must not change.
 *
 * @param {KeyboardEvent} event
 * @param {string} [boxes] CSS selector of the elements that take keys
 * @returns {boolean}
 */
export function isTaken(event, boxes = BOXES) {
  const [target] = event.composedPath(); // the innermost element, also inside a component
  const isHeld = event.ctrlKey || event.metaKey || event.altKey;
  return isHeld || event.isComposing || Boolean(target.closest?.(boxes));
}
