"""What every translation model can do, whatever it is made of: encode, and score next tokens."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, Generic, Protocol, Self, TypeVar

import torch
from torch import Tensor, nn

from model.nn.head_ablation import Ablations
from model.nn.tape import Tape


class Config(Protocol):
    """What decoding and training need to know of an architecture."""

    @property
    def vocab_size(self) -> int:
        """V."""

    @property
    def max_length(self) -> int:
        """Most tokens of a source or target."""

    @property
    def dropout(self) -> float:
        """P_drop."""

    @property
    def never_written(self) -> tuple[int, ...]:
        """Ids that decoding passes over."""


class Cache(Protocol):
    """What a decoder keeps from one step to the next."""

    def select(self, rows: Tensor) -> Self:
        """Keep only these hypotheses, in this order: (n,) int64."""


C = TypeVar("C", bound=Cache)


class EncoderDecoder(nn.Module, Generic[C]):
    """A model that reads a source and scores, token by token, a target.

    ``config`` is its architecture, ``unembed`` the output matrix (V, d_model).
    """

    config: Config
    unembed: nn.Linear

    @abstractmethod
    def new_cache(self) -> C:
        """An empty cache for decoding step by step."""

    @abstractmethod
    def encode(
        self,
        src: Tensor,
        src_mask: Tensor,
        *,
        ablations: Ablations | None = None,
        tape: Tape | None = None,
    ) -> Tensor:
        """Read the source: (B, S) ids, (B, 1, 1, S) bool -> memory (B, S, width)."""

    @abstractmethod
    def decode_states(
        self,
        tgt: Tensor,
        memory: Tensor,
        src_mask: Tensor,
        *,
        cache: C | None = None,
        ablations: Ablations | None = None,
        tape: Tape | None = None,
    ) -> Tensor:
        """Run the decoder over (B, T) ids -> (B, T, d_model), from which tokens are read."""

    def decode(
        self,
        tgt: Tensor,
        memory: Tensor,
        src_mask: Tensor,
        *,
        cache: C | None = None,
        ablations: Ablations | None = None,
        tape: Tape | None = None,
    ) -> Tensor:
        """Score every next token: ``unembed`` of what ``decode_states`` gives.

        Returns:
            logits: (B, T, V); row t scores the token after tgt[:, t].
        """
        states = self.decode_states(
            tgt, memory, src_mask, cache=cache, ablations=ablations, tape=tape
        )
        logits: Tensor = self.unembed(states)
        if tape is not None:
            tape.record(logits=logits)
        return logits

    def writable(self, scores: Tensor) -> Tensor:
        """What a next token is chosen by: (..., V) scores, -inf for what is never written."""
        if not (never := self.config.never_written):
            return scores
        return scores.index_fill(-1, torch.tensor(never, device=scores.device), -math.inf)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor,
        *,
        ablations: Ablations | None = None,
        tape: Tape | None = None,
    ) -> Tensor:
        """src (B, S) and shifted tgt (B, T), both int64 -> logits (B, T, V)."""
        memory = self.encode(src, src_mask, ablations=ablations, tape=tape)
        return self.decode(tgt, memory, src_mask, ablations=ablations, tape=tape)


Model = EncoderDecoder[Any]  # for code that works with any architecture
