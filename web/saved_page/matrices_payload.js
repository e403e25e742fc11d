const DEFAULTS = { groups: 1, group: null, large: false, notes: [], frames: [], covered: [] };

/**
 * Returns the payload of `Matrices`.
 *
 * @param {object[]} matrices each with its labels, its `values`, its colours; the rest is default
 * @param {object} options
 * @param {string} options.asTable what the tables are called
 * @param {number[] | null} options.clicked matrix, row and column of the cell that is outlined
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
