"""The predecessor of the Transformer: a recurrent encoder and a recurrent decoder."""

import torch
from torch import Tensor, nn

from model.nn.dropout import Dropout
from model.nn.encoder_decoder import EncoderDecoder
from model.nn.hooks import NO_HOOKS, Hooks
from model.recurrent.config import RecurrentConfig
from model.recurrent.decoder import DECODERS, RecurrentCache
from model.recurrent.encoder import RecurrentEncoder


class RecurrentEncoderDecoder(EncoderDecoder):
    """A recurrent model: a shared token embedding, an encoder and a decoder.

    Source: Cho et al. 2014; Luong et al. 2015; Bahdanau et al. 2015.
    """

    config: RecurrentConfig

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.config = config
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.dropout = Dropout(config.dropout)
        self.encoder = RecurrentEncoder(config)
        self.decoder = DECODERS[config.arch](config)
        self.unembed = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self._initialise()
        self.unembed.weight = self.tokens.weight

    @torch.no_grad()
    def _initialise(self) -> None:
        """Draw all weights, and set the biases to 0.

        State matrices are orthogonal, so that the state neither explodes nor vanishes.
        """
        for name, p in self.named_parameters():
            if name.endswith("w_h.weight"):
                for block in torch.split(p, p.shape[1]):  # (d_hidden, d_hidden) each
                    nn.init.orthogonal_(block)
            elif p.dim() == 2:
                nn.init.xavier_uniform_(p)
            else:
                nn.init.zeros_(p)
        self.tokens.weight.normal_(std=self.config.d_model**-0.5)

    def new_cache(self) -> RecurrentCache:
        """Return an empty cache."""
        return RecurrentCache()

    def encode(self, src: Tensor, src_mask: Tensor, *, hooks: Hooks = NO_HOOKS) -> Tensor:
        """Return a state for every token of the source; see ``EncoderDecoder.encode``.

        Args:
            src: (B, S) int64 token ids, EOS last, padded on the right.
            src_mask: (B, 1, 1, S) bool, True = may attend.
            hooks: what to record.
        """
        if hooks.ablations:
            raise ValueError("a recurrent model has no heads that could be ablated")
        hooks = hooks.child("encoder")
        embedded = self._embed(src, hooks=hooks)  # (B, S, d_model)
        return self.encoder(embedded, src_mask[:, 0, 0], hooks=hooks)

    def decode_states(
        self,
        tgt: Tensor,
        memory: Tensor,
        src_mask: Tensor,
        *,
        cache: RecurrentCache | None = None,
        hooks: Hooks = NO_HOOKS,
    ) -> Tensor:
        """Run the decoder; see ``EncoderDecoder.decode_states``.

        Args:
            tgt: (B, T) int64, BOS and the tokens so far; with a cache only the new ones.
            memory: (B, S, d_memory), the result of ``encode``.
            src_mask: (B, 1, 1, S) bool, False where there is padding.
            cache: of earlier decoding steps; it is extended.
            hooks: record everything.

        Returns:
            decoded: (B, T, d_model), from which the next tokens are read.

        Raises:
            ValueError: the target is longer than ``max_length``.
        """
        hooks = hooks.child("decoder")
        first = 0 if cache is None else cache.length
        embedded = self._embed(tgt, first=first, hooks=hooks)  # (B, T, d_model)
        summary = self.encoder.summary(memory)  # (B, d_hidden)
        is_real = src_mask[:, 0, 0]  # (B, S), False at padding
        decoded = self.decoder(embedded, memory, summary, is_real, cache=cache, hooks=hooks)
        return self.dropout(decoded)

    def _embed(self, ids: Tensor, *, first: int = 0, hooks: Hooks) -> Tensor:
        """Embed tokens with unit variance: (B, T) int64 -> (B, T, d_model).

        Args:
            ids: the token ids.
            first: position of ids[:, 0] in its sentence; above 0 when decoding with a cache.
            hooks: record the result.

        Raises:
            ValueError: there are more tokens than ``max_length``.
        """
        end = first + ids.shape[1]
        limit = self.config.max_length
        if end > limit:
            raise ValueError(f"{end} tokens are more than this model takes: {limit}")
        embedded = self.tokens(ids) * self.config.d_model**0.5
        hooks.record(embedded=embedded)
        return self.dropout(embedded)
