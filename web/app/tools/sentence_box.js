const BOX = ".st-key-choice-sentence textarea";

/**
 * Lets Enter send the sentence, instead of beginning a new line.
 *
 * The box has several lines so that it can grow. Streamlit sends what is in such a box at
 * Ctrl + Enter only.
 *
 * @param {KeyboardEvent} event
 */
export function onEnter(event) {
  const isAlone = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.key !== "Enter" || event.isComposing || !isAlone || !event.target.matches?.(BOX))
    return;
  event.preventDefault();
  event.stopPropagation();
  const { key, code } = event;
  event.target.dispatchEvent(
    new KeyboardEvent("keydown", { key, code, ctrlKey: true, bubbles: true }),
  );
}
