import { observe } from "./observe.js";

const STATE = "data-test-connection-state";

/**
 * Calls a function when the page has reconnected.
 *
 * A page that lost its connection may find a different server, which knows nothing of the page and
 * would take the next click for a first visit. So it has to be told to draw what the address says.
 *
 * @param {() => void} onConnected
 * @param {AbortSignal} signal ends it
 */
export function watchConnection(onConnected, signal) {
  const app = document.querySelector(`[${STATE}]`);
  if (!app) return;
  observe(app, { attributeFilter: [STATE] }, signal, () => {
    if (app.getAttribute(STATE) === "CONNECTED") onConnected();
  });
}
