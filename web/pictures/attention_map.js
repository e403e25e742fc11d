import { ARROWS } from "./arrow_keys.js";
import { brushOf, paintMap } from "./canvas.js";
import { ColourScale } from "./colour_scale.js";
import { element, token } from "./elements.js";
import { MapLayout } from "./map_layout.js";
import { longestLabel, paintMatrix, roomIn } from "./attention_map_painting.js";
import { prefersStill } from "./motion.js";
import { nextCell } from "./next_cell.js";
import { exact } from "./number_texts.js";

const SPREAD_DELAY = 400; // milliseconds before the heads move apart
const SPREAD_TIME = 900; // milliseconds of this motion

/**
 * One matrix: an attention map, or another matrix of a lesson.
 *
 * `map_layout.js` computes the layout, and `attention_map_painting.js` paints it. This class finds
 * the cell under the pointer, handles keys, and describes cells.
 */
export class AttentionMap {
  /**
   * @param {Matrices} row that contains this matrix; it is told of every hovered or chosen cell
   * @param {number} index of this matrix in the row, from 0
   */
  constructor(row, index) {
    this.row = row;
    this.index = index;
    this.matrix = null; // as `show_matrices` in ui/components/matrices sends it
    this.isClickable = false;
    this.leftOut = []; // some of "cells", "numbers" and "notes": not on a worksheet
    this.names = [[], []]; // names of its rows and columns
    this.layout = null;
    this.hasNotes = true; // whether the text of each row is drawn at its right
    this.style = null; // font and colours of the page
    this.colours = null;
    this.image = null; // one pixel for each cell
    // shown between the previous matrix and this matrix
    this.operator = element("span", { className: "operator" });
    this.caption = element("figcaption");
    this.canvas = element("canvas", {
      tabIndex: 0,
      role: "application",
      onpointermove: (event) => row.hover(this, this.cellAt(event), event),
      onpointerleave: (event) => row.hover(this, null, event),
      onblur: (event) => row.hover(this, null, event),
      onclick: (event) => this.click(event),
      onkeydown: (event) => this.key(event),
      paintOn: (brush) => this.paintOn(brush), // used when the figure is saved as SVG
      // The next two are used when a worksheet is made.
      leaveOut: (parts) => (this.leftOut = parts),
      room: () => roomIn(this.layout),
      rowAt: (n) => this.onScreen(n), // used when the tour shows a row
    });
    this.figure = element("figure", {}, this.caption, this.canvas);
  }

  /**
   * Sets the matrix to show.
   *
   * @param {object} matrix as `show_matrices` in ui/components/matrices sends it
   * @param {boolean} isClickable whether cells can be chosen
   * @param {string} operator between the previous matrix and this one, such as "="
   */
  set(matrix, isClickable, operator) {
    const wasSpread = this.matrix?.spread && this.matrix.title === matrix.title;
    this.matrix = matrix;
    this.isClickable = isClickable;
    this.names = [
      namesOf(matrix.rowLabels, matrix.rows),
      namesOf(matrix.columnLabels, matrix.columns),
    ];
    this.layout = new MapLayout(matrix);
    if (matrix.spread) {
      if (wasSpread || prefersStill()) this.layout.spread(1);
      else this.pullApart();
    }

    const roleColour = matrix.role ? `var(--role-${matrix.role})` : "currentColor";
    this.operator.textContent = operator;
    this.caption.replaceChildren(element("strong", {}, matrix.title), ` ${matrix.caption}`);
    if (matrix.hint) {
      this.caption.append(" ", element("span", { className: "hint" }, matrix.hint));
    }
    this.figure.style.setProperty("--role", roleColour);
    this.figure.classList.toggle("full", matrix.large);
    this.canvas.ariaLabel = this.caption.textContent;
    this.canvas.style.cursor = isClickable ? "pointer" : "default";
  }

  // Moves the heads apart, which shows that splitting into heads only cuts the matrix into pieces.
  pullApart() {
    const begin = performance.now() + SPREAD_DELAY;
    const step = (now) => {
      if (!this.matrix.spread) return;
      const t = Math.min(1, Math.max(0, (now - begin) / SPREAD_TIME));
      this.layout.spread(t * t * (3 - 2 * t));
      if (this.row.style) this.paint();
      if (t < 1) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  /**
   * Replaces the numbers of the matrix.
   *
   * @param {object} matrix of the same shape
   * @param {CSSStyleDeclaration} pageStyle
   */
  replace(matrix, pageStyle) {
    this.matrix = matrix;
    this.colour(pageStyle);
  }

  /**
   * Makes the image of the cells. Hidden cells stay empty.
   *
   * @param {CSSStyleDeclaration} pageStyle
   */
  colour(pageStyle) {
    const { rows, columns, values } = this.matrix;
    this.colours = new ColourScale(pageStyle, this.matrix);
    this.image = paintMap(element("canvas"), [rows, columns], this.layout.fromRight, (n) =>
      Number.isFinite(values[n]) ? this.colours.of(values[n]) : 0,
    );
  }

  /**
   * Measures the labels.
   *
   * @param {object} style font and colours of the page
   * @param {boolean} [hasNotes] whether there is room for the notes; without it, tips have them
   * @returns {number} pixels of the canvas beside its cells
   */
  measure(style, hasNotes = true) {
    this.style = style;
    this.hasNotes = hasNotes;
    const brush = this.canvas.getContext("2d");
    brush.font = `14px ${style.font}`;
    const widest = (labels) => {
      if (!labels.length) return null;
      const widths = labels.map((label) => brush.measureText(label).width);
      return Math.min(longestLabel(), Math.max(0, ...widths));
    };
    const { rowLabels, columnLabels, notes, pattern } = this.matrix;
    return this.layout.measure({
      rowLabel: widest(rowLabels),
      columnLabel: pattern ? null : widest(columnLabels),
      note: hasNotes ? widest(notes) : null,
    });
  }

  /**
   * Measures the caption in one line.
   *
   * @param {object} style font and colours of the page
   * @returns {number} pixels; 0 if the page writes the caption
   */
  captionWidth(style) {
    if (this.matrix.large) return 0;
    const brush = this.canvas.getContext("2d");
    brush.font = `bold ${getComputedStyle(this.caption).fontSize} ${style.font}`;
    return Math.ceil(brush.measureText(this.caption.textContent.trim()).width);
  }

  /** Paints the matrix on its canvas. */
  paint() {
    const { width, height } = this.layout;
    this.canvas.style.width = `${width}px`;
    // web/app/tools/fit_to_screen.js looks for it
    this.canvas.toggleAttribute("data-unlabelled", this.layout.lacksLabels);
    this.paintOn(brushOf(this.canvas, width, height));
  }

  paintOn(brush) {
    paintMatrix(brush, this, this.row.outlinedIn(this));
  }

  // Returns row and column under the pointer; null if the cell has no number and is not clickable.
  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    // the browser shrinks a canvas that is wider than the page
    const stretch = this.layout.width / box.width;
    const x = (event.clientX - box.left) * stretch;
    const y = (event.clientY - box.top) * stretch;
    const cell = this.layout.cellAt(x, y);
    return cell && this.isReadable(...cell) ? cell : null;
  }

  // Returns whether a cell can be focused. A hidden cell has no number, but may be clickable.
  isReadable(row, column) {
    const isHidden = Number.isNaN(this.numberAt(row, column));
    return !isHidden || (this.isClickable && !this.matrix.covered.includes(row));
  }

  /**
   * @param {number} row
   * @param {number} column
   * @returns {number}
   */
  numberAt(row, column) {
    return this.matrix.values[row * this.matrix.columns + column];
  }

  // Returns the screen position of a row, and of the middle of its cell in a column.
  onScreen(row, column = 0) {
    const { layout } = this;
    const box = this.canvas.getBoundingClientRect();
    const shrink = box.width / layout.width;
    const top = box.top + shrink * layout.y(row);
    const bottom = box.top + shrink * layout.y(row + 1);
    const clientX = box.left + shrink * (layout.x(column) + layout.cellWidth / 2);
    return { top, bottom, clientX, clientY: (top + bottom) / 2 };
  }

  click(event) {
    const cell = this.cellAt(event);
    if (this.isClickable && cell) this.row.choose(this, cell);
    else this.row.hover(this, cell, event); // on a touch screen a tap shows the number
  }

  // Arrow keys move from cell to cell; Enter and the space bar choose a cell.
  key(event) {
    const step = ARROWS[event.key];
    const isEnter = this.isClickable && (event.key === "Enter" || event.key === " ");
    if (!step && !isEnter) return;
    event.preventDefault();

    const cell = this.row.currentCellOf(this) ?? [0, 0];
    if (isEnter) {
      this.row.choose(this, cell);
      return;
    }
    const right = this.layout.fromRight ? -step[1] : step[1];
    const { rows, columns } = this.matrix;
    const next = nextCell(cell, [step[0], right], [rows, columns], (i, j) => this.isReadable(i, j));
    if (!next) return;
    this.row.live.replaceChildren(...this.describe(...next));
    this.row.hover(this, next, this.onScreen(...next));
  }

  /**
   * Returns a description of a cell and its number.
   *
   * @param {number} row
   * @param {number} column
   * @returns {(string | Node)[]}
   */
  describe(row, column) {
    const { title, inFull, languages, notes, asks } = this.matrix;
    const [rows, columns] = this.names;
    const name = (text, axis) => token(inFull[text] ?? text, languages[axis]);
    if (asks) return [name(rows[row], 0), " · ", name(columns[column], 1)];
    const number = exact(this.numberAt(row, column));
    const note = !this.hasNotes && notes[row] ? ` · ${notes[row]}` : "";
    const end = `] = ${number}${note}`;
    return [`${title} [`, name(rows[row], 0), ", ", name(columns[column], 1), end];
  }
}

// Returns the labels of rows or columns; without labels, their numbers from 0.
function namesOf(labels, length) {
  return labels.length ? labels : Array.from({ length }, (_, n) => String(n));
}
