// A model of 2 layers whose matrices are identities, so that one can follow its numbers.

import assert from "node:assert/strict";
import test from "node:test";

import { Embedding } from "../../web/one_file/model/embedding.js";
import { translate } from "../../web/one_file/model/greedy.js";
import { Transformer } from "../../web/one_file/model/transformer.js";

function near(found, expected) {
  assert.equal(found.length, expected.length);
  [...found].forEach((value, n) => {
    assert.ok(Math.abs(value - expected[n]) < 1e-4, `${n}: ${found}`);
  });
}

const numbers = (...given) => Float32Array.from(given);
const IDENTITY = {
  shape: [4, 4],
  numbers: numbers(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1),
};
const TOKENS = { shape: [2, 4], numbers: numbers(0.5, -1, 0.5, -1, 1, 0, 2, 0) };
const UNEMBED = { shape: [4, 4], numbers: numbers(1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0) };

// The parameters of a model by their names.
const PARAMETERS = new Proxy(
  {},
  {
    get(_, name) {
      if (name.endsWith("norm.weight")) return { numbers: numbers(1, 1, 1, 1) };
      if (name.endsWith("norm.bias")) return { numbers: numbers(0, 0, 0, 0) };
      if (name.endsWith(".bias")) return undefined;
      if (name.endsWith("tokens.weight")) return TOKENS;
      return name === "unembed.weight" ? UNEMBED : IDENTITY;
    },
  },
);

const model = (norm) =>
  new Transformer(PARAMETERS, { n_layers: 2, n_heads: 2, d_model: 4, norm, max_length: 9 });

test("an embedding is √d times that of the token, plus the position", () => {
  const embedding = new Embedding(PARAMETERS, "e", { d_model: 4 });
  const [sin, cos] = [Math.sin, Math.cos];
  near(embedding.forward([0, 1]), [1, -1, 1, -1, 2 + sin(1), cos(1), 4 + sin(0.01), cos(0.01)]);
  near(embedding.forward([1], 2), [2 + sin(2), cos(2), 4 + sin(0.02), cos(0.02)]);
});

test("with the norm after the sum every layer has the mean 0 and the deviation 1", () => {
  // the first token is (1, -1, 1, -1), a lone token sees itself, and norm(2 x) = x
  const [memory, seen] = model("post").encode([0]);
  near(memory, [1, -1, 1, -1]);
  assert.equal(seen.length, 2);
  near(seen[1].self.before, [1, -1, 1, -1]);
  near(seen[1].self.sum, [2, -2, 2, -2]);
  near(seen[1].self.after, [1, -1, 1, -1]);
  near(seen[1].self.weights, [1, 1]);
  assert.equal(seen[0].cross, undefined);
});

test("with the norm before a sublayer the sums grow, and a last norm ends them", () => {
  const [memory, seen] = model("pre").encode([0]);
  near(seen[0].self.after, [2, -2, 2, -2]); // x + norm(x)
  near(seen[1].self.before, [3, -2, 3, -2]); // and what is positive of norm(x) again
  near(seen[1].self.after, [4, -3, 4, -3]);
  near(memory, [1, -1, 1, -1]); // norm of (5, -3, 5, -3)
});

test("a decoder sees its own tokens and the memory", () => {
  const post = model("post");
  const caches = post.decoder.map(() => ({ self: {}, cross: {} }));
  const memory = numbers(1, -1, 1, -1, 1, -1, 1, -1);
  const [logits, seen] = post.decode(0, 0, memory, caches);
  near(logits, [1, -1, 2, 0]); // rows of the last matrix times (1, -1, 1, -1)
  near(seen[1].cross.weights, [0.5, 0.5, 0.5, 0.5]); // both tokens of the memory are equal
  near(seen[1].cross.before, [1, -1, 1, -1]);
  const [, later] = post.decode(0, 1, memory, caches);
  assert.equal(later[0].self.weights.length, 4); // two heads, two tokens
  assert.equal(later[0].cross.weights.length, 4);
});

test("attentions are found by their kind", () => {
  const post = model("post");
  const sublayers = (kind) => post.attentions(kind).map(({ sublayer }) => sublayer);
  assert.deepEqual(
    sublayers("encoder_self"),
    post.encoder.map((block) => block.self.sublayer),
  );
  assert.equal(sublayers("decoder_self")[1], post.decoder[1].self.sublayer);
  assert.equal(sublayers("cross")[1], post.decoder[1].cross.sublayer);
});

test("heads are switched off by kind and layer, and all others on", () => {
  const post = model("post");
  const off = () =>
    ["encoder_self", "decoder_self", "cross"].map((kind) =>
      post.attentions(kind).map(({ sublayer }) => [...sublayer.off].join()),
    );
  post.ablate([
    ["cross", 1, 0],
    ["encoder_self", 0, 1],
    ["encoder_self", 0, 0],
  ]);
  assert.deepEqual(off(), [
    ["1,0", ""],
    ["", ""],
    ["", "0"],
  ]);
  post.ablate([["decoder_self", 0, 1]]);
  assert.deepEqual(off(), [
    ["", ""],
    ["1", ""],
    ["", ""],
  ]);
});

// Translates with a model that writes these ids, and notes what it is asked to decode.
function translated(written, { length = 3, maxLength = 99, chosen, onToken } = {}) {
  const asked = [];
  const step = (n) => {
    const row = numbers(n);
    const seen = {
      q: row,
      before: row,
      sum: row,
      after: row,
      weights: new Float32Array(n).fill(1),
    };
    return { ...seen, k: new Float32Array(n), v: new Float32Array(n) };
  };
  const scripted = {
    config: { max_length: maxLength },
    decoder: [{}],
    encode: (src) => [`memory of ${src}`, [{ self: "seen by the encoder" }]],
    decode(id, position, memory, caches) {
      asked.push([id, position, memory, caches.length]);
      const logits = new Float32Array(6);
      logits[written[Math.min(position, written.length - 1)]] = 9;
      return [logits, [{ self: step(position + 1), cross: step(1) }]];
    },
  };
  const src = Array(length).fill(7);
  const special = { bos_id: 1, eos_id: 2 };
  return { asked, result: translate(scripted, src, special, chosen, onToken) };
}

test("a translation is written token by token until its end", () => {
  const tokens = [];
  const { asked, result } = translated([3, 4, 2], { onToken: (ids) => tokens.push(ids.at(-1)) });
  assert.deepEqual(result.ids, [1, 3, 4, 2]);
  assert.deepEqual(tokens, [3, 4, 2]);
  assert.deepEqual(asked, [
    [1, 0, "memory of 7,7,7", 1],
    [3, 1, "memory of 7,7,7", 1],
    [4, 2, "memory of 7,7,7", 1],
  ]);
  assert.deepEqual(
    result.candidates.map(([[id]]) => id),
    [3, 4, 2],
  );
  assert.deepEqual(result.seen.encoder_self, ["seen by the encoder"]);
  near(result.seen.decoder_self[0].weights, [1, 0, 0, 1, 1, 0, 1, 1, 1]);
});

test("a chosen token takes the place of the model's own, and is the last candidate", () => {
  const { asked, result } = translated([3, 4, 2], { chosen: { 1: 5 } });
  assert.deepEqual(result.ids, [1, 3, 5, 2]);
  assert.equal(asked[2][0], 5);
  assert.equal(result.candidates[1][0][0], 4);
  assert.ok(result.candidates[1].some(([id]) => id === 5));
});

test("a translation has at most 50 tokens more than its source, or what the model reads", () => {
  assert.equal(translated([3], { length: 3 }).result.ids.length, 1 + 53);
  assert.equal(translated([3], { length: 3, maxLength: 20 }).result.ids.length, 1 + 20);
});

test("a sign for the beginning that is also that of the end does not end it", () => {
  const scripted = { config: { max_length: 9 }, decoder: [], encode: () => ["memory", []] };
  const logits = numbers(0, 9, 0, 0, 0);
  const ids = [];
  translate(
    { ...scripted, decode: () => [logits, []] },
    [7],
    { bos_id: 1, eos_id: 1 },
    {},
    (given) => ids.push(...given),
  );
  assert.deepEqual(ids, [1, 1]);
});
