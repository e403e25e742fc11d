"""Keys and values kept from one decoding step to the next.

A new token adds one query. The keys and values of all earlier tokens, and those of the
source sentence, are what they were: computing them again is the waste this cache saves.
"""

from typing import Self

import torch
from torch import Tensor

KeysAndValues = tuple[Tensor, Tensor]  # each (B, H, S, d_head)


class AttentionCache:
    """Keys and values of one attention.

    It grows in self-attention, where each step appends one token; in cross-attention the first step
    fills it and the rest reuse it.
    """

    def __init__(self, *, grows: bool) -> None:
        self._grows = grows
        self._kept: KeysAndValues | None = None

    @property
    def complete(self) -> KeysAndValues | None:
        """k and v, once nothing has to be projected any more."""
        return None if self._grows else self._kept

    @property
    def length(self) -> int:
        """How many keys are kept."""
        return 0 if self._kept is None else self._kept[0].shape[2]

    def append(self, k: Tensor, v: Tensor) -> KeysAndValues:
        """Add (B, H, T, d_head) of new keys and values; returns all of them."""
        if self._kept is not None:
            k = torch.cat((self._kept[0], k), dim=2)
            v = torch.cat((self._kept[1], v), dim=2)
        self._kept = k, v
        return k, v

    def select(self, rows: Tensor) -> None:
        """Keep only these rows of the batch, in this order: (n,) int64."""
        if self._kept is not None:
            k, v = self._kept
            self._kept = k[rows], v[rows]


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
