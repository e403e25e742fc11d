// A page that lost its connection finds a server by itself. Where that is another one, it knows
// nothing of the page, and would take the next click for the first visit: so it is told at once to
// draw what the address says.

const STATE = "data-test-connection-state";
let found = () => {};
const connection = new MutationObserver(([change]) => {
  if (change.target.getAttribute(STATE) === "CONNECTED") found();
});

function watchConnection(tell, signal) {
  found = tell;
  const app = document.querySelector(`[${STATE}]`);
  if (app) observe(connection, app, { attributeFilter: [STATE] }, signal);
}
