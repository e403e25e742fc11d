const GROUP = 128; // numbers of a row that share one scale, as in model/one_file/weights.py

/**
 * Unpacks the weights of a file: int8 numbers with float32 scales.
 *
 * @param {object} contents name of each parameter -> `shape`, and `at`, where its bytes begin; or
 *   `same`, the name of the parameter whose matrix it shares
 * @param {Uint8Array} bytes
 * @returns {object} name -> `shape` and `numbers` (Float32Array)
 */
export function unpackWeights(contents, bytes) {
  const parameters = {};
  for (const [name, { shape, at, same }] of Object.entries(contents)) {
    if (same) parameters[name] = parameters[same];
    else if (shape.length === 1) parameters[name] = { shape, numbers: floats(bytes, at, shape[0]) };
    else parameters[name] = { shape, numbers: matrix(bytes, at, shape) };
  }
  return parameters;
}

function floats(bytes, at, length) {
  return new Float32Array(bytes.slice(at, at + 4 * length).buffer);
}

// Unpacks a matrix: first the scales of all rows, then the numbers of all rows.
function matrix(bytes, at, [rows, columns]) {
  const groups = Math.ceil(columns / GROUP); // groups of a row
  const scales = floats(bytes, at, rows * groups);
  const start = bytes.byteOffset + at + scales.byteLength;
  const int8 = new Int8Array(bytes.buffer, start, rows * columns);
  const numbers = new Float32Array(rows * columns);
  for (let row = 0, n = 0; row < rows; row++) {
    for (let group = 0; group < groups; group++) {
      const scale = scales[row * groups + group];
      const end = row * columns + Math.min((group + 1) * GROUP, columns);
      for (; n < end; n++) numbers[n] = int8[n] * scale;
    }
  }
  return numbers;
}
