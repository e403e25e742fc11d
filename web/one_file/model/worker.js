// The worker of one model. The page stays usable while it translates.
//
// Messages to it: first the packed model, then questions `{n, text, chosen, off, options}` and
// cells to open `{n, cell}`. Every answer carries the number `n` of its question.

import { Translator } from "./translator.js";

let translator = null;

globalThis.onmessage = ({ data }) => {
  const { n } = data;
  if (data.weights) {
    translator = new Translator(data);
  } else if (data.cell) {
    postMessage({ n, opened: translator.openCell(data.cell) });
  } else {
    const answer = translator.answer(data, (soFar) => postMessage({ n, soFar }));
    postMessage({ n, ...answer });
  }
};
