const LINES = '.st-key-menu-row, .st-key-bar, .stButtonGroup [role="radiogroup"]';
const CHOSEN = '.here, [aria-checked="true"]';
const DELAY = 200; // milliseconds; collects the many calls of a changing page

const shown = new WeakMap(); // line of options -> the option that was chosen when it was scrolled

let timer = 0;

/**
 * Scrolls each line of options to its chosen option, after a short delay.
 *
 * On a phone some options are in one line that scrolls: see web/app/page.css. A line is scrolled
 * once for each choice, so that a visitor can look at the other options.
 */
export function showChosenSoon() {
  timer ||= setTimeout(showChosen, DELAY);
}

function showChosen() {
  timer = 0;
  for (const line of document.querySelectorAll(LINES)) {
    const chosen = line.querySelector(CHOSEN);
    const scrolls = line.scrollWidth > line.clientWidth + 1;
    if (!chosen || !scrolls || shown.get(line) === chosen) continue;
    shown.set(line, chosen);
    const { left, width } = chosen.getBoundingClientRect();
    const centred = line.getBoundingClientRect().left + (line.clientWidth - width) / 2;
    line.scrollLeft += left - centred;
  }
}
