/**
 * Returns whether the visitor prefers reduced motion.
 *
 * @returns {boolean}
 */
export function prefersStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Scrolls the page until an element is visible.
 *
 * @param {Element} node
 * @param {string} [block] "nearest" scrolls as little as possible, "start" to the element's top
 */
export function scrollTo(node, block = "nearest") {
  node.scrollIntoView({ block, behavior: prefersStill() ? "instant" : "smooth" });
}
