// The whole machine, from token ids to logits, with every attention map (Vaswani et al. 2017, figure 1).

const KINDS = ["encoder_self", "decoder_self", "cross"];

class Embedding {
  constructor(parameters, path, config) {
    this.tokens = parameters[`${path}.tokens.weight`].numbers; // (V, d_model)
    this.d = config.d_model;
    this.scale = config.scale_embedding ? Math.sqrt(this.d) : 1;
    this.config = config;
  }

  // ids of T tokens, of which the first stands at a position of its sentence -> (T, d_model).
  forward(ids, first = 0) {
    const { d, tokens, scale } = this;
    const out = new Float32Array(ids.length * d);
    ids.forEach((id, t) => {
      const wave = positionalEncoding(first + t, this.config);
      for (let i = 0; i < d; i++) out[t * d + i] = scale * tokens[id * d + i] + wave[i];
    });
    return out;
  }
}

// PE(p, 2i) = sin(p w_i), PE(p, 2i + 1) = cos(p w_i); "halves" puts all sines before all cosines.
function positionalEncoding(position, { d_model: d, positions, frequencies }) {
  const wave = new Float32Array(d);
  for (let i = 0; i < d / 2; i++) {
    const angle = position * 10000 ** (-(2 * i) / (frequencies === "paper" ? d : Math.max(d - 2, 1)));
    const [sine, cosine] = positions === "interleaved" ? [2 * i, 2 * i + 1] : [i, i + d / 2];
    [wave[sine], wave[cosine]] = [Math.sin(angle), Math.cos(angle)];
  }
  return wave;
}

class EncoderBlock {
  constructor(parameters, path, config) {
    this.selfAttention = new MultiHeadAttention(parameters, `${path}.self_attention`, config);
    this.feedForward = new FeedForward(parameters, `${path}.feed_forward`, config);
    this.self = new Residual(parameters, `${path}.self_residual`, config);
    this.ffn = new Residual(parameters, `${path}.ffn_residual`, config);
  }

  // (S, d_model) -> (S, d_model), and what the attention has seen, its weights (H, S, S) among it.
  forward(x) {
    let seen;
    const attention = this.selfAttention;
    [x, seen] = this.self.forward(x, (x) => attention.forward(x, attention.keysAndValues(x)));
    [x] = this.ffn.forward(x, (x) => this.feedForward.forward(x));
    return [x, seen];
  }
}

class DecoderBlock extends EncoderBlock {
  constructor(parameters, path, config) {
    super(parameters, path, config);
    this.crossAttention = new MultiHeadAttention(parameters, `${path}.cross_attention`, config);
    this.cross = new Residual(parameters, `${path}.cross_residual`, config);
  }

  // One token more, (1, d_model); what both attentions have seen. The cache keeps keys and values.
  forward(x, memory, cache) {
    let [back, across] = [];
    [x, back] = this.self.forward(x, (x) => {
      cache.self = this.selfAttention.keysAndValues(x, cache.self);
      return this.selfAttention.forward(x, cache.self);
    });
    cache.cross ??= this.crossAttention.keysAndValues(memory);
    [x, across] = this.cross.forward(x, (x) => this.crossAttention.forward(x, cache.cross));
    [x] = this.ffn.forward(x, (x) => this.feedForward.forward(x));
    return [x, back, across];
  }
}

class Transformer {
  constructor(parameters, config) {
    this.config = config;
    this.srcEmbedding = new Embedding(parameters, "src_embedding", config);
    this.tgtEmbedding = new Embedding(parameters, "tgt_embedding", config);
    const layers = [...Array(config.n_layers).keys()];
    this.encoder = layers.map((n) => new EncoderBlock(parameters, `encoder.blocks.${n}`, config));
    this.decoder = layers.map((n) => new DecoderBlock(parameters, `decoder.blocks.${n}`, config));
    const norm = (stack) => (config.norm === "pre" ? new LayerNorm(parameters, `${stack}.norm`) : { forward: (x) => x });
    [this.encoderNorm, this.decoderNorm] = [norm("encoder"), norm("decoder")];
    this.unembed = new Linear(parameters, "unembed");
  }

  // ids of S tokens -> memory (S, d_model), and what the attention of each layer has seen.
  encode(ids) {
    let x = this.srcEmbedding.forward(ids);
    const seen = [];
    this.encoder.forEach((block, n) => ([x, seen[n]] = block.forward(x)));
    return [this.encoderNorm.forward(x), seen];
  }

  // One target token at a position, after those of which each layer has a cache -> logits (V,), and what the
  // two attentions of each layer have seen.
  decode(id, position, memory, cache) {
    let x = this.tgtEmbedding.forward([id], position);
    const [back, across] = [[], []];
    this.decoder.forEach((block, n) => ([x, back[n], across[n]] = block.forward(x, memory, cache[n])));
    return [this.unembed.forward(this.decoderNorm.forward(x)), back, across];
  }

  // What belongs to one kind of attention, layer by layer.
  attentions(kind) {
    const stack = kind === "encoder_self" ? "encoder" : "decoder";
    const name = kind === "cross" ? "cross" : "self";
    return this[stack].map((block) => ({ attention: block[`${name}Attention`], residual: block[name] }));
  }

  // Only these heads, [kind, layer, head] from 0, are ablated.
  ablate(off) {
    for (const kind of KINDS)
      this.attentions(kind).forEach(({ attention }, n) => {
        attention.off = new Set(off.filter(([of, layer]) => of === kind && layer === n).map(([, , head]) => head));
      });
  }
}
