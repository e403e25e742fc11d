// The sentence box has several lines so that it can grow.
// A sentence must not contain line breaks.

const BOX = ":is(.st-key-choice-sentence, .st-key-choice-second) textarea";
const LINE_BREAKS = /\s*[\r\n]+\s*/g;
const HEIGHT = "--text-height"; // web/app/page.css uses it
const SLACK = 1; // pixels; the height of a text is measured in whole pixels

const fitted = new WeakMap(); // from each box to the text and the width for which it was measured

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

/**
 * Makes each sentence box as high as its text, in a browser that cannot do this itself.
 *
 * Firefox 140 and WebKit 2.50 have no field-sizing. Streamlit measures a text when it changes, but
 * not when its box becomes wider or narrower.
 */
export function fitSentences() {
  if (CSS.supports("field-sizing", "content")) return;
  for (const box of document.querySelectorAll(BOX)) {
    const { clientWidth, placeholder, value } = box;
    const layout = [clientWidth, getComputedStyle(box).fontSize, value || placeholder].join(" ");
    if (clientWidth === 0 || fitted.get(box) === layout) continue;
    fitted.set(box, layout);
    box.style.setProperty(HEIGHT, 0);
    box.style.setProperty(HEIGHT, `${box.scrollHeight + SLACK}px`);
  }
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
