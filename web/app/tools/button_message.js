const SHOWN_FOR = 2500; // milliseconds

/**
 * Shows a message on a button for a moment, as the result of a click.
 *
 * @param {HTMLButtonElement} button
 * @param {string} message
 */
export function showOnButton(button, message) {
  if (button.ariaLive) return; // it shows a message already
  const { textContent, ariaLabel } = button;
  button.ariaLive = "polite";
  button.textContent = message;
  button.ariaLabel = message;
  setTimeout(() => {
    button.ariaLive = null;
    button.textContent = textContent;
    button.ariaLabel = ariaLabel;
  }, SHOWN_FOR);
}
