const FOREIGN = "[data-testid=stMainMenu], [data-testid=stMainMenuPopover], [data-testid=stDialog]";

/**
 * Translates Streamlit's own menu and its dialogs, which are in English.
 *
 * @param {object} words Streamlit's text -> our translation; only whole texts are replaced
 */
export function translateMenu(words) {
  for (const place of document.querySelectorAll(FOREIGN)) {
    const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      if (Object.hasOwn(words, text.data)) text.data = words[text.data];
    }
    for (const named of place.querySelectorAll("[aria-label]")) {
      // keep the English text, which is needed when the language changes
      named.dataset.foreign ??= named.ariaLabel;
      const { foreign } = named.dataset;
      if (Object.hasOwn(words, foreign)) named.ariaLabel = words[foreign];
    }
  }
}
