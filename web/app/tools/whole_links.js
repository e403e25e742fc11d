import { wholeLink } from "../../pictures/whole_link.js";

const CUT_LINKS = ["-", ".", "_", "~", "+"].map((sign) => `a[href*="?"][href$="${sign}"]`).join();

/**
 * Ensures that the browser's address never ends with a character that chat programs cut off a link.
 *
 * Streamlit writes the address. Repeated calls have no effect.
 */
export function keepAddressWhole() {
  if (history.replaceState.isWhole) return;
  for (const name of ["pushState", "replaceState"]) {
    const write = history[name].bind(history);
    history[name] = (state, title, url) => write(state, title, url && wholeLink(String(url)));
  }
  history.replaceState.isWhole = true;
  history.replaceState(history.state, "", location.href); // a link from before this rule
}

/** Ensures that no link on the page ends with a character that chat programs cut off. */
export function keepLinksWhole() {
  for (const link of document.querySelectorAll(CUT_LINKS)) {
    link.setAttribute("href", wholeLink(link.getAttribute("href")));
  }
}
