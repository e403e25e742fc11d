import { Answering } from "../model/answering.js";

/** A worker for each model of the file. It starts when its model is first needed. */
export class ModelWorkers {
  /**
   * @param {object[]} models the page's data about each model
   * @param {(answer: object) => void} onAnswer
   */
  constructor(models, onAnswer) {
    const script = document.getElementById("worker").textContent;
    this.models = models;
    this.onAnswer = onAnswer;
    this.url = URL.createObjectURL(new Blob([script]));
    this.workers = [];
  }

  /**
   * @param {number} n which model, from 0
   * @returns {ModelWorker}
   */
  of(n) {
    this.workers[n] ??= this.begin(n);
    return this.workers[n];
  }

  // Starts a worker, and moves the weights from the page to it.
  begin(n) {
    const worker = new ModelWorker(this.url, this.onAnswer);
    const weights = document.getElementById(`weights-${n}`);
    worker.postMessage({ ...this.models[n], weights: weights.textContent });
    weights.remove();
    return worker;
  }
}

/**
 * Computes in a worker, or in the page if the site's Content-Security-Policy forbids workers. In
 * the latter case the page is frozen during a translation.
 */
class ModelWorker {
  /**
   * @param {string} url of the worker's script
   * @param {(answer: object) => void} onAnswer
   */
  constructor(url, onAnswer) {
    this.onAnswer = onAnswer;
    this.unanswered = []; // messages before the first answer
    this.worker = null;
    try {
      this.worker = new Worker(url);
      this.worker.onmessage = ({ data }) => this.receive(data);
      this.worker.onerror = () => this.computeInPage();
    } catch {
      this.computeInPage();
    }
  }

  /** @param {object} message a message for `Answering.receive` */
  postMessage(message) {
    this.unanswered?.push(message);
    this.worker.postMessage(message);
  }

  receive(answer) {
    this.unanswered = null; // the worker works, and the weights need not be kept for the page
    this.onAnswer(answer);
  }

  computeInPage() {
    if (!this.unanswered) return; // the worker has answered before: it is allowed
    const answering = new Answering(this.onAnswer);
    // Waits, so that the browser can draw the page first.
    this.worker = { postMessage: (message) => setTimeout(() => answering.receive(message)) };
    for (const message of this.unanswered) this.worker.postMessage(message);
    this.unanswered = null;
  }
}
