// What is too large for its box scrolls in it, for keys too: the browser gives the focus to what has
// a tabindex, and only such boxes get one as need it, for as long as they do.

const BOXES =
  ".st-key-tree, .token-table, .translation, .subwords, .katex-display, .stCode pre, .stMarkdown table";
let waiting = 0;

function markScrolling() {
  waiting = 0;
  for (const box of document.querySelectorAll(BOXES)) {
    const needed = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
    if (needed === box.hasAttribute("data-scrolls")) continue;
    box.toggleAttribute("data-scrolls", needed);
    if (needed) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

export const soon = () => (waiting ||= setTimeout(markScrolling, 200));
