// A worker for each model, or the page itself where workers are forbidden.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakePage } from "./page.js";
import { ModelWorkers } from "../../web/one_file/page/model_workers.js";

mock.timers.enable({ apis: ["setTimeout"] });

function begun({ isForbidden = false } = {}) {
  const page = new FakePage();
  document.getElementById = (id) => document.querySelector(`#${id}`);
  page.add("script", { id: "worker" }).textContent = "the script";
  for (const n of [0, 1]) page.add("script", { id: `weights-${n}` }).textContent = `weights ${n}`;
  let blob = null;
  URL.createObjectURL = (given) => {
    blob = given;
    return "blob:1";
  };
  const made = [];
  globalThis.Worker = class {
    constructor(url) {
      if (isForbidden) throw new Error("SecurityError");
      this.url = url;
      this.messages = [];
      made.push(this);
    }

    postMessage(message) {
      this.messages.push(message);
    }
  };
  const answers = [];
  const workers = new ModelWorkers([{ name: "a" }, { name: "b" }], (each) => answers.push(each));
  return { page, workers, made, answers, script: () => blob.text() };
}

test("a worker gets its model and its weights, which leave the page", async () => {
  const { page, workers, made, script } = begun();
  const worker = workers.of(1);
  assert.equal(workers.of(1), worker);
  assert.deepEqual([made.length, made[0].url], [1, "blob:1"]);
  assert.deepEqual(made[0].messages, [{ name: "b", weights: "weights 1" }]);
  assert.equal(await script(), "the script");
  assert.deepEqual(
    page.body.children.map(({ id }) => id),
    ["worker", "weights-0"],
  );
});

test("its messages and answers are handed on", () => {
  const { workers, made, answers } = begun();
  workers.of(0).postMessage({ n: 1 });
  assert.deepEqual(made[0].messages[1], { n: 1 });
  made[0].onmessage({ data: "answer" });
  assert.deepEqual(answers, ["answer"]);
  assert.equal(workers.of(0).unanswered, null); // the weights need not be kept
});

// What reaches the page's own model: the first message fails there, as the model is none.
function computed(act) {
  const failed = [];
  const state = begun(act);
  const worker = state.workers.of(0);
  const run = () => {
    try {
      mock.timers.tick(1);
    } catch (error) {
      failed.push(error);
    }
  };
  return { ...state, worker, run, failed };
}

test("where workers are forbidden, the page computes, after it was drawn", () => {
  const { worker, run, failed, made } = computed({ isForbidden: true });
  assert.deepEqual([made.length, worker.unanswered, failed], [0, null, []]);
  run();
  assert.equal(failed.length, 1);
});

test("a worker that fails before its first answer is replaced by the page, with its messages", () => {
  const { worker, made, run, failed } = computed();
  made[0].onerror();
  assert.equal(worker.unanswered, null);
  run();
  assert.equal(failed.length, 1);
  const { worker: page } = worker;
  made[0].onerror(); // once
  assert.equal(worker.worker, page);
});

test("an error after the first answer is none of the worker's being forbidden", () => {
  const { worker, made, run, failed } = computed();
  made[0].onmessage({ data: "answer" });
  made[0].onerror();
  run();
  assert.deepEqual([worker.worker, failed], [made[0], []]);
});
