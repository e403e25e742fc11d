const FOREIGN = "[data-testid=stMainMenu], [data-testid=stMainMenuPopover], [data-testid=stDialog]";

/**
 * Translates Streamlit's own menu, and the box that it opens: they speak English.
 *
 * @param {object} words Streamlit's word -> ours, replaced wherever one is a text by itself
 */
export function translateMenu(words) {
  for (const place of document.querySelectorAll(FOREIGN)) {
    const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      if (Object.hasOwn(words, text.data)) text.data = words[text.data];
    }
    for (const named of place.querySelectorAll("[aria-label]")) {
      // the English text, needed when the language changes
      named.dataset.foreign ??= named.ariaLabel;
      const { foreign } = named.dataset;
      if (Object.hasOwn(words, foreign)) named.ariaLabel = words[foreign];
    }
  }
}
