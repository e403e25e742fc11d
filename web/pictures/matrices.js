import { AttentionMap } from "./attention_map.js";
import { NUMBERS_FROM } from "./attention_map_painting.js";
import { scaleOf } from "./colours.js";
import { element } from "./elements.js";
import {
  cellWidths,
  HIGHEST_ROW,
  LABELLED_ROW,
  NARROW_PAGE,
  NOTED_CELL,
  widerVectors,
} from "./map_layout.js";
import { exact } from "./number_texts.js";
import { isForFile, isForPaper } from "./paper.js";
import { Picture } from "./picture.js";
import { tableOf } from "./table.js";

const ROWS_OF_A_SCREEN = 27; // rows of a large map that fill a screen
const LOW_ROWS_OF_A_SCREEN = 33; // the same for a map of low rows
const HIGHEST_LOW_ROW = 28; // pixels
const VECTOR_ROW = 20; // pixels of a row of a vector below other matrices
const NARROW_ROW = 18; // pixels of a row of matrices below each other: names do not touch
const HIGHEST_ROW_BELOW = 26; // pixels of such a row: an equation of small matrices fits a phone
const HEIGHT_BELOW = 200; // pixels of the rows of such a matrix, if they fit: two maps fit a phone
const TAPPED_ROW = 24; // pixels of a row that a finger still hits
const PAGE_HEIGHT = 740; // pixels for the matrices of a figure on A4 and Letter
const LOWEST_ROW = 15; // pixels of a row on paper
const CAPTION = 30; // pixels above a small matrix
const MAX_PRESENTED_HEIGHT = 600; // pixels of the cells of a matrix on a projector
const PRESENTED = 2; // a cell's width on a projector, as a multiple of the usual one

/**
 * One matrix, or several matrices side by side with operators between them: A · B = C.
 *
 * `show_matrices` in ui/components/matrices describes the payload.
 */
export class Matrices extends Picture {
  static Numbers = Float32Array;

  /** @param {Element | ShadowRoot} parent of the picture */
  constructor(parent) {
    super(parent);
    this.row = element("div", { className: "row" });
    this.root.append(this.row, this.tip, this.live, this.details);
    this.payload = null;
    this.maps = [];
    this.hovered = null; // matrix, row and column under the pointer
    this.style = null; // font and colours of the page; null until it is drawn
  }

  /** @param {object} payload the numbers of each matrix are in its `values` */
  show(payload) {
    const { matrices, clickable, operators } = payload;
    this.payload = payload;
    this.style = null;
    while (this.maps.length < matrices.length) {
      this.maps.push(new AttentionMap(this, this.maps.length));
    }
    this.maps.length = matrices.length;
    this.maps.forEach((map, n) => map.set(matrices[n], clickable, operators[n - 1] ?? ""));
    const parts = this.maps.flatMap(({ operator, figure }) => [operator, figure]).slice(1);
    if (parts.length !== this.row.children.length) this.row.replaceChildren(...parts);
    this.row.classList.toggle("result-first", Boolean(payload.resultFirst));

    this.drawWith(this.root, payload.asTable);
    this.listen("role", ({ detail }) => this.light(detail));
    this.offerRoles();
    this.light({ role: "" });
  }

  // Marks on the page which roles can be highlighted (see web/app/tools/roles.js).
  offerRoles() {
    const roles = this.payload.matrices.map((matrix) => matrix.role).filter(Boolean);
    const host = this.root.getRootNode().host ?? this.root;
    host.dataset.roles = roles.join(" ");
  }

  // Highlights the matrices of a role while the visitor points at a word that names the role.
  light({ role, go }) {
    const lit = this.maps.filter((map) => role && map.matrix.role === role);
    for (const map of this.maps) map.figure.classList.toggle("lit", lit.includes(map));
    this.row.classList.toggle("lighting", lit.length > 0);
    if (go && lit.length) lit[0].figure.scrollIntoView({ block: "nearest" });
  }

  tables() {
    return this.maps.map((map) => {
      const { title, caption, languages } = map.matrix;
      const [rows, columns] = map.names;
      const cell = (i, j) => [exact(map.numberAt(i, j))];
      return tableOf(`${title} ${caption}`, rows, columns, cell, languages);
    });
  }

  draw() {
    // 1. Read the style of the page, and measure labels, captions and operators with it
    this.row.classList.remove("below");
    const pageStyle = getComputedStyle(this.root);
    this.style = {
      font: pageStyle.fontFamily,
      ink: pageStyle.color,
      paper: pageStyle.getPropertyValue("--st-background-color"),
      accent: pageStyle.getPropertyValue("--st-primary-color"),
      groups: scaleOf(pageStyle, "categorical"),
    };
    for (const map of this.maps) map.colour(pageStyle);
    const layouts = this.maps.map((map) => map.layout);
    const operators = this.maps.reduce((sum, map) => sum + map.operator.offsetWidth, 0);
    const captions = this.maps.map((map) => map.captionWidth(this.style));

    // 2. Choose the size of the cells. If they are small on a narrow page, they get the room of the
    // notes, which are then in the tips. Paper and files have no tips
    const isNarrow = this.root.clientWidth < NARROW_PAGE;
    const measured = (hasNotes) => {
      const beside = this.maps.map((map) => map.measure(this.style, hasNotes));
      const widths = cellWidths(layouts, beside, this.root.clientWidth, operators, captions);
      return { beside, widths };
    };
    let { beside, widths } = measured(true);
    const hasTips = !isForPaper() && !isForFile();
    if (isNarrow && hasTips && widths.some((cellWidth) => cellWidth < NOTED_CELL)) {
      ({ beside, widths } = measured(false));
    }
    const largest = this.largestRow();
    const widest = this.widestCell(largest);
    const highest = highestRow(this.maps.some(({ matrix }) => matrix.low));
    widths = widths.map((cellWidth) => Math.min(widest, cellWidth));
    // Where rows do not follow the width of the cells, vectors may be wider
    const { lowest } = this.payload;
    if (lowest) widths = widerVectors(layouts, widths, !isNarrow);
    const isBelow = isNarrow && layouts.length > 1;
    layouts.forEach((layout, n) => {
      let largestHere = largest;
      if (isBelow && innerWidth < NARROW_PAGE) largestHere = Math.min(largest, rowBelow(layout));
      if (lowest && isNarrow && layout.columns === 1) largestHere = VECTOR_ROW;
      const lowestHere = isBelow ? NARROW_ROW : lowest;
      layout.fit(widths[n], largestHere, highest, lowestHere || undefined);
    });

    // 3. On paper, which has no tooltips, put matrices that lack texts below each other: each then
    // has the whole width. Together they are not higher than a page, because otherwise they would
    // shrink with their letters
    const room = layouts.map(({ columns }, n) => (this.root.clientWidth - beside[n]) / columns);
    if (isForPaper() && lacksTexts(layouts, room)) {
      this.row.classList.toggle("below", layouts.length > 1);
      const fit = (rowHeight) =>
        layouts.forEach((layout, n) => {
          layout.fit(Math.min(widest, room[n]), Math.min(largest, rowHeight));
        });
      fit(largest);
      fit(rowOfAPage(layouts));
    }
    this.paint();
  }

  // Returns the largest height of a row. A higher matrix would make a presented page smaller, and
  // with it all its letters.
  largestRow() {
    const { largest } = this.payload;
    if (!isPresented()) return largest;
    const rows = Math.max(...this.maps.map(({ layout }) => layout.rows));
    return Math.min(largest, Math.max(LABELLED_ROW, MAX_PRESENTED_HEIGHT / rows));
  }

  // Returns the largest width of a cell. Where cells may be wider than high, a projector doubles
  // this width: its height limits the picture, and half of its width would be empty.
  widestCell(largestRow) {
    const { largest, widest = largest } = this.payload;
    if (widest <= largest) return Math.min(widest, largestRow);
    return isPresented() ? PRESENTED * widest : widest;
  }

  paint() {
    if (!this.style) return; // nothing has been drawn yet
    for (const map of this.maps) map.paint();
  }

  /**
   * Returns what to outline in a matrix: the cell under the pointer, or else the clicked cell. In
   * the earlier matrices of an equation, these are the operands of the outlined result.
   *
   * @param {AttentionMap} map
   * @returns {{row?: number, column?: number} | undefined}
   */
  outlinedIn({ index }) {
    const [matrix, i, j] = this.hovered ?? this.payload.clicked ?? [];
    if (matrix === index) return { row: i, column: j };
    if (matrix !== this.maps.length - 1) return undefined;
    const sources = {
      "i:": { row: i },
      "j:": { row: j },
      ":i": { column: i },
      ":j": { column: j },
      ij: { row: i, column: j },
    };
    return sources[this.payload.links[index]];
  }

  /**
   * Returns the cell from which the arrow keys move.
   *
   * @param {AttentionMap} map
   * @returns {number[] | null} row and column; null if it is in another matrix
   */
  currentCellOf({ index }) {
    const [matrix, ...cell] = this.hovered ?? this.payload.clicked ?? [];
    return matrix === index ? cell : null;
  }

  /**
   * Shows the number of a cell in the tip.
   *
   * @param {AttentionMap} map
   * @param {number[] | null} cell row and column; null hides the tip
   * @param {{clientX: number, clientY: number}} event the position on the screen
   */
  hover(map, cell, event) {
    this.tip.hidden = !cell;
    this.hovered = cell && [map.index, ...cell];
    this.paint();
    if (!cell) return;
    this.tip.replaceChildren(...map.describe(...cell));
    this.placeTip(event);
  }

  /**
   * Outlines a cell and sends it to the page.
   *
   * @param {AttentionMap} map
   * @param {number[]} cell row and column
   */
  choose(map, cell) {
    this.payload.clicked = [map.index, ...cell];
    this.live.replaceChildren(...map.describe(...cell));
    this.paint();
    this.send("click", this.payload.clicked);
  }
}

// Returns whether matrices lack column labels, or numbers that cells as wide as `room` have.
function lacksTexts(layouts, room) {
  return layouts.some(({ lacksLabels, cellWidth }, n) => {
    const lacksNumbers = cellWidth < NUMBERS_FROM && room[n] >= NUMBERS_FROM;
    return lacksLabels || (layouts.length > 1 && lacksNumbers);
  });
}

// Returns the height at which the rows of matrices below each other fill one page.
function rowOfAPage(layouts) {
  const rows = layouts.reduce((sum, layout) => sum + layout.rows, 0);
  const cells = layouts.reduce((sum, layout) => sum + layout.rows * layout.cellHeight, 0);
  const all = layouts.reduce((sum, layout) => sum + layout.height + CAPTION, 0);
  return Math.max(LOWEST_ROW, (PAGE_HEIGHT - (all - cells)) / rows);
}

// Returns the largest height of a row of a matrix that has others above or below it on a phone.
function rowBelow({ rows }) {
  return Math.max(NARROW_ROW, Math.min(HIGHEST_ROW_BELOW, HEIGHT_BELOW / rows));
}

function isPresented() {
  return document.documentElement.hasAttribute("data-present");
}

// Returns the largest height of a row of a large map.
// On a low screen rows are lower, so that more of the map is on the first screen.
// Low rows leave room for a second map on the same screen, even on a phone; they are not tapped.
// Files and paper have no screen, and a projector zooms the page.
function highestRow(isLow) {
  if (isForFile() || isForPaper() || isPresented()) return HIGHEST_ROW;
  if (!isLow) return Math.max(TAPPED_ROW, Math.min(HIGHEST_ROW, innerHeight / ROWS_OF_A_SCREEN));
  if (innerWidth < NARROW_PAGE) return NARROW_ROW;
  return Math.max(NARROW_ROW, Math.min(HIGHEST_LOW_ROW, innerHeight / LOW_ROWS_OF_A_SCREEN));
}
