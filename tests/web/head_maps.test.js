// The maps of heads on a page without a server, with the means that it adds.

import assert from "node:assert/strict";
import test from "node:test";

import { mapOf, withMeans } from "../../web/saved_page/head_maps.js";

test("the mean of a layer comes after the heads of the layer", () => {
  const weights = Float32Array.of(1, 0, 0, 1, 0.5, 0.5, 0.25, 0.75); // 2 layers, 2 heads, 1 row
  const maps = withMeans(weights, [2, 2, 1, 2]);
  assert.deepEqual(maps.shape, [2, 3, 1, 2]);
  assert.equal(maps.heads, 2);
  assert.deepEqual([...mapOf(maps, 0, 1)], [0, 1]);
  assert.deepEqual([...mapOf(maps, 0, null)], [0.5, 0.5]);
  assert.deepEqual([...mapOf(maps, 1, 0)], [0.5, 0.5]);
  assert.deepEqual([...mapOf(maps, 1, null)], [0.375, 0.625]);
});

test("a single head is not repeated as the mean", () => {
  const weights = Float32Array.of(0.5, 0.5);
  assert.deepEqual(withMeans(weights, [1, 1, 1, 2]), { weights, shape: [1, 1, 1, 2], heads: 1 });
});
