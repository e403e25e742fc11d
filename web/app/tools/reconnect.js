import { observe } from "./observe.js";

const STATE = "data-test-connection-state";

/**
 * Calls a function when the page has reconnected.
 *
 * After a lost connection, another server may answer. It does not know the page and would treat the
 * next click as a first visit. So the page must request a run with the address.
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
