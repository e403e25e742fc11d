"""Keys and values kept from one decoding step to the next.

A new token adds one query. The keys and values of all earlier tokens, and those of the
source sentence, are what they were: computing them again is the waste this cache saves.
"""

from __future__ import annotations

from typing import Self

import torch
from torch import Tensor


class AttentionCache:
    """Keys and values of one attention.

    Args:
        grows: True for self-attention, where each step appends one token; False for
            cross-attention, where the first step fills it and the rest reuse it.
    """

    def __init__(self, *, grows: bool) -> None:
        self._grows = grows
        self._k: Tensor | None = None
        self._v: Tensor | None = None

    @property
    def is_complete(self) -> bool:
        """Whether nothing has to be projected any more."""
        return not self._grows and self._k is not None

    @property
    def length(self) -> int:
        """How many keys are kept."""
        return 0 if self._k is None else self._k.shape[2]

    def keys_and_values(self) -> tuple[Tensor, Tensor]:
        """k and v, each (B, H, S, d_head)."""
        assert self._k is not None
        assert self._v is not None
        return self._k, self._v

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Add (B, H, T, d_head) of new keys and values; returns all of them."""
        if self._k is not None and self._v is not None:
            k = torch.cat((self._k, k), dim=2)
            v = torch.cat((self._v, v), dim=2)
        self._k, self._v = k, v
        return k, v

    def select(self, rows: Tensor) -> None:
        """Keep only these rows of the batch, in this order: (n,) int64."""
        if self._k is not None and self._v is not None:
            self._k, self._v = self._k[rows], self._v[rows]


class DecoderCache:
    """The caches of all attentions of a decoder, one pair a block."""

    def __init__(self, n_layers: int) -> None:
        self.cross_attention = [AttentionCache(grows=False) for _ in range(n_layers)]
        self.forget_target()

    @property
    def length(self) -> int:
        """How many target tokens have been decoded."""
        return self.self_attention[0].length

    def forget_target(self) -> None:
        """Begin the target again; the source stays what it was."""
        n_layers = len(self.cross_attention)
        self.self_attention = [AttentionCache(grows=True) for _ in range(n_layers)]

    def select(self, rows: Tensor) -> Self:
        """Go on with these hypotheses, in this order: (B,) int64.

        Each takes the place of one of the same source, whose keys and values stay what they are.
        """
        for cache in self.self_attention:
            cache.select(rows)
        return self
