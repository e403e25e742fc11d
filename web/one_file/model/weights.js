// The weights of a file: 8 bits a number and scales, in the order of a table of contents.

const GROUP = 128; // numbers of a row that have one scale

// {name: [shape, from]} and bytes -> {name: {numbers, shape}}; a matrix that stands for several is shared.
export function unpackWeights(contents, bytes) {
  const parameters = {};
  for (const [name, { shape, at, same }] of Object.entries(contents)) {
    if (same) {
      parameters[name] = parameters[same];
      continue;
    }
    const [rows, columns = 0] = shape;
    const groups = Math.ceil(columns / GROUP) || 1;
    const end = at + 4 * rows * groups;
    const scales = new Float32Array(bytes.slice(at, end).buffer); // of a vector: its numbers
    const eighths = new Int8Array(bytes.buffer, bytes.byteOffset + end, rows * columns);
    const numbers = columns ? new Float32Array(rows * columns) : scales;
    for (let row = 0, n = 0; row < rows; row++)
      for (let group = 0; group < groups; group++) {
        const scale = scales[row * groups + group];
        const last = row * columns + Math.min((group + 1) * GROUP, columns);
        for (; n < last; n++) numbers[n] = eighths[n] * scale;
      }
    parameters[name] = { shape, numbers };
  }
  return parameters;
}
