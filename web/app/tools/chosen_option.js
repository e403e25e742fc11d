const LINES = '.st-key-menu-row, .st-key-bar, .stButtonGroup [role="radiogroup"]';
const CHOSEN = '.here, [aria-checked="true"]';

// line of options -> the option and the widths for which it was scrolled
const shown = new WeakMap();

let isAsked = false;

/**
 * Scrolls each line of options to its chosen option, before the browser paints the line.
 *
 * On a phone some options are in one line that scrolls: see web/app/page.css. A line is scrolled
 * once for each choice, so that a visitor can look at the other options, and again if it becomes
 * narrower or wider. The many calls of a changing page cause one check.
 */
export function showChosenSoon() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(showChosen);
}

function showChosen() {
  isAsked = false;
  for (const line of document.querySelectorAll(LINES)) {
    const chosen = line.querySelector(CHOSEN);
    const { scrollWidth, clientWidth } = line;
    if (!chosen || scrollWidth <= clientWidth + 1) continue;
    const before = shown.get(line);
    if (
      before?.chosen === chosen &&
      before.scrollWidth === scrollWidth &&
      before.clientWidth === clientWidth
    ) {
      continue;
    }
    shown.set(line, { chosen, scrollWidth, clientWidth });
    const { left, width } = chosen.getBoundingClientRect();
    const centred = line.getBoundingClientRect().left + (clientWidth - width) / 2;
    line.scrollLeft += left - centred;
  }
}
