/**
 * Calls a function whenever a node changes.
 *
 * @param {Node} node
 * @param {MutationObserverInit} options which changes to observe
 * @param {AbortSignal} signal ends it
 * @param {(records: MutationRecord[]) => void} onChange
 */
export function observe(node, options, signal, onChange) {
  const observer = new MutationObserver(onChange);
  observer.observe(node, options);
  signal.addEventListener("abort", () => observer.disconnect());
}
