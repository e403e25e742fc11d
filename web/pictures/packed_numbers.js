// Numbers as the bytes that pack_bytes in ui/components makes.

export const UNIT = 65535; // of the whole numbers that stand for weights from 0 to a limit

// The bytes that pack_bytes in ui/components makes: a JSON header, then numbers of a type.
export function unpack(data, Numbers) {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { ...header, cells: new Numbers(bytes.slice(4 + length).buffer) }; // a copy starts aligned
}
