/**
 * Returns the ends and the width of each ribbon of several heads.
 *
 * Each head has a share of a token's height. The ribbons of a head from one query fill this share
 * from top to bottom, in the order of their keys. At a key, all ribbons of a head have a common
 * middle. The ribbons of two heads between two given tokens never cross.
 *
 * @param {number[]} heads from 0
 * @param {number[]} shape queries and keys
 * @param {(head: number, query: number, key: number) => number} share the weight, from 0 to 1
 * @param {number} rowHeight pixels from one token to the next
 * @param {number} rowGap pixels between the ribbons of two tokens
 * @returns {{head: number, query: number, key: number, share: number, width: number, left: number,
 *   right: number}[]} `width` in pixels; `left` and `right`: upper edge at the query and at the key
 */
export function layRibbons(heads, [queries, keys], share, rowHeight, rowGap) {
  const ribbons = [];
  const strand = (rowHeight - rowGap) / heads.length; // height of a head in the row of a token
  heads.forEach((head, n) => {
    const top = rowGap / 2 + n * strand;
    for (let query = 0; query < queries; query++) {
      let left = query * rowHeight + top;
      for (let key = 0; key < keys; key++) {
        const weight = share(head, query, key);
        const width = weight * strand;
        const right = key * rowHeight + top + (strand - width) / 2;
        ribbons.push({ head, query, key, share: weight, width, left, right });
        left += width;
      }
    }
  });
  return ribbons;
}

/**
 * Returns a point on the centre line of a ribbon. The line is a Bézier curve from left to right.
 *
 * @param {{left: number, right: number, width: number}} ribbon
 * @param {number} across pixels from its left end to its right end
 * @param {number} t from 0 (left end) to 1 (right end)
 * @returns {number[]} x and y in pixels
 */
export function ribbonPoint({ left, right, width }, across, t) {
  const s = 1 - t;
  const x = across * (1.2 * s * s * t + 1.8 * s * t * t + t ** 3);
  const y = left + (right - left) * (3 * t * t - 2 * t ** 3) + width / 2;
  return [x, y];
}

/**
 * Returns the initial section of a Bézier curve, by de Casteljau's algorithm.
 *
 * @param {number[][]} points four points [x, y]
 * @param {number} t length of the section, from 0 to 1 (the whole curve)
 * @returns {number[][]} four points
 */
export function beginningOf([a, b, c, d], t) {
  const between = (from, to) => from.map((value, axis) => value + (to[axis] - value) * t);
  const ab = between(a, b);
  const bc = between(b, c);
  const cd = between(c, d);
  const abc = between(ab, bc);
  const bcd = between(bc, cd);
  return [a, ab, abc, between(abc, bcd)];
}
