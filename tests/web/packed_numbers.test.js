// Numbers in the bytes that the server sends.

import assert from "node:assert/strict";
import test from "node:test";

import { toUint16, UINT16_MAX, unpack } from "../../web/pictures/packed_numbers.js";

test("a header and numbers are read from bytes at any offset", () => {
  // the header is padded to a multiple of four bytes
  const header = new TextEncoder().encode('{"a":1} ');
  const bytes = new Uint8Array(3 + 4 + header.length + 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(3, header.length, true);
  bytes.set(header, 7);
  view.setFloat32(7 + header.length, 2.5, true);
  const unpacked = unpack(bytes.subarray(3), Float32Array);
  assert.deepEqual(unpacked, { a: 1, cells: Float32Array.of(2.5) });
});

test("weights are stored as shares of the limit", () => {
  assert.deepEqual([...toUint16([0, 1, 2], 2)], [0, 32768, UINT16_MAX]);
});
