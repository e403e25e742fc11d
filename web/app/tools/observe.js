// Calls `changed` whenever a node changes, until the signal aborts.
export function observe(node, what, signal, changed) {
  const observer = new MutationObserver(changed);
  observer.observe(node, what);
  signal.addEventListener("abort", () => observer.disconnect());
}
