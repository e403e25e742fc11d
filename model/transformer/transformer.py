"""The whole Transformer, from token ids to the states that predict the next tokens."""

from torch import Tensor, nn

from model.nn.attention_model import AttentionModel
from model.nn.hooks import NO_HOOKS, Hooks
from model.nn.seed import seeded
from model.transformer.cache import DecoderCache
from model.transformer.config import ModelConfig
from model.transformer.decoder import Decoder
from model.transformer.embedding import Embedding, new_token_matrix
from model.transformer.encoder import Encoder
from model.transformer.masks import causal_mask


class Transformer(AttentionModel):
    """Encoder-decoder Transformer for translation.

    Source: Vaswani et al. 2017, "Attention Is All You Need", figure 1.
    """

    config: ModelConfig

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        src_tokens = new_token_matrix(config.vocab_size, config.d_model)
        tgt_tokens = src_tokens
        if not config.tie_embeddings:
            tgt_tokens = new_token_matrix(config.vocab_size, config.d_model)
        self.src_embedding = Embedding(config, src_tokens)
        self.tgt_embedding = Embedding(config, tgt_tokens)
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
        self.unembed = nn.Linear(config.d_model, config.vocab_size, bias=False)
        if config.tie_embeddings:
            self.unembed.weight = tgt_tokens.weight

    def new_cache(self) -> DecoderCache:
        """Return empty caches for all attentions of the decoder."""
        return DecoderCache(self.config.n_layers)

    def encode(self, src: Tensor, src_mask: Tensor, *, hooks: Hooks = NO_HOOKS) -> Tensor:
        """Encode (B, S) source ids to the memory (B, S, d_model); see ``EncoderDecoder.encode``.

        Args:
            src: (B, S) int64 token ids, EOS last, padded on the right.
            src_mask: (B, 1, 1, S) bool, True = may attend.
            hooks: what to record, ablate and patch.
        """
        hooks = hooks.child("encoder")
        embedded = self.src_embedding(src, hooks=hooks)  # (B, S, d_model)
        return self.encoder(embedded, src_mask, hooks=hooks)

    def embed_source(self, src: Tensor) -> Tensor:
        """Embed (B, S) source ids with their positions: (B, S, d_model)."""
        embedded: Tensor = self.src_embedding(src)
        return embedded

    def encode_embedded(self, embedded: Tensor, src_mask: Tensor) -> Tensor:
        """Run the encoder on an embedded source; see ``AttentionModel.encode_embedded``."""
        memory: Tensor = self.encoder(embedded, src_mask)
        return memory

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
        """Run the decoder; see ``AttentionModel.decode_states``.

        Args:
            tgt: (B, T) int64, BOS and the tokens so far; with a cache only the new ones.
            memory: (B, S, d_model), the result of ``encode``.
            src_mask: (B, 1, 1, S) bool, True = may attend.
            tgt_mask: bool, broadcastable to (B, H, T, tokens so far); None for the causal mask.
            cache: of earlier decoding steps; it is extended.
            hooks: record everything, ablate heads, patch.

        Returns:
            decoded: (B, T, d_model), from which the next tokens are read.

        Raises:
            ValueError: the target is longer than ``max_length``.
        """
        first = 0 if cache is None else cache.length
        if tgt_mask is None:
            n_queries = tgt.shape[1]
            tgt_mask = causal_mask(n_queries, first + n_queries, device=tgt.device)
        hooks = hooks.child("decoder")
        embedded = self.tgt_embedding(tgt, first=first, hooks=hooks)  # (B, T, d_model)
        return self.decoder(embedded, memory, tgt_mask, src_mask, cache=cache, hooks=hooks)


def untrained(config: ModelConfig, *, seed: int = 0) -> Transformer:
    """Return an eval-mode model with the initial weights of a training run with this seed."""
    with seeded(seed):
        return Transformer(config).eval()
