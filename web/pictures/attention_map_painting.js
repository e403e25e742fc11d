// Paints a matrix on its canvas, and again as SVG when the figure is saved.

import { cssColour, readableOn } from "./colour_scale.js";
import { fitLabel } from "./fit_label.js";
import { brief, briefTexts, fixed } from "./number_texts.js";
import { isForFile, isForPaper } from "./paper.js";

/** Pixels of a cell that has room for its number. */
export const NUMBERS_FROM = 30;

const TURNED_FROM = 40; // pixels: the height of a narrow cell that has room for a turned number

const LINES_FROM = 14; // pixels of a cell that has room for lines around it
const COVER = "#8b8f98"; // colour that covers a row that a class has to guess
const HATCHING = 6; // pixels between the lines behind hidden cells
const FAINT = 0.35; // opacity of hatching, and of heads that are not highlighted
const NOTE_OPACITY = 0.65;
const CHOICE_GAP = 1.5; // pixels around a cell that asks to be clicked
const CHOICE_BORDER = 0.6; // opacity of its border
const CHOICE_FILL = { still: 0.08, outlined: 0.3 }; // opacity of such a cell

const LONGEST_LABEL = 110; // pixels

/**
 * Returns the maximum width of a label.
 *
 * @returns {number} pixels
 */
export function longestLabel() {
  return isForFile() ? Infinity : LONGEST_LABEL;
}

/**
 * Returns what there is room for in the cells of a matrix.
 *
 * @param {MapLayout} layout
 * @param {number} zoom of the page; in a larger page smaller cells have room for numbers
 * @returns {{lines: boolean, numbers: boolean, turned: boolean}} lines around the cells, and a
 *   number in each cell, which may be turned like a vertical label
 */
export function roomIn({ cellWidth, cellHeight }, zoom = 1) {
  const lines = Math.min(cellWidth, cellHeight) >= LINES_FROM;
  const isWide = cellWidth * Math.max(1, zoom) >= NUMBERS_FROM;
  const turned = lines && !isWide && cellHeight >= TURNED_FROM;
  return { lines, numbers: lines && (isWide || turned), turned };
}

/**
 * Paints a matrix.
 *
 * @param {CanvasRenderingContext2D} brush of its canvas, or an SVG writer
 * @param {AttentionMap} map the matrix, its layout, its cells as an image, its colours
 * @param {{row?: number, column?: number} | undefined} outlined cell, row or column
 */
export function paintMatrix(brush, map, outlined) {
  const { matrix, layout, style, leftOut } = map;
  const isEmpty = leftOut.includes("cells");
  if (isEmpty) paintEmptyGrid(brush, map);
  else if (matrix.asks) paintChoices(brush, map, outlined);
  else paintCells(brush, map);
  brush.save();
  paintLabels(brush, map);
  brush.restore(); // labels may run from right to left, numbers never do
  if (matrix.groups > 1) paintHeadNumbers(brush, map);
  if (isEmpty) return;
  const room = roomIn(layout, brush.canvas?.currentCSSZoom); // an SVG has no canvas
  if (room.lines && !matrix.asks) paintLines(brush, map);
  const hasNumbers = room.numbers && !matrix.pattern && !leftOut.includes("numbers");
  if (hasNumbers) paintNumbers(brush, map, room.turned);
  if (layout.hasScale) paintScale(brush, map);
  for (const row of matrix.covered) paintCover(brush, map, row);
  for (const [row, column] of matrix.frames) paintOutline(brush, layout, style, { row, column });
  if (outlined) paintOutline(brush, layout, style, outlined);
}

// Paints the image of the cells head by head.
// Hidden cells are empty, so their hatching stays visible.
function paintCells(brush, { matrix, layout, image, style }) {
  const size = layout.groupSize;
  const width = size * layout.cellWidth;
  const height = matrix.rows * layout.cellHeight;
  // Below visible cells, hatching would appear at edges that are between two pixels of the screen.
  const hasHidden = matrix.values.some((value) => !Number.isFinite(value));
  brush.imageSmoothingEnabled = layout.cellWidth < 1 || layout.cellHeight < 1;
  for (let head = 0; head < matrix.groups; head++) {
    const x = layout.leftOf(head * size);
    const standsOut = matrix.group === null || matrix.group === head;
    if (hasHidden) {
      const inside = { x: x + 0.5, y: layout.top + 0.5, width: width - 1, height: height - 1 };
      paintHatching(brush, inside, style.ink);
    }
    brush.globalAlpha = standsOut ? 1 : FAINT;
    brush.drawImage(image, head * size, 0, size, matrix.rows, x, layout.top, width, height);
    brush.globalAlpha = 1;
  }
}

// Paints each cell as an empty button: a visitor has to choose one before there are numbers.
function paintChoices(brush, { matrix, layout, style }, outlined) {
  brush.save();
  brush.lineWidth = 1;
  for (let row = 0; row < matrix.rows; row++) {
    for (let column = 0; column < matrix.columns; column++) {
      const isOutlined = outlined?.row === row && outlined?.column === column;
      const { x, y, width, height } = layout.boxOf({ row, column });
      const left = x + CHOICE_GAP;
      const top = y + CHOICE_GAP;
      const innerWidth = width - 2 * CHOICE_GAP;
      const innerHeight = height - 2 * CHOICE_GAP;
      brush.fillStyle = isOutlined ? style.accent : style.ink;
      brush.strokeStyle = style.ink;
      brush.globalAlpha = isOutlined ? CHOICE_FILL.outlined : CHOICE_FILL.still;
      brush.fillRect(left, top, innerWidth, innerHeight);
      brush.globalAlpha = CHOICE_BORDER;
      brush.strokeRect(left, top, innerWidth, innerHeight);
    }
  }
  brush.restore();
}

// Paints an empty grid for handwritten numbers.
function paintEmptyGrid(brush, { matrix, layout, style }) {
  brush.strokeStyle = style.ink;
  brush.lineWidth = 1;
  for (let row = 0; row < matrix.rows; row++) {
    for (let column = 0; column < matrix.columns; column++) {
      const { x, y, width, height } = layout.boxOf({ row, column });
      brush.strokeRect(x, y, width, height);
    }
  }
}

function paintHatching(brush, { x, y, width, height }, ink) {
  brush.save();
  brush.beginPath();
  brush.rect(x, y, width, height);
  brush.clip();
  brush.globalAlpha = FAINT;
  brush.strokeStyle = ink;
  brush.lineWidth = 1;
  brush.beginPath();
  for (let start = -height; start < width; start += HATCHING) {
    brush.moveTo(x + start, y + height);
    brush.lineTo(x + start + height, y);
  }
  brush.stroke();
  brush.restore();
}

function paintLabels(brush, map) {
  paintRowLabels(brush, map);
  if (map.hasNotes && !map.leftOut.length) paintNotes(brush, map);
  if (map.layout.hasColumnLabels) paintColumnLabels(brush, map);
}

function paintRowLabels(brush, { matrix, layout, style }) {
  setLetters(brush, style, Math.min(14, layout.cellHeight - 1), "right");
  brush.direction = matrix.directions[0];
  matrix.rowLabels.forEach((label, row) => {
    brush.fillText(fitLabel(brush, label, longestLabel()), layout.left - 6, middleOf(layout, row));
  });
}

function paintNotes(brush, { matrix, layout, style }) {
  setLetters(brush, style, 12, "left");
  brush.direction = "ltr";
  brush.globalAlpha = NOTE_OPACITY;
  const x = layout.left + matrix.columns * layout.cellWidth + 8;
  matrix.notes.forEach((note, row) => brush.fillText(note, x, middleOf(layout, row)));
  brush.globalAlpha = 1;
}

function paintColumnLabels(brush, { matrix, layout, style }) {
  const narrow = Math.max(10, Math.min(14, layout.cellWidth * 0.8));
  setLetters(brush, style, layout.isNarrow ? narrow : 14, "center");
  brush.direction = matrix.directions[1];
  matrix.columnLabels.forEach((label, column) => {
    if (column % layout.labelEvery) return;
    brush.save();
    const x = layout.x(column) + layout.cellWidth / 2;
    brush.translate(x, layout.top - layout.barHeight - 8);
    const isTurned = layout.labelAngle > 0 && [...label].length > 1; // as 她 never is
    brush.textAlign = isTurned ? "left" : "center";
    if (isTurned) brush.rotate(-layout.labelAngle);
    brush.fillText(fitLabel(brush, label, longestLabel()), 0, 0);
    brush.restore();
  });
}

// Paints a bar above each head in its colour, and the head's number if it fits.
function paintHeadNumbers(brush, { matrix, layout, style }) {
  const width = layout.groupSize * layout.cellWidth;
  setLetters(brush, style, 12, "center");
  for (let head = 0; head < matrix.groups; head++) {
    const x = layout.leftOf(head * layout.groupSize);
    brush.fillStyle = style.groups[head % style.groups.length];
    brush.fillRect(x, layout.top - 5, width - 1, 4);
    if (width >= 12) brush.fillText(String(head + 1), x + width / 2, layout.top - 12);
  }
}

// Paints lines between the cells, in the background colour of the page.
function paintLines(brush, { matrix, layout, style }) {
  const { rows, columns } = matrix;
  const width = columns * layout.cellWidth + layout.gapsWidth;
  const height = rows * layout.cellHeight;
  brush.fillStyle = style.paper;
  for (let row = 1; row < rows; row++) {
    brush.fillRect(layout.left, layout.y(row) - 0.5, width, 1);
  }
  for (let position = 1; position < columns; position++) {
    brush.fillRect(layout.leftOf(position) - 0.5, layout.top, 1, height);
  }
}

function paintNumbers(brush, { matrix, layout, colours, style }, isTurned) {
  const { columns, values, limit, large } = matrix;
  // On the screen a tip shows a number that is left out. Paper has no tips.
  const sparse = matrix.sparse && !isForPaper();
  const { cellWidth, cellHeight } = layout;
  const [along, across] = isTurned ? [cellHeight, cellWidth] : [cellWidth, cellHeight];
  const texts = briefTexts(values);
  const longest = Math.max(1, ...texts.map((text) => text.length));
  const wanted = Math.max(14, across / 3); // large cells have large numbers
  const size = Math.min(wanted, across - 2, (1.4 * along) / longest);
  setLetters(brush, style, size, "center");
  values.forEach((value, n) => {
    if ((large || sparse) && Math.abs(value) < limit / 20) return; // they would hide the map
    const row = Math.floor(n / columns);
    const column = n % columns;
    brush.fillStyle = Number.isFinite(value) ? readableOn(colours.of(value)) : style.ink;
    const x = layout.x(column) + cellWidth / 2;
    const y = middleOf(layout, row);
    if (!isTurned) {
      brush.fillText(texts[n], x, y);
      return;
    }
    brush.save();
    brush.translate(x, y);
    brush.rotate(-Math.PI / 2);
    brush.fillText(texts[n], 0, 0);
    brush.restore();
  });
}

// Paints the legend: the name of the numbers, a colour bar, and its ends and middle.
function paintScale(brush, { matrix, layout, colours, style }) {
  const { title, scale, limit } = matrix;
  const ends = scale === "weights" ? [0, limit / 2, limit] : [-limit, 0, limit];
  const y = layout.y(matrix.rows) + 14;
  setLetters(brush, style, 12, "left");
  brush.fillText(title, layout.left, y + 4);

  const x = Math.round(layout.left + brush.measureText(title).width + 10);
  const width = layout.scaleWidth(x);
  ends.forEach((end, n) => {
    brush.textAlign = ["left", "center", "right"][n];
    const text = limit === 1 ? fixed(end, 1) : brief(end);
    brush.fillText(text, x + (n * width) / 2, y + 20);
  });
  for (let n = 0; n < width; n += 2) {
    brush.fillStyle = cssColour(colours.colours[Math.floor((n * 256) / width)]);
    brush.fillRect(x + n, y, width - n, 8); // to the end: between two strips nothing shines through
  }
}

function paintCover(brush, { matrix, layout, style }, row) {
  brush.fillStyle = COVER;
  brush.fillRect(layout.left, layout.y(row), matrix.columns * layout.cellWidth, layout.cellHeight);
  paintOutline(brush, layout, style, { row });
}

function paintOutline(brush, layout, style, outlined) {
  const { x, y, width, height } = layout.boxOf(outlined);
  brush.strokeStyle = style.accent;
  brush.lineWidth = 2.5;
  brush.strokeRect(x - 0.5, y - 0.5, Math.max(width, 3) + 1, Math.max(height, 3) + 1);
}

// Sets the font size in pixels, and the alignment at a point.
function setLetters(brush, { font, ink }, size, textAlign) {
  brush.font = `${size}px ${font}`;
  brush.fillStyle = ink;
  brush.textAlign = textAlign;
  brush.textBaseline = "middle";
}

function middleOf(layout, row) {
  return layout.y(row + 0.5);
}
