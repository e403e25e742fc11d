const KEY = /st-key-figure-([\w-]+)/; // the class that Streamlit gives to a figure

/**
 * Returns a figure as it is on the page now. While a computation runs, the page may replace it.
 *
 * @param {Element} figure
 * @returns {Element} the same one if the page has no other
 */
export function figureOnPage(figure) {
  if (figure.isConnected) return figure;
  return document.querySelector(`.st-key-figure-${keyOf(figure)}`) ?? figure;
}

/**
 * Returns Streamlit's button for a file of a figure; null if the page does not have it.
 *
 * @param {Element} figure
 * @param {string} file such as "csv", or "pdf-2" for the second PDF
 * @returns {HTMLButtonElement | null}
 */
export function fileButtonOnPage(figure, file) {
  return document.querySelector(`.st-key-take-${keyOf(figure)}-${file} button`);
}

function keyOf(figure) {
  return KEY.exec(figure.className)[1];
}
