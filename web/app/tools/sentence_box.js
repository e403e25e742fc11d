// The sentence box has several lines so that it can grow.
// A sentence must not contain line breaks.

const BOX = ":is(.st-key-choice-sentence, .st-key-choice-second) textarea";
const LINE_BREAKS = /\s*[\r\n]+\s*/g;

/**
 * Sends the sentence instead of starting a new line, and joins the lines of pasted or dropped text.
 *
 * An input method that handles Enter itself starts no new line, so it is not affected.
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

// Streamlit sends the text of a multi-line box only at Ctrl + Enter.
function send(box) {
  const key = { key: "Enter", code: "Enter", ctrlKey: true, bubbles: true };
  box.dispatchEvent(new KeyboardEvent("keydown", key));
}

function insert(box, text) {
  box.setRangeText(text, box.selectionStart, box.selectionEnd, "end");
  box.dispatchEvent(new Event("input", { bubbles: true })); // React reads the box at this event
}
