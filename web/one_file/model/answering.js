import { Translator } from "./translator.js";

/**
 * Answers the messages of the page with one model, in a worker or in the page itself.
 *
 * The first message is the packed model. The next ones are questions
 * `{n, text, chosen, off, options}` or cells to open `{n, cell}`. Every answer has the number `n`
 * of its question.
 */
export class Answering {
  /** @param {(answer: object) => void} post sends an answer to the page */
  constructor(post) {
    this.post = post;
    this.translator = null;
  }

  /** @param {object} message */
  receive(message) {
    const { n } = message;
    if (message.weights) {
      this.translator = new Translator(message);
    } else if (message.cell) {
      this.post({ n, opened: this.translator.openCell(message.cell) });
    } else {
      const answer = this.translator.answer(message, (soFar) => this.post({ n, soFar }));
      this.post({ n, ...answer });
    }
  }
}
