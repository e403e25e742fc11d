// The box of the sentence has several lines so that it can grow, but a sentence is one line.

const BOX = ".st-key-choice-sentence textarea";
const LINE_BREAKS = /\s*[\r\n]+\s*/g;

/**
 * Sends the sentence in place of a new line, and makes one line of what is pasted or dropped.
 *
 * An input method that takes Enter for itself begins no line, so it is not disturbed.
 *
 * @param {InputEvent} event "beforeinput"
 */
export function keepOneLine(event) {
  const { target: box, inputType, data } = event;
  if (!box.matches?.(BOX)) return;
  const isNewLine = inputType === "insertLineBreak" || inputType === "insertParagraph";
  if (!isNewLine && !data?.match(LINE_BREAKS)) return;
  event.preventDefault();
  if (isNewLine) send(box);
  else insert(box, data.trim().replace(LINE_BREAKS, " "));
}

// Streamlit sends what is in a box of several lines at Ctrl + Enter only.
function send(box) {
  const key = { key: "Enter", code: "Enter", ctrlKey: true, bubbles: true };
  box.dispatchEvent(new KeyboardEvent("keydown", key));
}

function insert(box, text) {
  box.setRangeText(text, box.selectionStart, box.selectionEnd, "end");
  box.dispatchEvent(new Event("input", { bubbles: true })); // React reads the box at this event
}
