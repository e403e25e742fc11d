const MARGIN = 6; // pixels between the element and the edge of the spotlight

/**
 * Returns the screen rectangle of the element that a tour step highlights.
 *
 * @param {object} step
 * @param {string} step.target CSS selector
 * @param {number | null} step.row a row of the map in it, from 0
 * @returns {object | null} `left`, `top`, `right` and `bottom`; null if it is not on the page
 */
export function boxOf({ target, row }) {
  const nodes = [...document.querySelectorAll(target)].filter((node) => node.checkVisibility());
  if (!nodes.length) return null;
  let box = around(nodes.map((node) => node.getBoundingClientRect()));
  const map = row === null ? null : mapIn(nodes[0]);
  if (map) box = intersection({ ...box, ...map.rowAt(row) }, box) ?? box;
  return {
    left: box.left - MARGIN,
    top: box.top - MARGIN,
    right: box.right + MARGIN,
    bottom: box.bottom + MARGIN,
  };
}

// Returns the first canvas if it is a map that knows the positions of its rows (attention_map.js).
function mapIn(node) {
  const hosts = [...node.querySelectorAll("*")];
  const canvases = hosts.map((host) => host.shadowRoot?.querySelector("canvas"));
  const canvas = canvases.find(Boolean);
  return canvas?.rowAt ? canvas : null;
}

// Returns the smallest rectangle that contains all boxes.
function around(boxes) {
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}

/**
 * Returns the intersection of two boxes.
 *
 * @param {object} one `left`, `top`, `right` and `bottom`
 * @param {object} other
 * @returns {object | null} null if it is empty
 */
export function intersection(one, other) {
  const common = {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  };
  return common.right > common.left && common.bottom > common.top ? common : null;
}

/**
 * Returns the position at which the bubble fits: below the spotlight, above it, to its right or
 * left, or else over its lower part.
 *
 * @param {object | null} lit `left`, `top`, `right` and `bottom` of the spotlight
 * @param {{width: number, height: number}} bubble
 * @param {{width: number, height: number}} screen
 * @param {number} gap pixels around the bubble
 * @returns {{left: number, top: number, covers: boolean}} `covers`: the bubble is over the lit part
 */
export function placeBubble(lit, bubble, screen, gap) {
  const right = screen.width - gap - bubble.width; // the rightmost position of the bubble
  const low = screen.height - gap - bubble.height;
  if (!lit) return { left: (screen.width - bubble.width) / 2, top: low, covers: false };
  const left = Math.min(Math.max(gap, lit.left), right);
  const beside = Math.min(Math.max(gap, lit.top), low);
  if (lit.bottom + gap <= low) return { left, top: lit.bottom + gap, covers: false };
  const above = lit.top - gap - bubble.height;
  if (above >= gap) return { left, top: above, covers: false };
  if (lit.right + gap <= right) return { left: lit.right + gap, top: beside, covers: false };
  const leftOfIt = lit.left - gap - bubble.width;
  if (leftOfIt >= gap) return { left: leftOfIt, top: beside, covers: false };
  return { left, top: low, covers: true };
}
