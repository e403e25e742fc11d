// Streamlit's own menu and the box that it opens speak English; here their words are put in the page's
// language, wherever one of them stands alone.

const FOREIGN = "[data-testid=stMainMenu], [data-testid=stMainMenuPopover], [data-testid=stDialog]";

// own: Streamlit's word -> ours
export function nameMenu(own) {
  for (const place of document.querySelectorAll(FOREIGN)) {
    const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      if (Object.hasOwn(own, text.data)) text.data = own[text.data];
    }
    for (const named of place.querySelectorAll("[aria-label]")) {
      named.dataset.foreign ??= named.ariaLabel; // it stays there when the language changes
      if (Object.hasOwn(own, named.dataset.foreign)) named.ariaLabel = own[named.dataset.foreign];
    }
  }
}
