"""The interface of all translation models: encode a source, and score the next tokens."""

from abc import abstractmethod
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from model.nn.hooks import NO_HOOKS, Hooks


class Config(Protocol):
    """The properties of an architecture that decoding and training need."""

    @property
    def vocab_size(self) -> int:
        """The number V of tokens of the target vocabulary."""

    @property
    def max_length(self) -> int:
        """The maximum length of source and target, in tokens."""

    @property
    def dropout(self) -> float:
        """The dropout probability P_drop."""


class Decodable(Protocol):
    """The methods that greedy search, beam search and sampling need.

    A cache has a method ``select``. It keeps some hypotheses, given by their rows: (n,) int64.
    """

    @property
    def config(self) -> Config:
        """The model's architecture."""

    @property
    def device(self) -> torch.device:
        """The device of the model's weights."""

    def new_cache(self) -> Any:
        """Return an empty cache; see ``EncoderDecoder.new_cache``."""

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        """Run the encoder; see ``EncoderDecoder.encode``."""

    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor, *, cache: Any) -> Tensor:
        """Run the decoder and the output matrix; see ``EncoderDecoder.decode``.

        Args:
            tgt: (B, T) int64, the new tokens.
            memory: (B, S, d_model), the result of ``encode``.
            src_mask: (B, 1, 1, S) bool, True = may attend.
            cache: of the tokens before; it is extended.
        """

    def restrict(self, written: Tensor, logits: Tensor) -> Tensor:
        """Apply the model's restrictions on output tokens; see ``EncoderDecoder.restrict``."""


class EncoderDecoder(nn.Module):
    """A model that encodes a source, and scores the next tokens of a target."""

    config: Config  # its architecture
    unembed: nn.Linear  # the output matrix, (V, d_model)

    @property
    def device(self) -> torch.device:
        """The device of the model's weights."""
        return self.unembed.weight.device

    @abstractmethod
    def new_cache(self) -> Any:
        """Return an empty cache for decoding step by step."""

    @abstractmethod
    def encode(self, src: Tensor, src_mask: Tensor, *, hooks: Hooks = NO_HOOKS) -> Tensor:
        """Run the encoder: (B, S) -> (B, S, width).

        Args:
            src: (B, S) int64 token ids, EOS last, padded on the right.
            src_mask: (B, 1, 1, S) bool, the ``padding_mask`` of ``src``; True = may attend.
            hooks: what to record, ablate and patch.

        Returns:
            memory: (B, S, width).

        Raises:
            ValueError: the source is too long, or ``hooks`` ablates a head that does not exist.
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
        """Run the decoder.

        Args:
            tgt: (B, T) int64 token ids, the decoder's input: BOS, then the tokens so far. With a
                cache only the tokens that it has not seen.
            memory: (B, S, width), from ``encode``.
            src_mask: (B, 1, 1, S) bool, as for ``encode``.
            cache: from ``new_cache``; it keeps the result of each step for the next.
            hooks: what to record, ablate and patch.

        Returns:
            decoded: (B, T, d_model), from which ``unembed`` computes the logits.

        Raises:
            ValueError: the target is too long.
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
        """Run the decoder and the output matrix.

        Args:
            tgt: (B, T) int64 token ids, the decoder's input: BOS, then the tokens so far. With a
                cache only the tokens that it has not seen.
            memory: (B, S, width), from ``encode``.
            src_mask: (B, 1, 1, S) bool, as for ``encode``.
            cache: from ``new_cache``; it keeps the result of each step for the next.
            hooks: what to record, ablate and patch; the logits are recorded, too.

        Returns:
            logits: (B, T, V). Position t scores the token that follows tgt[:, t].

        Raises:
            ValueError: the target is too long.
        """
        states = self.decode_states(tgt, memory, src_mask, cache=cache, hooks=hooks)
        logits: Tensor = self.unembed(states)
        hooks.record(logits=logits)
        return logits

    def restrict(self, written: Tensor, logits: Tensor) -> Tensor:
        """Apply the model's restrictions on output tokens. Only some Hub models have any.

        Args:
            written: (B, t) int64, the token that the decoder read first, and those written so far.
            logits: (B, V) of the next token.

        Returns:
            (B, V) logits, -inf for tokens that must not follow. Without restrictions it is
            ``logits`` itself.
        """
        del written
        return logits

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: Tensor, *, hooks: Hooks = NO_HOOKS
    ) -> Tensor:
        """Run encoder and decoder: source and target ids -> logits.

        Args:
            src: (B, S) int64.
            tgt: (B, T) int64, from BOS on.
            src_mask: (B, 1, 1, S) bool.
            hooks: what to record, ablate and patch.

        Returns:
            logits: (B, T, V).
        """
        memory = self.encode(src, src_mask, hooks=hooks)
        return self.decode(tgt, memory, src_mask, hooks=hooks)


Model = EncoderDecoder  # for code that works with any architecture
