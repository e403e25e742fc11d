// A clicker sends "PageDown" and "PageUp". In the five-minute lesson these keys change the step,
// even outside presentation mode. Before the next step, "PageDown" shows the other case or the
// answer, because a clicker has no other key.

import { hasSteps, showEffect, step } from "./page_controls.js";

const KEYS = { PageDown: 1, PageUp: -1 };

/**
 * Goes to the next or previous step at a key of a clicker.
 *
 * @param {KeyboardEvent} event
 */
export function onStepKey(event) {
  const by = KEYS[event.key];
  const isWithOther = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
  if (!by || isWithOther || event.defaultPrevented || !hasSteps()) return;
  if (by < 0 || !showEffect()) step(by);
  event.preventDefault();
  event.stopPropagation();
}
