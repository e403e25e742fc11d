// A worker for each model, or the page itself where workers are forbidden.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FakePage } from "./page.js";
import { Answering } from "../../web/one_file/model/answering.js";
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

test("a worker gets all messages, and the page all of its answers", () => {
  const { workers, made, answers } = begun();
  workers.of(0).postMessage({ n: 1 });
  assert.deepEqual(made[0].messages[1], { n: 1 });
  made[0].onmessage({ data: "answer" });
  assert.deepEqual(answers, ["answer"]);
  assert.equal(workers.of(0).unanswered, null); // the weights need not be kept
});

const received = [];
mock.method(Answering.prototype, "receive", (message) => received.push(message));
const FIRST = { name: "a", weights: "weights 0" };

test("where workers are forbidden, the page computes, after it was drawn", () => {
  const { workers, made } = begun({ isForbidden: true });
  workers.of(0).postMessage({ n: 1 });
  assert.deepEqual([made, received], [[], []]);
  mock.timers.tick(1);
  assert.deepEqual(received.splice(0), [FIRST, { n: 1 }]);
});

test("a worker that fails at first is replaced by the page, with its messages", () => {
  const { workers, made } = begun();
  workers.of(0).postMessage({ n: 1 });
  made[0].onerror();
  made[0].onerror(); // a second error changes nothing
  mock.timers.tick(1);
  assert.deepEqual(received.splice(0), [FIRST, { n: 1 }]);
});

test("after the first answer the worker is known to be allowed", () => {
  const { workers, made } = begun();
  workers.of(0);
  made[0].onmessage({ data: "answer" });
  made[0].onerror();
  workers.of(0).postMessage({ n: 1 });
  mock.timers.tick(1);
  assert.deepEqual([received, made[0].messages], [[], [FIRST, { n: 1 }]]);
});
