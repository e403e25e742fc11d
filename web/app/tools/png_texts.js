// Texts in the metadata of a PNG.

const HEAD = 33; // bytes before its second chunk: the signature, and the chunk IHDR
const POLYNOMIAL = 0xedb88320; // of CRC-32

/**
 * Adds texts to an image, as chunks iTXt (PNG, section 11.3.3.4). Empty texts are left out.
 *
 * @param {Blob} png
 * @param {object} texts text by keyword
 * @returns {Promise<Blob>}
 */
export async function withPngTexts(png, texts) {
  const given = Object.entries(texts).filter(([, text]) => text);
  const chunks = given.map(([keyword, text]) => textChunk(keyword, text));
  return new Blob([png.slice(0, HEAD), ...chunks, png.slice(HEAD)], { type: "image/png" });
}

function textChunk(keyword, text) {
  // The zero bytes after the keyword: no compression, no language, no translated keyword.
  const content = new TextEncoder().encode(`iTXt${keyword}\0\0\0\0\0${text}`);
  const chunk = new Uint8Array(content.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, content.length - 4);
  chunk.set(content, 4);
  view.setUint32(content.length + 4, crc32(content));
  return chunk;
}

/**
 * Returns the CRC-32 checksum of bytes.
 *
 * @param {Uint8Array} bytes
 * @returns {number}
 */
export function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
