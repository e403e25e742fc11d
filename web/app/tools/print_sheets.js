// Lets a printed page fill its sheets: pictures shrink a little, and short texts stay with them.

import {
  cutTurned,
  HEADING,
  LEAST_TURNED,
  PAGE_HEIGHT,
  PAPER_WIDTH,
  turnedPicture,
} from "./print_pieces.js";

const FIGURE = '[class*="st-key-figure-"]';
const CAPTION = ".stElementContainer:has([data-testid=stCaptionContainer], .guide)";
const FACTS = 'text[font-size="12"]'; // lines of the description in a picture
const LEAST_FILLING = 0.6; // how far a picture may shrink so that it fits on the first page
const LEAST_PIECE = 0.75; // the same for one of several pieces, beside larger ones
const LEAST_WITH_TEXT = 0.75; // how far the last picture may shrink for the texts after it
const LONGEST_ENDING = 300; // pixels of the texts after the last picture that stay with it
const HIGHEST_CAPTIONS = 100; // pixels of the captions that stay with the picture above them
const LEAST_LETTERS = 8; // pixels of the letters of a description in a picture that shrinks
const LEAST_GAIN = 1.2; // how much larger a chart has to be turned than not turned
const LEAST_ROOM = 120; // pixels of the first page for which a picture shrinks
const NAME_HEIGHT = 25; // pixels of the name of the app above a printed page, as measured

/** Fills the first page, and lets no part be alone on the last one. */
export function fillSheets() {
  fillFirstPage();
  keepEnding();
}

/** Takes away the marks of `fillSheets`. */
export function forgetSheets() {
  for (const name of ["data-last", "data-left-out", "data-with-picture"]) {
    for (const part of document.querySelectorAll(`[${name}]`)) part.removeAttribute(name);
  }
}

/**
 * Returns the captions of a figure that are below it on the page.
 *
 * @param {Element} figure
 * @returns {Element[]}
 */
export function captionsBelow(figure) {
  let part = figure;
  while (part && !part.nextElementSibling) part = part.parentNode;
  const captions = [];
  for (
    let next = part?.nextElementSibling;
    next?.matches(CAPTION);
    next = next.nextElementSibling
  ) {
    captions.push(next);
  }
  return captions;
}

// Returns where the first page begins, in pixels of the screen. Only the browser's own layout for
// paper, which comes later, puts the name of the app above the page.
function firstPageTop() {
  const { top } = document.querySelector(".stMainBlockContainer").getBoundingClientRect();
  return document.querySelector(".st-key-menu") ? top - NAME_HEIGHT : top;
}

// A picture that is a little too tall for the rest of the first page shrinks to it. Otherwise it
// would be on the second page, and the first would be nearly empty. For the same reason a chart
// that is too long for it when turned is cut instead. If possible, the captions of the picture are
// on the first page, too.
function fillFirstPage() {
  const start = firstPageTop();
  for (const svg of document.querySelectorAll(".drawn > svg")) {
    const { top, bottom, height } = svg.getBoundingClientRect();
    const room = PAGE_HEIGHT - (top - start);
    const figure = svg.closest(FIGURE);
    const isLast = svg === [...figure.querySelectorAll(".drawn > svg")].at(-1);
    const captions = isLast ? captionsBelow(figure).filter(isShown) : [];
    const end = captions.at(-1)?.getBoundingClientRect().bottom ?? bottom;
    const roomAbove = room - (end - bottom);
    if (roomAbove >= height) continue;
    const least = leastHeight(svg, height);
    if (end - bottom <= HIGHEST_CAPTIONS && roomAbove >= Math.max(LEAST_ROOM, least)) {
      shrink(svg, roomAbove);
      for (const caption of captions) caption.toggleAttribute("data-with-picture", true);
      break;
    }
    if (room >= height) continue;
    if (room < LEAST_ROOM) break; // a row of a table keeps the width of those above it
    if (room >= least) shrink(svg, room);
    else if (turnedPicture(svg)?.parts.bottom <= room) cutTurned(svg);
    break;
  }
}

function shrink(svg, room) {
  const share = room / svg.getBoundingClientRect().height;
  svg.style.maxHeight = `${Math.floor(room)}px`;
  for (const line of svg.children) {
    if (line.matches(FACTS)) line.setAttribute("font-size", Math.max(12, LEAST_LETTERS / share));
  }
}

// Returns how low a picture on paper may become. The strips of a wide chart have one scale, and so
// have the lines of a draft: they keep their size.
function leastHeight(svg, height) {
  const isLine = svg.matches(".piece") && svg.closest(FIGURE).querySelector(".checked-draft");
  if (svg.matches(".strip") || isLine) return height;
  if (svg.matches(".turned")) return LEAST_TURNED * svg.getAttribute("viewBox").split(" ")[3];
  return (svg.matches(":only-child") ? LEAST_FILLING : LEAST_PIECE) * height;
}

// Marks the last part of the page, which should not be alone on the last sheet. A few texts after
// the last picture stay with it, and it shrinks a little if they do not fit on one sheet.
function keepEnding() {
  const parts = [...document.querySelectorAll(".stMain :is(.stElementContainer, .drawn)")];
  const shown = parts.filter(isShown);
  const last = shown.at(-1);
  if (!last) return;
  last.toggleAttribute("data-last", true);
  leaveOutAfter(last);
  const picture = [...document.querySelectorAll(".drawn > svg")].at(-1);
  if (!picture) return;

  const start = firstPageTop();
  const { top, bottom, height } = picture.getBoundingClientRect();
  const ending = last.getBoundingClientRect().bottom - bottom;
  if (ending > LONGEST_ENDING) return;
  for (const part of shown.slice(shown.indexOf(picture.parentNode) + 1)) {
    part.toggleAttribute("data-with-picture", true);
  }
  // on the first page, or else on a page of its own
  const rooms = [top - start, HEADING].map((above) => PAGE_HEIGHT - above - ending);
  const least = Math.max(LEAST_ROOM, LEAST_WITH_TEXT * height);
  const room = rooms.find((each) => each >= least);
  if (!ending || !(room < height)) return;
  if (turnedPicture(picture) && room < LEAST_GAIN * PAPER_WIDTH) cutTurned(picture);
  else shrink(picture, room);
}

function isShown(part) {
  return part.getBoundingClientRect().height > 0;
}

// Leaves out the rest of the page and of the app, which shows nothing: the space around it could
// make a blank sheet.
function leaveOutAfter(last) {
  for (let part = last; !part.matches(".stApp"); part = part.parentNode) {
    const beside = [...part.parentNode.children];
    for (const empty of beside.slice(beside.indexOf(part) + 1)) {
      empty.toggleAttribute("data-left-out", true);
    }
  }
}
