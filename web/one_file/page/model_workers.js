/** A worker for each model of the file; it starts when the model is first needed. */
export class ModelWorkers {
  /**
   * @param {object[]} models what the page knows of each model
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
   * @returns {Worker}
   */
  of(n) {
    this.workers[n] ??= this.begin(n);
    return this.workers[n];
  }

  // Transfers the weights from the page to the worker, without a copy.
  begin(n) {
    const worker = new Worker(this.url);
    const weights = document.getElementById(`weights-${n}`);
    worker.onmessage = ({ data }) => this.onAnswer(data);
    worker.postMessage({ ...this.models[n], weights: weights.textContent });
    weights.remove();
    return worker;
  }
}
