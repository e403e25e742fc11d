// A browser that translates a page replaces each text node by a <font> element.
// React draws the page and still refers to the text node.
// When React removes this node, it fails with a NotFoundError.
// So we remember which element shows a text, and remove that element instead.

import { observe } from "./observe.js";

const shownBy = new WeakMap(); // a text that was replaced -> the element that shows its translation

/**
 * Keeps the page working after a browser has translated it.
 *
 * Repeated calls have no effect.
 *
 * @param {AbortSignal} signal ends the observation
 */
export function watchTranslation(signal) {
  observe(document.body, { childList: true, subtree: true }, signal, (records) => {
    for (const record of records) noteTranslation(record);
  });
  changeNodes();
}

function noteTranslation({ addedNodes, removedNodes, previousSibling, nextSibling }) {
  const shown = [...addedNodes, previousSibling, nextSibling].find(isTranslation);
  for (const text of shown ? removedNodes : []) {
    if (text.nodeType === Node.TEXT_NODE && !text.isConnected) remember(text, shown);
  }
}

function isTranslation(node) {
  return node?.localName === "font" && node.isConnected;
}

// When a text changes, for example its language, the new text replaces the old translation.
function remember(text, shown) {
  shownBy.set(text, shown);
  const observer = new MutationObserver(() => {
    observer.disconnect();
    if (shownBy.get(text)?.isConnected) shownBy.get(text).replaceWith(text);
    shownBy.delete(text);
  });
  observer.observe(text, { characterData: true });
}

// Replaces two functions of the browser, so that they find the translation of a removed text.
function changeNodes() {
  const { prototype } = Node;
  if (prototype.removeChild.isPatient) return; // replaced before
  const { insertBefore, removeChild } = prototype;

  prototype.removeChild = function remove(child) {
    const shown = shownIn(this, child);
    if (shown === child) return removeChild.call(this, child);
    if (shown) removeChild.call(this, shown);
    return child;
  };

  prototype.insertBefore = function insert(node, next) {
    return insertBefore.call(this, node, next && shownIn(this, next));
  };

  prototype.removeChild.isPatient = true;
}

// Returns the child of `parent` that shows a node; null if nothing shows the node.
// This child is the node itself, its translation, or an element that the browser has put around it.
// A node that is elsewhere is returned unchanged, so that the browser reports the error.
function shownIn(parent, node) {
  if (node?.parentNode === parent) return node;
  let shown = shownBy.get(node) ?? node;
  if (shown?.isConnected && !parent.contains(shown)) return node;
  while (shown && shown.parentNode !== parent) shown = shown.parentNode;
  return shown;
}
