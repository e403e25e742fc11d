// A page that lost its connection finds a server by itself. Where that is another one, it knows
// nothing of the page, and would take the next click for the first visit: so it is told at once to
// draw what the address says.

import { observe } from "./observe.js";

const STATE = "data-test-connection-state";

export function watchConnection(tell, signal) {
  const app = document.querySelector(`[${STATE}]`);
  const onChange = () => app.getAttribute(STATE) === "CONNECTED" && tell();
  if (app) observe(app, { attributeFilter: [STATE] }, signal, onChange);
}
