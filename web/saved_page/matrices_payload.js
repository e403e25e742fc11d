const DEFAULTS = { groups: 1, group: null, large: false, notes: [], frames: [], covered: [] };

/**
 * Returns the payload of `Matrices`.
 *
 * @param {object[]} matrices each with its texts, `values`, `scale` and `limit`; other fields get
 *   defaults
 * @param {object} options
 * @param {string} options.asTable the caption of the tables
 * @param {number[] | null} options.clicked matrix, row and column of the outlined cell
 * @param {boolean} [options.clickable] whether cells can be clicked
 * @returns {object}
 */
export function matricesPayload(matrices, { asTable, clicked, clickable = false }) {
  return {
    matrices: matrices.map((matrix) => {
      const rows = matrix.rowLabels.length;
      const columns = matrix.values.length / rows;
      return { ...DEFAULTS, rows, columns, ...matrix };
    }),
    operators: ["→"],
    links: [],
    largest: 44, // pixels of a cell
    asTable,
    clicked,
    clickable,
  };
}
