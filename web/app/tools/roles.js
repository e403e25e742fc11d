// A word that names a role (ui/text/roles.py) lights whatever has this role in the pictures of the
// page, while the visitor points at the word or has reached it with keys. A click leads there.

const ROLE_WORD = 'a[href^="#role-"]';
const PREFIX = "#role-";

let lit = ""; // the role that is lit

/** The events after which a different role may be lit. */
export const ROLE_EVENTS = ["pointerover", "focusin", "focusout", "click"];

/**
 * Tells the pictures which role to light, by an event "role" of the page.
 *
 * @param {Event} event one of ROLE_EVENTS
 */
export function onRoleEvent(event) {
  const word = event.target.closest?.(ROLE_WORD);
  const role = roleOf(event, word);
  const go = event.type === "click" && Boolean(word); // scroll to what has this role
  if (go) event.preventDefault(); // the address stays as it is
  if (role === lit && !go) return;
  lit = role;
  dispatchEvent(new CustomEvent("role", { detail: { role, go } }));
}

// A word under the pointer counts first, then one with the focus.
function roleOf({ type }, word) {
  if (type === "focusout") return "";
  const focused = document.activeElement?.closest(ROLE_WORD);
  return (word ?? focused)?.hash.slice(PREFIX.length) ?? "";
}

/**
 * Lets the Tab key stop only at words that have something to light.
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
