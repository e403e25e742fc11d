// A word that names a role (ui/text/roles.py) lights what has this role on the page, while it is
// pointed at or has the keys; pressed, it leads there. Pictures listen for "role".

const ROLE = 'a[href^="#role-"]';
export const POINTED_AT = ["pointerover", "focusin", "focusout", "click"];
let lit = "";

export function onRole(event) {
  const word = event.target.closest?.(ROLE);
  const held = event.type === "focusout" ? null : document.activeElement?.closest(ROLE);
  const role = (word && event.type !== "focusout" ? word : held)?.hash.slice("#role-".length) ?? "";
  const go = event.type === "click" && Boolean(word);
  if (go) event.preventDefault(); // the address stays as it is
  if (role === lit && !go) return;
  lit = role;
  dispatchEvent(new CustomEvent("role", { detail: { role, go } }));
}

// The keys stop at words that have something to light, and pass the others.
export function onTab({ key }) {
  if (key !== "Tab") return;
  const shown = [...document.querySelectorAll("[data-roles]")].flatMap(({ dataset }) =>
    dataset.roles.split(" "),
  );
  for (const word of document.querySelectorAll(ROLE)) {
    word.tabIndex = shown.includes(word.hash.slice("#role-".length)) ? 0 : -1;
  }
}
