const BOXES = ".stTextInput input, .stTextArea textarea";
const IDLE = "[data-test-script-state=notRunning]";
const LINKS = "[data-testid=stPageLink-NavLink]";
const MAX_WAIT = 5000; // milliseconds; a refused text never gets into the address

let unsent = false; // a text was typed, and the app has not answered it yet
let waiting = null; // the link to follow after that

/**
 * Lets a link to another page wait until the app has answered the typed text.
 *
 * A click on a link also takes the focus from the text box, which then sends its text. On a slow
 * machine or a touch screen, Streamlit sends the click first, and then the text for the old page.
 * The old page would come back with the default sentence. Repeated calls have no effect.
 */
export function sendTypedTextFirst() {
  const root = document.documentElement;
  if (root.dataset.typedFirst) return;
  root.dataset.typedFirst = "on";
  addEventListener("change", onChange, { capture: true });
  addEventListener("click", onClick, { capture: true });
}

// Words are separated by a single space in the app.
const oneSpaced = (text) => text.trim().replace(/\s+/g, " ");

// Waits until the address has the typed text and the app is idle, and then follows the link.
function onChange({ target }) {
  if (!target.matches(BOXES)) return;
  unsent = true;
  const text = oneSpaced(target.value);
  const begin = performance.now();
  const look = () => {
    const values = [...new URLSearchParams(location.search).values()];
    const isWritten = values.some((value) => oneSpaced(value) === text);
    const isAnswered = isWritten && document.querySelector(IDLE);
    if (isAnswered || performance.now() - begin > MAX_WAIT) follow();
    else setTimeout(look, 20);
  };
  look();
}

function onClick(event) {
  const link = event.target.closest(LINKS);
  const opensHere = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!unsent || !link || !opensHere) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  waiting = link;
}

// Follows the waiting link, which the app may have drawn again as another element.
function follow() {
  unsent = false;
  const link = waiting;
  waiting = null;
  if (!link) return;
  const isSame = (other) => other.pathname === link.pathname;
  const now = link.isConnected ? link : [...document.querySelectorAll(LINKS)].find(isSame);
  now?.click();
}
