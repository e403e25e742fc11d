// Texts in a PNG, and the checksum of its chunks.

import assert from "node:assert/strict";
import test from "node:test";

import { crc32, withPngTexts } from "../../web/app/tools/png_texts.js";

const bytesOf = (text) => new TextEncoder().encode(text);

// 33 bytes stand for the signature and the first chunk, 4 bytes for all chunks after it.
const PNG = new Blob(["s".repeat(33), "rest"]);

async function written(texts) {
  const png = await withPngTexts(PNG, texts);
  return [png.type, new Uint8Array(await png.arrayBuffer())];
}

test("the checksum is that of the standard", () => {
  assert.equal(crc32(bytesOf("123456789")), 0xcbf43926); // the check value of CRC-32
  assert.equal(crc32(bytesOf("IEND")), 0xae426082); // as at the end of every PNG
  assert.equal(crc32(bytesOf("")), 0);
});

test("a text is a chunk after the first one: length, name, content, checksum", async () => {
  const [type, bytes] = await written({ Title: "é" });
  assert.equal(type, "image/png");
  const text = new TextDecoder("latin1").decode(bytes);
  assert.ok(text.startsWith("s".repeat(33)));
  assert.ok(text.endsWith("rest"));
  const chunk = bytes.slice(33, -4);
  // "Title", five zeros, and two bytes of "é"
  assert.deepEqual([...chunk.subarray(0, 4)], [0, 0, 0, 12]);
  const content = chunk.slice(4, -4);
  assert.equal(new TextDecoder().decode(content), "iTXtTitle\0\0\0\0\0é");
  const checksum = new DataView(chunk.buffer).getUint32(chunk.length - 4);
  assert.equal(checksum, crc32(content));
});

test("empty texts are left out, others are one after another", async () => {
  const [, none] = await written({ Title: "", Description: undefined });
  assert.equal(none.length, 37);
  const [, two] = await written({ Title: "a", Description: "b" });
  // four bytes each for length, name and checksum, five zeros, the keyword and the text
  assert.equal(two.length, 37 + (17 + 5 + 1) + (17 + 11 + 1));
});
