// The weights of a file: 8 bits a number and a scale for each row, in the order of a table of contents.

// {name: [shape, from]} and bytes -> {name: {numbers, shape}}; a matrix that stands for several is shared.
function unpackWeights(contents, bytes) {
  const parameters = {};
  for (const [name, { shape, at, same }] of Object.entries(contents)) {
    if (same) {
      parameters[name] = parameters[same];
      continue;
    }
    const columns = shape.length === 2 ? shape[1] : 0;
    if (!columns) {
      parameters[name] = { shape, numbers: new Float32Array(bytes.slice(at, at + 4 * shape[0]).buffer) };
      continue;
    }
    const scales = new Float32Array(bytes.slice(at, at + 4 * shape[0]).buffer);
    const eighths = new Int8Array(bytes.buffer, bytes.byteOffset + at + 4 * shape[0], shape[0] * columns);
    const numbers = new Float32Array(eighths.length);
    for (let row = 0; row < shape[0]; row++)
      for (let i = row * columns; i < (row + 1) * columns; i++) numbers[i] = eighths[i] * scales[row];
    parameters[name] = { shape, numbers };
  }
  return parameters;
}
