"""Caches of keys and values, kept from one decoding step to the next.

A new token adds one query. The keys and values of all earlier tokens and of the source sentence do
not change, so the cache saves computing them again.
"""

from typing import Self

import torch
from torch import Tensor

KeysAndValues = tuple[Tensor, Tensor]  # each (B, H, S, d_head)


class AttentionCache:
    """Keys and values of one attention.

    Args:
        grows: True in self-attention, where each step appends one token. False in cross-attention,
            where the first step fills the cache and the others only read it.
    """

    def __init__(self, *, grows: bool) -> None:
        self._grows = grows
        self._stored: KeysAndValues | None = None

    @property
    def complete(self) -> KeysAndValues | None:
        """All keys and values, if later steps add none; otherwise None."""
        return None if self._grows else self._stored

    @property
    def length(self) -> int:
        """The number of stored keys."""
        return 0 if self._stored is None else self._stored[0].shape[2]

    def append(self, k: Tensor, v: Tensor) -> KeysAndValues:
        """Add new keys and values, (B, H, T, d_head) each; return all keys and values so far."""
        if self._stored is not None:
            earlier_k, earlier_v = self._stored
            k = torch.cat((earlier_k, k), dim=2)
            v = torch.cat((earlier_v, v), dim=2)
        self._stored = k, v
        return k, v

    def select(self, rows: Tensor) -> None:
        """Keep only these rows of the batch, in this order: (n,) int64."""
        if self._stored is not None:
            k, v = self._stored
            self._stored = k[rows], v[rows]


class DecoderCache:
    """The caches of all attentions of a decoder: two for each block."""

    def __init__(self, n_layers: int) -> None:
        self.cross_attention = [AttentionCache(grows=False) for _ in range(n_layers)]
        self.forget_target()

    @property
    def length(self) -> int:
        """The number of target tokens decoded so far."""
        return self.self_attention[0].length

    def forget_target(self) -> None:
        """Empty the caches of the target. The caches of the source stay."""
        n_layers = len(self.cross_attention)
        self.self_attention = [AttentionCache(grows=True) for _ in range(n_layers)]

    def select(self, rows: Tensor) -> Self:
        """Keep only these hypotheses, in this order: (B,) int64.

        Each takes the row of a hypothesis of the same source, so keys and values of the source
        stay.
        """
        for cache in self.self_attention:
            cache.select(rows)
        return self
