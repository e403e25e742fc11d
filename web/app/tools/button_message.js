const SHOWN_FOR = 2500; // milliseconds

/**
 * Lets a button say for a moment what came of pressing it.
 *
 * @param {HTMLButtonElement} button
 * @param {string} message
 */
export function showOnButton(button, message) {
  if (button.ariaLive) return; // it says something already
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
