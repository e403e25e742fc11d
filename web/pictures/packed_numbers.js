// Reads numbers from bytes, which `pack_bytes` in ui/components/__init__.py writes.

/** The uint16 that represents a map's limit; 0 represents 0. */
export const UINT16_MAX = 65535;

/**
 * Reads a JSON header and the numbers after it.
 *
 * @param {Uint8Array | ArrayBuffer} data length of the header as little-endian uint32, the header,
 *   the numbers
 * @param {Function} Numbers type of the numbers, such as Float32Array
 * @returns {object} the header, with the numbers as `cells`
 */
export function unpack(data, Numbers) {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const numbers = bytes.slice(4 + length); // a copy, because typed arrays must start aligned
  return { ...header, cells: new Numbers(numbers.buffer) };
}

/**
 * Returns weights as uint16.
 *
 * @param {Iterable<number>} weights in [0, limit]
 * @param {number} limit the weight that becomes UINT16_MAX
 * @returns {Uint16Array}
 */
export function toUint16(weights, limit) {
  return Uint16Array.from(weights, (weight) => Math.round((weight / limit) * UINT16_MAX));
}
