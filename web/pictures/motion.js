/**
 * Returns whether the visitor has asked for pages that do not move.
 *
 * @returns {boolean}
 */
export function prefersStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Scrolls the page until an element can be seen.
 *
 * @param {Element} node
 * @param {string} [block] "nearest" scrolls no further than it must, "start" to the element's top
 */
export function scrollTo(node, block = "nearest") {
  node.scrollIntoView({ block, behavior: prefersStill() ? "instant" : "smooth" });
}
