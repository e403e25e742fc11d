const BOXES =
  ".st-key-tree, .token-table, .checked-draft, .translation, .subwords, .katex-display, " +
  ".stCode pre, .stMarkdown table, .st-key-five_minutes-control";
const DELAY = 200; // milliseconds; collects the many calls of a changing page

let timer = 0;

/**
 * Makes scrolling boxes reachable by keys, after a short delay.
 *
 * A browser focuses only elements with a tabindex. A box has a tabindex as long as it scrolls.
 */
export function markScrollingSoon() {
  timer ||= setTimeout(markScrolling, DELAY);
}

function markScrolling() {
  timer = 0;
  for (const box of document.querySelectorAll(BOXES)) {
    const isWide = box.scrollWidth > box.clientWidth + 1;
    const isHigh = box.scrollHeight > box.clientHeight + 1;
    const scrolls = isWide || isHigh;
    if (scrolls === box.hasAttribute("data-scrolls")) continue;
    box.toggleAttribute("data-scrolls", scrolls);
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
