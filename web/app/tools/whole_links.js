import { wholeLink } from "../../pictures/whole_link.js";

const CUT_LINKS = ["-", ".", "_", "~", "+"].map((sign) => `a[href*="?"][href$="${sign}"]`).join();

/**
 * Lets the browser's own address never end in a sign that chats leave out. Streamlit writes it.
 *
 * Call it as often as you like: it acts once.
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

/** Does the same for the links on the page. */
export function keepLinksWhole() {
  for (const link of document.querySelectorAll(CUT_LINKS)) {
    link.setAttribute("href", wholeLink(link.getAttribute("href")));
  }
}
