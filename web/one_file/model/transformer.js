import { Embedding } from "./embedding.js";
import { FeedForward } from "./feed_forward.js";
import { LayerNorm } from "./layer_norm.js";
import { Linear } from "./linear.js";
import { MultiHeadAttention } from "./multi_head_attention.js";
import { Residual } from "./residual.js";

/** The three kinds of attention. */
export const KINDS = ["encoder_self", "decoder_self", "cross"];

/**
 * The whole model, from token ids to logits, with every attention map (Vaswani et al. 2017, figure
 * 1). Its modules have the names of model/transformer.
 */
export class Transformer {
  /**
   * @param {object} parameters as `unpackWeights` returns them
   * @param {object} config of the model
   */
  constructor(parameters, config) {
    const layers = [...Array(config.n_layers).keys()];
    const block = (stack, n, attentions) =>
      new Block(parameters, `${stack}.blocks.${n}`, config, attentions);
    this.config = config;
    this.srcEmbedding = new Embedding(parameters, "src_embedding", config);
    this.tgtEmbedding = new Embedding(parameters, "tgt_embedding", config);
    this.encoder = layers.map((n) => block("encoder", n, ["self"]));
    this.decoder = layers.map((n) => block("decoder", n, ["self", "cross"]));
    this.encoderNorm = finalNorm(parameters, "encoder", config);
    this.decoderNorm = finalNorm(parameters, "decoder", config);
    this.unembed = new Linear(parameters, "unembed");
  }

  /**
   * Encodes a source.
   *
   * @param {number[]} ids of S tokens
   * @returns {[Float32Array, object[]]} memory (S, d_model), and the results of each attention
   */
  encode(ids) {
    const seen = [];
    let x = this.srcEmbedding.forward(ids);
    for (const block of this.encoder) {
      const [after, seenByBlock] = block.forward(x, { self: {} });
      x = after;
      seen.push(seenByBlock);
    }
    return [this.encoderNorm.forward(x), seen];
  }

  /**
   * Decodes one more token after the tokens in the caches.
   *
   * @param {number} id of the token
   * @param {number} position of the token, from 0
   * @param {Float32Array} memory (S, d_model)
   * @param {object[]} caches of each layer; they grow by this token
   * @returns {[Float32Array, object[]]} logits (V,), and the results of each attention
   */
  decode(id, position, memory, caches) {
    const seen = [];
    let x = this.tgtEmbedding.forward([id], position);
    this.decoder.forEach((block, n) => {
      const [after, seenByBlock] = block.forward(x, caches[n], memory);
      x = after;
      seen.push(seenByBlock);
    });
    return [this.unembed.forward(this.decoderNorm.forward(x)), seen];
  }

  /**
   * Returns the attentions of one kind with their residual connections, layer by layer.
   *
   * @param {string} kind
   * @returns {Residual[]}
   */
  attentions(kind) {
    const stack = kind === "encoder_self" ? this.encoder : this.decoder;
    return stack.map((block) => (kind === "cross" ? block.cross : block.self));
  }

  /**
   * Ablates these heads; all other heads are active again.
   *
   * @param {[string, number, number][]} heads kind, layer and head, from 0
   */
  ablate(heads) {
    for (const kind of KINDS) {
      this.attentions(kind).forEach(({ sublayer }, n) => {
        const own = heads.filter(([k, layer]) => k === kind && layer === n);
        sublayer.off = new Set(own.map(([, , head]) => head));
      });
    }
  }
}

// A block: self-attention ("self"), cross-attention ("cross") in the decoder, feed-forward network.
class Block {
  constructor(parameters, path, config, attentions) {
    const residual = (name, sublayer) =>
      new Residual(parameters, `${path}.${name}_residual`, config, sublayer);
    for (const name of attentions) {
      const attention = new MultiHeadAttention(parameters, `${path}.${name}_attention`, config);
      this[name] = residual(name, attention);
    }
    this.ffn = residual("ffn", new FeedForward(parameters, `${path}.feed_forward`));
  }

  // Runs the block. Returns (T, d_model), and the results of each attention.
  forward(x, caches, memory) {
    const [afterSelf, self] = this.self.forward(x, caches.self);
    if (!memory) return [this.ffn.forward(afterSelf)[0], { self }];
    const [afterCross, cross] = this.cross.forward(afterSelf, caches.cross, memory);
    return [this.ffn.forward(afterCross)[0], { self, cross }];
  }
}

// Only a pre-norm model has a final norm after its last block.
function finalNorm(parameters, stack, config) {
  if (config.norm === "pre") return new LayerNorm(parameters, `${stack}.norm`);
  return { forward: (x) => x };
}
