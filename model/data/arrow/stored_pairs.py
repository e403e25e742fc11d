"""Sentence pairs in Arrow files, which are mapped into memory and read where they are needed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from model.data.corpus import Pair

PART = 100_000  # pairs in memory; some hundred megabytes with their ids
_BLOCK = 1_000  # pairs read in a row; small enough that a hundred pieces mix a file


class StoredPairs(Sequence[Pair]):
    """All train pairs, as a sequence of which nothing is kept.

    Args:
        rows: a ``datasets.Dataset`` with the columns ``source`` and ``target``.
    """

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Pair: ...
    @overload
    def __getitem__(self, place: slice) -> list[Pair]: ...
    def __getitem__(self, place: int | slice) -> Pair | list[Pair]:
        found = self._rows[place]
        if isinstance(place, slice):
            return list(zip(found["source"], found["target"], strict=True))
        return found["source"], found["target"]

    def __iter__(self) -> Iterator[Pair]:
        for start in range(0, len(self), _BLOCK):
            yield from self[start : start + _BLOCK]


class Parts:
    """The train pairs as an epoch goes through them: part by part, or all at once.

    Args:
        pairs: those in memory are one part; stored ones as many as have about 100,000 pairs each.
        seed: decides, with the epoch, which pairs meet in a part.
    """

    def __init__(self, pairs: Sequence[Pair], seed: int) -> None:
        self._pairs, self._seed = pairs, seed
        stored = isinstance(pairs, StoredPairs)
        self.number = math.ceil(len(pairs) / PART) if stored else 1

    def pairs(self, epoch: int, part: int) -> Sequence[Pair]:
        """Those of one part; all parts of an epoch together hold each pair once.

        A file is mostly in some order, so a part is put together from pieces of 1,000 pairs from
        all over it.
        """
        if self.number == 1:
            return self._pairs[:]
        random = np.random.default_rng((self._seed, epoch))
        pieces = random.permutation(math.ceil(len(self._pairs) / _BLOCK))
        return [
            pair
            for piece in pieces[part :: self.number].tolist()
            for pair in self._pairs[piece * _BLOCK : (piece + 1) * _BLOCK]
        ]
