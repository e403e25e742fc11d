const SPREAD_GAP = 12; // pixels between heads that are pulled apart
const LABEL_ANGLE = (40 * Math.PI) / 180; // of column labels that are wider than their column
const LABEL_GAP = 12; // pixels between the labels of numbered columns
const LABELS_FROM = 12; // pixels of a cell that has room for a column label
const LARGE_MAP_CELL = 13; // pixels: a large map scrolls rather than have narrower cells
const LOWEST_ROW = 17; // pixels of a row of a large map
const MOST_LABELLED_ROWS = 48; // a small matrix with more rows is not higher than the next number
const MANY_ROWS_HEIGHT = 640; // pixels
const ROWS_OF_FULL_HEIGHT = 11; // with more rows, a large map has lower rows
const HIGHEST_SHAPE = 1.8; // height of a cell of a large map divided by its width, at most
const SCALE_HEIGHT = 44; // pixels below a large map for the legend of its colours
const SCALE_WIDTH = 160; // pixels of the colour scale
const BAR_HEIGHT = 20; // pixels above a matrix for the numbers of its heads
const VECTOR_CELL = 36; // pixels of the column of a vector that has room for its numbers
const READABLE_CELL = 22; // pixels of cells that are put side by side even on a narrow page

// Pixels of a cell, below which column labels are vertical: slanted ones would lean over their
// neighbours.
const UPRIGHT_BELOW = 32;
const WIDEST_UPRIGHT = UPRIGHT_BELOW - 0.1; // pixels of the widest cell whose label is vertical

/** Pixels of a cell of a narrow page, below which the cells get the room of the notes. */
export const NOTED_CELL = 24;

/** Width of a page in pixels, below which matrices are one below the other. */
export const NARROW_PAGE = 600;

/** Pixels of the lowest row of a small matrix that has room for a label. */
export const LABELLED_ROW = 15;

/** Pixels of the highest row of a large map. */
export const HIGHEST_ROW = 40;

/**
 * The layout of a matrix on its canvas, in pixels of the page.
 *
 * From left to right: row labels, cells, notes. From top to bottom: column labels, the numbers of
 * the heads, cells, the colour scale. This class measures and draws nothing.
 */
export class MapLayout {
  /** @param {object} matrix as `show_matrices` in ui/components/matrices sends it */
  constructor(matrix) {
    this.rows = matrix.rows;
    this.columns = matrix.columns;
    this.groups = matrix.groups;
    this.groupSize = matrix.columns / matrix.groups; // columns of one head
    this.isLarge = matrix.large;
    this.hasScale = matrix.scaled; // the legend of its colours
    this.isNumbered = matrix.numbered; // whether only some columns need a label
    this.isSpread = matrix.spread;
    this.fromRight = matrix.directions[1] === "rtl"; // whether column 0 is the rightmost one
    this.gap = 0; // current gap between two heads

    // Set by `measure`.
    this.left = 0; // of the cells
    this.noteWidth = 0;
    this.isLabelled = false; // whether columns have labels
    this.columnLabelWidth = 0;
    this.gapsWidth = 0; // total width of the gaps when the heads are apart
    this.slantedRoom = 0; // pixels at the right that only slanted column labels need

    // Set by `fit`.
    this.cellWidth = 0;
    this.cellHeight = 0;
    this.labelEvery = 1; // columns from one drawn label to the next
    this.labelAngle = 0; // of column labels, in radians
    this.hasColumnLabels = false; // whether they are drawn
    this.barHeight = 0;
    this.top = 0; // of the cells
    this.width = 0; // of the canvas
    this.height = 0;
  }

  /**
   * Stores the widths of the longest labels.
   *
   * @param {object} widths `rowLabel`, `columnLabel` and `note` in pixels; null if there are none
   * @returns {number} pixels of the canvas beside its cells if column labels are slanted
   */
  measure({ rowLabel, columnLabel, note }) {
    this.left = rowLabel === null ? 0 : rowLabel + 8;
    this.noteWidth = note === null ? 0 : note + 8;
    this.isLabelled = columnLabel !== null;
    this.columnLabelWidth = columnLabel ?? 0;
    this.gapsWidth = this.isSpread ? SPREAD_GAP * (this.groups - 1) : 0;
    const slanted = this.isNumbered ? 0 : this.columnLabelWidth * Math.cos(LABEL_ANGLE);
    const right = Math.max(this.noteWidth, slanted);
    this.slantedRoom = right - this.noteWidth;
    return this.left + this.gapsWidth + right + 4;
  }

  /**
   * Sets the size of the cells.
   *
   * @param {number} cellWidth pixels available for one column
   * @param {number} largest maximum pixels of a row
   * @param {number} [highest] maximum pixels of a row of a large map
   * @param {number} [lowest] minimum pixels of a row of a small matrix
   */
  fit(cellWidth, largest, highest = HIGHEST_ROW, lowest = LABELLED_ROW) {
    this.cellWidth = this.isLarge ? Math.max(LARGE_MAP_CELL, cellWidth) : cellWidth;
    this.cellHeight = this.heightOfRow(largest, highest, lowest);
    this.labelEvery = this.isNumbered ? this.columnsOfLabel() : 1;
    this.hasColumnLabels = this.isLabelled && this.labelWidth >= LABELS_FROM;
    this.labelAngle = this.angleOfLabels();
    this.barHeight = this.groups > 1 ? BAR_HEIGHT : 0;
    this.top = this.heightOfLabels() + this.barHeight;
    const slanted = this.labelAngle ? this.columnLabelWidth * Math.cos(this.labelAngle) : 0;
    const right = Math.max(this.noteWidth, slanted);
    const cells = this.columns * this.cellWidth + this.gapsWidth;
    const scale = this.hasScale ? SCALE_WIDTH + 90 : 0;
    this.width = Math.max(this.left + cells + right + 2, scale);
    this.height = this.top + this.rows * this.cellHeight + (this.hasScale ? SCALE_HEIGHT : 2);
  }

  // Returns over how many columns a horizontal label needs the room: 1, 2, 4, 8 ...
  columnsOfLabel() {
    const needed = (this.columnLabelWidth + LABEL_GAP) / this.cellWidth;
    return 2 ** Math.max(0, Math.ceil(Math.log2(needed)));
  }

  heightOfRow(largest, highest, lowest) {
    if (this.isLarge) {
      const shared = (ROWS_OF_FULL_HEIGHT * highest) / this.rows;
      const wanted = Math.min(highest, shared, HIGHEST_SHAPE * this.cellWidth);
      return Math.max(LOWEST_ROW, wanted);
    }
    if (this.rows <= MOST_LABELLED_ROWS) {
      return Math.min(largest, Math.max(lowest, this.cellWidth));
    }
    return Math.max(1, Math.min(this.cellWidth, MANY_ROWS_HEIGHT / this.rows));
  }

  angleOfLabels() {
    if (!this.hasColumnLabels || this.columnLabelWidth <= this.labelWidth - 4) return 0;
    return this.cellWidth < UPRIGHT_BELOW ? Math.PI / 2 : LABEL_ANGLE;
  }

  heightOfLabels() {
    if (!this.hasColumnLabels) return 0;
    return this.labelAngle ? this.columnLabelWidth * Math.sin(this.labelAngle) + 16 : 22;
  }

  /** Whether the columns have labels, but the cells are too narrow for them. */
  get lacksLabels() {
    return this.isLabelled && !this.hasColumnLabels;
  }

  /** The room of a column label, in pixels. */
  get labelWidth() {
    return this.labelEvery * this.cellWidth;
  }

  /** Whether the cells are so narrow that column labels are vertical. */
  get isNarrow() {
    return this.labelWidth < UPRIGHT_BELOW;
  }

  /**
   * Sets the distance between the heads.
   *
   * @param {number} share from 0, together, to 1, apart
   */
  spread(share) {
    this.gap = SPREAD_GAP * share;
  }

  /**
   * Converts a column to its position from the left, or a position to its column.
   *
   * @param {number} column from 0
   * @returns {number}
   */
  fromLeft(column) {
    return this.fromRight ? this.columns - 1 - column : column;
  }

  /**
   * Returns the left edge of the cells at a position from the left.
   *
   * @param {number} position from 0
   * @returns {number} pixels
   */
  leftOf(position) {
    const gaps = Math.floor(position / this.groupSize) * this.gap;
    return this.left + position * this.cellWidth + gaps;
  }

  /**
   * Returns the left edge of a column.
   *
   * @param {number} column from 0
   * @returns {number} pixels
   */
  x(column) {
    return this.leftOf(this.fromLeft(column));
  }

  /**
   * Returns the top edge of a row.
   *
   * @param {number} row from 0
   * @returns {number} pixels
   */
  y(row) {
    return this.top + row * this.cellHeight;
  }

  /**
   * Returns the cell at a point of the canvas.
   *
   * @param {number} x pixels
   * @param {number} y pixels
   * @returns {number[] | null} row and column, or null beside the cells
   */
  cellAt(x, y) {
    const row = Math.floor((y - this.top) / this.cellHeight);
    const group = Math.floor((x - this.left) / (this.groupSize * this.cellWidth + this.gap));
    const position = Math.floor((x - this.left - group * this.gap) / this.cellWidth);
    const isAcross = x >= this.left && position < this.columns;
    const isInside = isAcross && row >= 0 && row < this.rows;
    return isInside ? [row, this.fromLeft(position)] : null;
  }

  /**
   * Returns the box of a cell, a row, a column, or all cells.
   *
   * @param {{row?: number, column?: number}} which without `column`, a row; without `row`, a column
   * @returns {{x: number, y: number, width: number, height: number}} pixels
   */
  boxOf({ row, column }) {
    const isWide = column === undefined;
    const isHigh = row === undefined;
    const gaps = this.gap * (this.groups - 1);
    return {
      x: isWide ? this.left : this.x(column),
      y: isHigh ? this.top : this.y(row),
      width: isWide ? this.columns * this.cellWidth + gaps : this.cellWidth,
      height: isHigh ? this.rows * this.cellHeight : this.cellHeight,
    };
  }

  /**
   * Returns the width of the colour scale that begins at x.
   *
   * @param {number} x pixels
   * @returns {number} pixels
   */
  scaleWidth(x) {
    return Math.max(SCALE_WIDTH / 2, Math.min(SCALE_WIDTH, this.width - x - 2));
  }
}

/**
 * Returns the column width of each of several matrices, side by side or below each other.
 * Columns that are too narrow for slanted labels share the room that such labels would need.
 *
 * @param {MapLayout[]} layouts
 * @param {number[]} beside pixels of each canvas beside its cells
 * @param {number} width pixels of the page
 * @param {number} operators pixels of the texts between the matrices
 * @param {number[]} captions pixels of each caption in one line
 * @returns {number[]} for each layout, pixels
 */
export function cellWidths(layouts, beside, width, operators, captions) {
  const slanted = widthsBeside(layouts, beside, width, operators, captions);
  if (slanted.some((cellWidth) => cellWidth >= UPRIGHT_BELOW)) return slanted;
  const besideUpright = layouts.map(({ slantedRoom }, n) => beside[n] - slantedRoom);
  const upright = widthsBeside(layouts, besideUpright, width, operators, captions);
  return upright.map((cellWidth) => Math.min(cellWidth, WIDEST_UPRIGHT));
}

/**
 * Makes vectors, which have only one column, wide enough for their numbers. Matrices beside them
 * give them this room.
 *
 * @param {MapLayout[]} layouts
 * @param {number[]} widths pixels of a column of each matrix
 * @param {boolean} isSideBySide whether the matrices share one line
 * @returns {number[]} the new widths
 */
export function widerVectors(layouts, widths, isSideBySide) {
  const isVector = ({ columns }) => columns === 1;
  let needed = 0; // pixels
  let others = 0; // columns
  layouts.forEach((layout, n) => {
    if (isVector(layout)) needed += Math.max(0, VECTOR_CELL - widths[n]);
    else others += layout.columns;
  });
  const given = isSideBySide && others ? needed / others : 0;
  return layouts.map((layout, n) =>
    isVector(layout) ? Math.max(VECTOR_CELL, widths[n]) : widths[n] - given,
  );
}

function widthsBeside(layouts, beside, width, operators, captions) {
  const common = commonWidth(layouts, beside, width - operators, captions);
  const isSideBySide = common >= READABLE_CELL || (width >= NARROW_PAGE && common >= 1);
  return layouts.map((layout, n) => {
    return isSideBySide ? common : (width - beside[n]) / layout.columns;
  });
}

// Returns the column width if all matrices are side by side.
// A caption that is wider than its matrix takes space from the other matrices.
// It does not do so if their cells would become too small to see.
function commonWidth(layouts, beside, width, captions) {
  const columns = layouts.reduce((sum, layout) => sum + layout.columns, 0);
  const fixed = beside.reduce((sum, pixels) => sum + pixels, 0);
  const withoutCaptions = (width - fixed) / columns;
  // whether a matrix is wider than its caption
  const isWide = ({ columns: own }, n) => captions[n] <= beside[n] + own * withoutCaptions;
  let remaining = width; // pixels for the cells of wide matrices
  let wideColumns = 0; // columns of these matrices together
  layouts.forEach((layout, n) => {
    remaining -= isWide(layout, n) ? beside[n] : captions[n];
    if (isWide(layout, n)) wideColumns += layout.columns;
  });
  const withCaptions = remaining / wideColumns;
  return withCaptions >= withoutCaptions / 2
    ? Math.min(withCaptions, withoutCaptions)
    : withoutCaptions;
}
