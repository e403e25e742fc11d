// Positions of the boxes of the architecture figure, in units of the drawing.

const SUM_RADIUS = 9;
const FIRST_BOX = 3; // height at which the lowest box begins
const LABELS_IN_PILLS = ["tokens", "memory", "next_token"];
const WIDE = {
  width: 760,
  box: 286, // width of a box
  side: 30, // room beside a stack for its number of blocks
  pad: 10, // between a box and the frame of its block
  skip: 20, // space for residual connections
  high: 34, // height of a usual box
  norm: 22, // height of a norm
  pill: 28, // height of a box with round ends
  step: 12, // between two boxes
  font: 18, // pixels, font size
  widest: 825, // pixels of the figure, at most
};
const NARROW = {
  width: 358,
  box: 114,
  side: 22,
  pad: 5,
  skip: 15,
  high: 34, // two lines
  norm: 20,
  pill: 24,
  step: 10,
  font: 13,
  widest: 480,
};
const NARROW_BELOW = 540; // pixels of the page, below which the figure is narrow
const MEAN_LETTER = 0.56; // ems, about the width of a letter
const WIDE_LETTER = 0.6; // ems: a shortened label must fit, even if its letters are wide

/**
 * Returns the measures of the figure.
 *
 * @param {number} width pixels of the page
 * @returns {object} in units of the drawing; `isWide`: labels fit on one line
 */
export function sizesFor(width) {
  return width < NARROW_BELOW ? { ...NARROW, isWide: false } : { ...WIDE, isWide: true };
}

/**
 * Computes the positions of a stack's boxes, from bottom to top.
 *
 * @param {"encoder" | "decoder"} name the encoder is on the left
 * @param {object[]} boxes of this stack, from bottom to top
 * @param {object} sizes as `sizesFor` returns them
 * @returns {object} `boxes`, each with its centre `x` and its heights `low`, `middle` and `top`
 *   above the bottom; `low` and `high` of the frame; `top` of the stack; `out`, -1 if the outer
 *   side is on the left
 */
export function layStack(name, boxes, sizes) {
  const { width, side, pad, skip, box, step } = sizes;
  const isLeft = name === "encoder";
  const away = side + pad + skip + box / 2; // from the outer side
  const x = isLeft ? away : width - away;
  const stack = { name, x, out: isLeft ? -1 : 1, low: 0, high: 0, top: 0, boxes: [] };
  let y = FIRST_BOX;
  let isInBlock = false;
  for (const each of boxes) {
    if (each.in_block && !isInBlock) {
      stack.low = y - step / 2 + 2;
      y += step + 6;
    } else if (!each.in_block && isInBlock) {
      stack.high = y - step / 2 + 4;
      y += 8;
    }
    isInBlock = each.in_block;
    const height = heightOf(each.kind, sizes);
    stack.boxes.push({ ...each, x, low: y, middle: y + height / 2, top: y + height });
    y += height + step;
  }
  stack.top = y - step + 3;
  return stack;
}

function heightOf(kind, { high, norm, pill }) {
  if (isSum(kind)) return 2 * SUM_RADIUS;
  if (kind.endsWith("norm")) return norm;
  return isPill(kind) ? pill : high;
}

/**
 * Returns whether a box is a sum, which is drawn as a circle.
 *
 * @param {string} kind of the box
 * @returns {boolean}
 */
export function isSum(kind) {
  return kind.endsWith("_add") || kind === "position";
}

/**
 * Returns whether a box has round ends.
 *
 * @param {string} kind of the box
 * @returns {boolean}
 */
export function isPill(kind) {
  return LABELS_IN_PILLS.includes(kind);
}

/**
 * Returns the box to which an arrow key moves: the next box in its stack, or the nearest
 * box in the other stack.
 *
 * @param {object} box as `layStack` returns it
 * @param {object[]} boxes of both stacks
 * @param {number[]} step [down, right] of the key, each -1, 0 or 1
 * @returns {object | undefined} undefined at an end
 */
export function nextBox(box, boxes, [down, right]) {
  const isThere = (other) => {
    if (right) return (other.x - box.x) * right > 0;
    return other.x === box.x && (other.middle - box.middle) * down < 0;
  };
  const distance = (other) => Math.abs(other.middle - box.middle);
  const [next] = boxes.filter(isThere).sort((a, b) => distance(a) - distance(b));
  return next;
}

/**
 * Breaks a label into two lines at its first space if it is too long for its box.
 *
 * @param {string} label
 * @param {number} room in ems
 * @returns {string[]} one or two lines
 */
export function halves(label, room) {
  const space = label.indexOf(" ");
  if (label.length * MEAN_LETTER < room || space < 0) return [label];
  return [label.slice(0, space), label.slice(space + 1)];
}

/**
 * Shortens a label if it is too long for its box.
 *
 * @param {string} label
 * @param {number} room in ems
 * @returns {string}
 */
export function shortened(label, room) {
  const letters = [...label];
  const longest = Math.floor(room / WIDE_LETTER);
  return letters.length <= longest ? label : `${letters.slice(0, longest - 1).join("")}…`;
}

/**
 * Returns a line with round corners.
 *
 * @param {number[][]} points [x, y]
 * @returns {string} the `d` of an SVG path
 */
export function roundedPath(points) {
  let path = `M${points[0].join(" ")}`;
  for (let n = 1; n < points.length - 1; n++) {
    const [before, corner, after] = points.slice(n - 1, n + 2);
    const radius = Math.min(7, distanceOf(before, corner) / 2, distanceOf(corner, after) / 2);
    const begin = towards(corner, before, radius);
    const end = towards(corner, after, radius);
    path += `L${begin}Q${corner.join(" ")} ${end}`;
  }
  return `${path}L${points.at(-1).join(" ")}`;
}

function distanceOf([a, b], [c, d]) {
  return Math.hypot(a - c, b - d);
}

function towards([a, b], [c, d], length) {
  const share = length / (distanceOf([a, b], [c, d]) || 1);
  return `${a + (c - a) * share} ${b + (d - b) * share}`;
}
