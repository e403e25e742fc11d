// A word that names a role (ui/text/roles.py) highlights all elements with this role.
// They are highlighted while the word is under the pointer or has the focus.
// A click on the word scrolls to the first highlighted picture.

const ROLE_WORD = 'a[href^="#role-"]';
const PREFIX = "#role-";

let lit = ""; // the role that is highlighted

/** The events that may change the highlighted role. */
export const ROLE_EVENTS = ["pointerover", "focusin", "focusout", "click"];

/**
 * Sends an event "role" to the pictures, with the role to highlight.
 *
 * @param {Event} event one of ROLE_EVENTS
 */
export function onRoleEvent(event) {
  const word = event.target.closest?.(ROLE_WORD);
  const role = roleOf(event, word);
  const go = event.type === "click" && Boolean(word); // scroll to the matrices of this role
  if (go) event.preventDefault(); // do not follow the link
  if (role === lit && !go) return;
  lit = role;
  dispatchEvent(new CustomEvent("role", { detail: { role, go } }));
}

// Returns the role of the word under the pointer, or else of the focused word.
function roleOf({ type }, word) {
  if (type === "focusout") return "";
  const focused = document.activeElement?.closest(ROLE_WORD);
  return (word ?? focused)?.hash.slice(PREFIX.length) ?? "";
}

/**
 * Limits the Tab key to words whose role occurs in a picture.
 *
 * @param {KeyboardEvent} event
 */
export function onTab({ key }) {
  if (key !== "Tab") return;
  const pictures = [...document.querySelectorAll("[data-roles]")];
  const roles = pictures.flatMap(({ dataset }) => dataset.roles.split(" "));
  for (const word of document.querySelectorAll(ROLE_WORD)) {
    word.tabIndex = roles.includes(word.hash.slice(PREFIX.length)) ? 0 : -1;
  }
}
