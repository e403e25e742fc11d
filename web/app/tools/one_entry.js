import { wholeLink } from "../../pictures/whole_link.js";

/**
 * Gives each opened page one entry in the browser's history, not two.
 *
 * Streamlit first pushes the address of the new page without a query. Then the page writes its
 * choices into the address, which would be a second entry. "Back" would stop at the first entry
 * and show the default sentence. On a slow machine, a click in the menu can arrive while the old
 * page reruns, and Streamlit pushes the current address once more.
 *
 * Sometimes Streamlit learns the choices of the new page before its name. It then first pushes the
 * old page with the choices of the new one, an address at which nobody was: the entry of the new
 * page takes its place. Repeated calls have no effect.
 */
export function keepOneEntryForAPage() {
  if (history.pushState.isOneEntry) return;
  const push = history.pushState.bind(history);
  let isJustOpened = false; // a page was opened, and the visitor has done nothing since
  let pushedOnce = ""; // the last address of the same page, if it was pushed only once
  history.pushState = (state, title, url) => {
    const address = new URL(wholeLink(String(url)), location.href);
    const isSamePage = address.pathname === location.pathname;
    const isSameAddress = address.href === location.href;
    const wasNobodyThere = location.href === pushedOnce && address.search === location.search;
    const takesTheEntry = isSamePage ? isSameAddress || isJustOpened : wasNobodyThere;
    if (takesTheEntry) history.replaceState(state, title, url);
    else push(state, title, url);
    pushedOnce = isSamePage && !takesTheEntry ? address.href : "";
    if (!isSamePage) isJustOpened = true;
  };
  history.pushState.isOneEntry = true;
  for (const name of ["pointerdown", "keydown"]) {
    const acts = () => {
      isJustOpened = false;
      pushedOnce = "";
    };
    addEventListener(name, acts, { capture: true });
  }
}
