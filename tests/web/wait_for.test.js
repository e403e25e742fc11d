// Waiting for something that the page will show.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { waitFor } from "../../web/app/tools/wait_for.js";

let now = 0;
mock.method(performance, "now", () => now);
globalThis.requestAnimationFrame = (act) => {
  now += 16;
  queueMicrotask(act);
};

test("a condition is checked once in each frame until it holds", async () => {
  let looks = 0;
  const found = await waitFor(() => {
    looks += 1;
    return looks === 3 && "found";
  }, 1000);
  assert.deepEqual([found, looks], ["found", 3]);
});

test("after its time, waiting ends with an error", async () => {
  let looks = 0;
  const count = () => {
    looks += 1;
  };
  await assert.rejects(waitFor(count, 48), /not there/);
  assert.equal(looks, 3); // at 0, 16 and 32 milliseconds
});
