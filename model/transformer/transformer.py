"""The whole machine: from token ids to the states that the next tokens are read from."""

from torch import Tensor, nn

from model.nn.encoder_decoder import EncoderDecoder
from model.nn.hooks import NO_HOOKS, Hooks
from model.nn.seed import seeded
from model.transformer.cache import DecoderCache
from model.transformer.config import ModelConfig
from model.transformer.decoder import Decoder
from model.transformer.embedding import Embedding, new_token_matrix
from model.transformer.encoder import Encoder
from model.transformer.masks import causal_mask


class Transformer(EncoderDecoder):
    """Encoder-decoder Transformer for translation.

    Source: Vaswani et al. 2017, "Attention Is All You Need", figure 1.
    """

    config: ModelConfig

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        n_source = config.src_vocab_size or config.vocab_size
        src_tokens = new_token_matrix(n_source, config.d_model)
        tgt_tokens = src_tokens
        if not config.joint_embedding:
            tgt_tokens = new_token_matrix(config.vocab_size, config.d_model)
        self.src_embedding = Embedding(config, src_tokens)
        self.tgt_embedding = Embedding(config, tgt_tokens)
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        for layer in (m for m in self.modules() if isinstance(m, nn.Linear)):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.unembed = nn.Linear(config.d_model, config.vocab_size, bias=config.output_bias)
        if config.tie_embeddings:
            self.unembed.weight = tgt_tokens.weight

    def new_cache(self) -> DecoderCache:
        """Empty caches for all attentions of the decoder."""
        return DecoderCache(self.config.n_layers)

    def encode(self, src: Tensor, src_mask: Tensor, *, hooks: Hooks = NO_HOOKS) -> Tensor:
        """ids (B, S), mask (B, 1, 1, S) -> memory (B, S, d_model): ``EncoderDecoder.encode``."""
        hooks = hooks.child("encoder")
        embedded = self.src_embedding(src, hooks=hooks)  # (B, S, d_model)
        return self.encoder(embedded, src_mask, hooks=hooks)

    def decode_states(
        self,
        tgt: Tensor,
        memory: Tensor,
        src_mask: Tensor,
        *,
        tgt_mask: Tensor | None = None,
        cache: DecoderCache | None = None,
        hooks: Hooks = NO_HOOKS,
    ) -> Tensor:
        """See ``EncoderDecoder.decode_states``.

        ``tgt_mask``, bool, broadcastable to (B, 1, T, T so far), is by default the causal one.
        """
        first = 0 if cache is None else cache.length
        if tgt_mask is None:
            n_queries = tgt.shape[1]
            tgt_mask = causal_mask(n_queries, first + n_queries, device=tgt.device)
        hooks = hooks.child("decoder")
        embedded = self.tgt_embedding(tgt, first=first, hooks=hooks)  # (B, T, d_model)
        return self.decoder(embedded, memory, tgt_mask, src_mask, cache=cache, hooks=hooks)


def untrained(config: ModelConfig, *, seed: int = 0) -> Transformer:
    """A model with the initial weights of a training with this seed, in eval mode."""
    with seeded(seed):
        return Transformer(config).eval()
