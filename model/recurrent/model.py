"""The models that the Transformer replaced: a recurrent encoder and a recurrent decoder."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from model.nn.dropout import Dropout
from model.nn.encoder_decoder import EncoderDecoder
from model.nn.head_ablation import Ablations
from model.nn.tape import Tape, child
from model.recurrent.config import RecurrentConfig
from model.recurrent.decoder import DECODERS, RecurrentCache
from model.recurrent.encoder import RecurrentEncoder


class RecurrentEncoderDecoder(EncoderDecoder[RecurrentCache]):
    """One token embedding for source, target and output; an encoder; a decoder.

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
        """Orthogonal where a state is carried on, so that it neither explodes nor vanishes."""
        for name, p in self.named_parameters():
            if name.endswith("w_h.weight"):
                for block in torch.split(p, p.shape[1]):
                    nn.init.orthogonal_(block)
            elif p.dim() == 2:
                nn.init.xavier_uniform_(p)
            else:
                nn.init.zeros_(p)
        self.tokens.weight.normal_(std=self.config.d_model**-0.5)

    def new_cache(self) -> RecurrentCache:
        """No state yet."""
        return RecurrentCache()

    def encode(
        self,
        src: Tensor,
        src_mask: Tensor,
        *,
        ablations: Ablations | None = None,
        tape: Tape | None = None,
    ) -> Tensor:
        """Read the source.

        Args:
            src: (B, S) int64 token ids, BOS first, EOS last, padded on the right.
            src_mask: (B, 1, 1, S) bool from ``padding_mask``.
            ablations: None; there are no heads.
            tape: records everything under ``encoder``.

        Returns:
            memory: (B, S, d_memory), a state for every token.

        Raises:
            ValueError: ablations were given, or the source is too long.
        """
        if ablations:
            raise ValueError("a recurrent model has no heads that could be ablated")
        tape = child(tape, "encoder")
        embedded = self._embed(src, tape=tape)
        memory: Tensor = self.encoder(embedded, src_mask[:, 0, 0], tape=tape)
        return memory

    def decode_states(
        self,
        tgt: Tensor,
        memory: Tensor,
        src_mask: Tensor,
        *,
        cache: RecurrentCache | None = None,
        ablations: Ablations | None = None,
        tape: Tape | None = None,
    ) -> Tensor:
        """Run the decoder.

        Args:
            tgt: (B, T) int64 token ids, the decoder's input: BOS, then the tokens so far. With
                a cache only the tokens that it has not seen.
            memory: (B, S, d_memory) from ``encode``.
            src_mask: (B, 1, 1, S) bool from ``padding_mask``.
            cache: the state after earlier tokens; it is moved on.
            ablations: None; there are no heads.
            tape: records everything under ``decoder``.

        Returns:
            decoded: (B, T, d_model), from which the next tokens are read.

        Raises:
            ValueError: ablations were given, or the target is too long.
        """
        if ablations:
            raise ValueError("a recurrent model has no heads that could be ablated")
        tape = child(tape, "decoder")
        embedded = self._embed(tgt, first=0 if cache is None else cache.length, tape=tape)
        decoded: Tensor = self.decoder(
            embedded,
            memory,
            self.encoder.summary(memory),
            src_mask[:, 0, 0],
            cache=cache,
            tape=tape,
        )
        dropped: Tensor = self.dropout(decoded)
        return dropped

    def _embed(self, ids: Tensor, *, first: int = 0, tape: Tape | None) -> Tensor:
        """(B, T) -> (B, T, d_model), of unit variance."""
        last, limit = first + ids.shape[1], self.config.max_length
        if last > limit:
            raise ValueError(f"{last} tokens are more than this model takes: {limit}")
        embedded = self.tokens(ids) * self.config.d_model**0.5
        if tape is not None:
            tape.record(embedded=embedded)
        dropped: Tensor = self.dropout(embedded)
        return dropped
