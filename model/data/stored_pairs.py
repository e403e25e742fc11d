"""Sentence pairs in an Arrow file, which is mapped into memory and read where it is needed."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from model.data.corpus import Pair

PART = 100_000  # pairs in memory; some hundred megabytes with their ids
_PIECE = 1_000  # pairs read in a row; small enough that a hundred pieces mix a file
_COLUMNS = pa.schema({"source": pa.string(), "target": pa.string()})


def write_pairs(path: Path, pairs: Iterable[Pair]) -> int:
    """Write an Arrow file for ``StoredPairs``; returns how many pairs it holds."""
    rest, n_pairs = iter(pairs), 0
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, _COLUMNS) as arrow:
        while piece := list(islice(rest, _PIECE)):
            columns = [pa.array(side, pa.string()) for side in zip(*piece, strict=True)]
            arrow.write_batch(pa.record_batch(columns, schema=_COLUMNS))
            n_pairs += len(piece)
    return n_pairs


class StoredPairs(Collection[Pair]):
    """All train pairs of a corpus in an Arrow file, of which nothing is kept.

    Args:
        path: of the file.
        more: pairs behind those of the file.

    Raises:
        OSError, ValueError: there is no such file, or it is another one.
    """

    def __init__(self, path: Path, more: Sequence[Pair] = ()) -> None:
        self.path, self._more = path, more
        self._file = pa.ipc.open_file(pa.memory_map(str(path)))
        self._n_pieces: int = self._file.num_record_batches + bool(more)

    def __len__(self) -> int:
        return int(self._file.count_rows()) + len(self._more)

    def __iter__(self) -> Iterator[Pair]:
        for n in range(self._n_pieces):
            yield from self.piece(n)

    def __contains__(self, pair: object) -> bool:
        return any(own == pair for own in self)

    def piece(self, n: int) -> Sequence[Pair]:
        """About a thousand pairs that stand in a row."""
        if n == self._file.num_record_batches:
            return self._more
        sides = self._file.get_batch(n).to_pydict().values()
        return list(zip(*sides, strict=True))

    @property
    def n_parts(self) -> int:
        """In how many parts an epoch goes through them, of about 100,000 pairs each."""
        return math.ceil(len(self) / PART)

    def part(self, n: int, seed: Sequence[int]) -> list[Pair]:
        """Those of one part; all parts of one ``seed`` together hold each pair once.

        A file is mostly in some order, so a part is put together from pieces of 1,000 pairs from
        all over it.
        """
        pieces = np.random.default_rng(seed).permutation(self._n_pieces)[n :: self.n_parts]
        return [pair for piece in pieces.tolist() for pair in self.piece(piece)]


def with_more(pairs: Collection[Pair], more: Sequence[Pair]) -> Collection[Pair]:
    """The train pairs with others behind them; stored ones stay where they are."""
    if isinstance(pairs, StoredPairs):
        return StoredPairs(pairs.path, more)
    return [*pairs, *more]
