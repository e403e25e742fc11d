"""What every translation model can do, whatever it is made of: encode, and score next tokens."""

from abc import abstractmethod
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from model.nn.hooks import NO_HOOKS, Hooks


class Config(Protocol):
    """What decoding and training need to know of an architecture.

    V, the most tokens of a source or target, P_drop, and ids that decoding passes over.
    """

    @property
    def vocab_size(self) -> int: ...
    @property
    def max_length(self) -> int: ...
    @property
    def dropout(self) -> float: ...
    @property
    def never_written(self) -> tuple[int, ...]: ...


class Decodable(Protocol):
    """What greedy search, beam search and sampling need of a model, see ``EncoderDecoder``.

    ``select`` of a cache goes on with some hypotheses: (n,) int64.
    """

    @property
    def config(self) -> Config: ...
    @property
    def device(self) -> torch.device: ...
    def new_cache(self) -> Any: ...
    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor: ...
    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor, *, cache: Any) -> Tensor: ...


class EncoderDecoder(nn.Module):
    """A model that reads a source and scores, token by token, a target.

    ``config`` is its architecture, ``unembed`` the output matrix (V, d_model).
    """

    config: Config
    unembed: nn.Linear

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.unembed.weight.device

    @abstractmethod
    def new_cache(self) -> Any:
        """An empty cache for decoding step by step."""

    @abstractmethod
    def encode(self, src: Tensor, src_mask: Tensor, *, hooks: Hooks = NO_HOOKS) -> Tensor:
        """Read the source; ValueError where it is too long, or has no such heads to ablate.

        (B, S) int64 ids, EOS last, padded on the right, and their ``padding_mask`` (B, 1, 1, S) ->
        memory (B, S, width).
        """

    @abstractmethod
    def decode_states(
        self,
        tgt: Tensor,
        memory: Tensor,
        src_mask: Tensor,
        *,
        cache: Any = None,
        hooks: Hooks = NO_HOOKS,
    ) -> Tensor:
        """Run the decoder; ValueError where the target is too long.

        Args:
            tgt: (B, T) int64 token ids, the decoder's input: BOS, then the tokens so far. With a
                cache only the tokens that it has not seen.
            memory, src_mask: as for ``encode``.
            cache: what earlier steps left; it is extended.

        Returns:
            decoded: (B, T, d_model), from which the next tokens are read.
        """

    def decode(
        self,
        tgt: Tensor,
        memory: Tensor,
        src_mask: Tensor,
        *,
        cache: Any = None,
        hooks: Hooks = NO_HOOKS,
    ) -> Tensor:
        """``unembed`` of ``decode_states``: logits (B, T, V), row t of what follows tgt[:, t]."""
        states = self.decode_states(tgt, memory, src_mask, cache=cache, hooks=hooks)
        logits: Tensor = self.unembed(states)
        hooks.record(logits=logits)
        return logits

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: Tensor, *, hooks: Hooks = NO_HOOKS
    ) -> Tensor:
        """src (B, S) and shifted tgt (B, T), both int64 -> logits (B, T, V)."""
        return self.decode(tgt, self.encode(src, src_mask, hooks=hooks), src_mask, hooks=hooks)


Model = EncoderDecoder  # for code that works with any architecture
