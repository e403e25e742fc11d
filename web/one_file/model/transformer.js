// The whole machine, from token ids to logits, with every attention map (Vaswani et al. 2017, figure 1).

import { MultiHeadAttention } from "./attention.js";
import { FeedForward, LayerNorm, Linear, Residual } from "./layers.js";

export const KINDS = ["encoder_self", "decoder_self", "cross"];

class Embedding {
  constructor(parameters, path, config) {
    this.tokens = parameters[`${path}.tokens.weight`].numbers; // (V, d_model)
    this.config = config;
  }

  // ids of T tokens, of which the first stands at a position of its sentence -> (T, d_model).
  forward(ids, first = 0) {
    const { d_model: d, scale_embedding } = this.config;
    const scale = scale_embedding ? Math.sqrt(d) : 1;
    const out = new Float32Array(ids.length * d);
    ids.forEach((id, t) => {
      const wave = positionalEncoding(first + t, this.config);
      for (let i = 0; i < d; i++) out[t * d + i] = scale * this.tokens[id * d + i] + wave[i];
    });
    return out;
  }
}

// PE(p, 2i) = sin(p w_i), PE(p, 2i + 1) = cos(p w_i); "halves" puts all sines before all cosines.
function positionalEncoding(position, { d_model: d, positions, frequencies }) {
  const wave = new Float32Array(d);
  for (let i = 0; i < d / 2; i++) {
    const angle =
      position * 10000 ** (-(2 * i) / (frequencies === "paper" ? d : Math.max(d - 2, 1)));
    const [sine, cosine] = positions === "interleaved" ? [2 * i, 2 * i + 1] : [i, i + d / 2];
    [wave[sine], wave[cosine]] = [Math.sin(angle), Math.cos(angle)];
  }
  return wave;
}

// The attentions to its own tokens ("self") and, in the decoder, to the source ("cross"); the feed-forward network.
class Block {
  constructor(parameters, path, config, attentions) {
    const residual = (name, sublayer) =>
      new Residual(parameters, `${path}.${name}_residual`, config, sublayer);
    for (const name of attentions)
      this[name] = residual(
        name,
        new MultiHeadAttention(parameters, `${path}.${name}_attention`, config),
      );
    this.ffn = residual("ffn", new FeedForward(parameters, `${path}.feed_forward`, config));
  }

  // (T, d_model) -> (T, d_model), and what each attention has seen, its weights (H, T, S) among it. The cache of
  // an attention keeps keys and values.
  forward(x, caches, memory) {
    const seen = {};
    [x, seen.self] = this.self.forward(x, caches.self);
    if (memory) [x, seen.cross] = this.cross.forward(x, caches.cross, memory);
    [x] = this.ffn.forward(x);
    return [x, seen];
  }
}

export class Transformer {
  constructor(parameters, config) {
    this.config = config;
    this.srcEmbedding = new Embedding(parameters, "src_embedding", config);
    this.tgtEmbedding = new Embedding(parameters, "tgt_embedding", config);
    const layers = [...Array(config.n_layers).keys()];
    this.encoder = layers.map(
      (n) => new Block(parameters, `encoder.blocks.${n}`, config, ["self"]),
    );
    this.decoder = layers.map(
      (n) => new Block(parameters, `decoder.blocks.${n}`, config, ["self", "cross"]),
    );
    const norm = (stack) =>
      config.norm === "pre" ? new LayerNorm(parameters, `${stack}.norm`) : { forward: (x) => x };
    [this.encoderNorm, this.decoderNorm] = [norm("encoder"), norm("decoder")];
    this.unembed = new Linear(parameters, "unembed");
  }

  // ids of S tokens -> memory (S, d_model), and what the attention of each layer has seen.
  encode(ids) {
    let x = this.srcEmbedding.forward(ids);
    const seen = [];
    this.encoder.forEach((block, n) => ([x, seen[n]] = block.forward(x, { self: {} })));
    return [this.encoderNorm.forward(x), seen];
  }

  // One target token at a position, after those of which each layer has caches -> logits (V,), and what the
  // attentions of each layer have seen.
  decode(id, position, memory, caches) {
    let x = this.tgtEmbedding.forward([id], position);
    const seen = [];
    this.decoder.forEach((block, n) => ([x, seen[n]] = block.forward(x, caches[n], memory)));
    return [this.unembed.forward(this.decoderNorm.forward(x)), seen];
  }

  // Of one kind, with their residual connections, layer by layer.
  attentions(kind) {
    const stack = kind === "encoder_self" ? this.encoder : this.decoder;
    return stack.map((block) => (kind === "cross" ? block.cross : block.self));
  }

  // Only these heads, [kind, layer, head] from 0, are ablated.
  ablate(off) {
    for (const kind of KINDS)
      this.attentions(kind).forEach(({ sublayer }, n) => {
        sublayer.off = new Set(
          off.filter(([of, layer]) => of === kind && layer === n).map(([, , head]) => head),
        );
      });
  }
}
