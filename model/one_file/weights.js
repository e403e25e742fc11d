// The weights of a file: 8 bits a number and a scale for each row, in the order of a table of contents.

// {name: [shape, from]} and bytes -> {name: {numbers, shape}}; a matrix that stands for several is shared.
function unpackWeights(contents, bytes) {
  const parameters = {};
  for (const [name, { shape, at, same }] of Object.entries(contents)) {
    if (same) {
      parameters[name] = parameters[same];
      continue;
    }
    const [rows, columns = 0] = shape;
    const scales = new Float32Array(bytes.slice(at, at + 4 * rows).buffer); // of a vector: its numbers
    const eighths = new Int8Array(bytes.buffer, bytes.byteOffset + at + 4 * rows, rows * columns);
    const numbers = columns ? new Float32Array(rows * columns) : scales;
    for (let row = 0, at = 0; row < rows; row++)
      for (const end = at + columns; at < end; at++) numbers[at] = eighths[at] * scales[row];
    parameters[name] = { shape, numbers };
  }
  return parameters;
}
