/**
 * Makes a picture in its own shadow root, so that the styles of page and picture do not affect each
 * other.
 *
 * @param {Function} Picture class of the picture
 * @param {Element} host
 * @param {string} styles CSS
 * @returns {object} the picture
 */
export function inOwnRoot(Picture, host, styles) {
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  return new Picture(root);
}
