"""A corpus that memory cannot hold: written into an Arrow file, which is mapped into memory.

What is held out, which alone is ever in memory, stands beside the train pairs. So, unlike in a
corpus that is read into memory, a pair that comes twice is learned from twice.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from model.corpora.corpus import (
    TEST_SHARE,
    Corpora,
    HeldOut,
    Pair,
    Split,
    account,
    all_targets,
    hold_out,
    stream_corpora,
)
from model.files.json_file import MAX_JSON_BYTES, decode, write_json
from model.files.regular_file import exists, read_regular
from model.files.replacing import check_writable, replacing_folder

PART = 100_000  # pairs in memory; some hundred megabytes with their ids
_PIECE = 1_000  # pairs read in a row; small enough that a hundred pieces mix a file
_ABOUT, _TRAIN = "corpus.json", "train.arrow"
_COLUMNS = pa.schema({"source": pa.string(), "target": pa.string()})
_MOST_TEST = 3_000  # sentences, about: as of a corpus of 150,000 pairs, minutes of translating


@dataclass(frozen=True)
class About:
    """``corpus.json``: all of a ``Split`` but the train pairs."""

    summary: str  # how many pairs were read, and how many lines were none
    sha256: str  # of all pairs
    dev: HeldOut
    test: HeldOut
    leaking: int


def store(corpora: Corpora, folder: Path, *, simplified: bool = False) -> About:
    """Write corpora into a new folder, whole or not at all.

    As in ``split_corpus`` 2 % of the sentences are held out for test and 1 % for dev, by their
    hash; of a large corpus less, about 3,000 and 1,500.

    The corpora are read three times, as by ``stream_corpora``. ValueError if that cannot be, or
    something stands where the folder shall be; OSError if the disk is full.
    """
    if exists(folder):
        raise ValueError(f"{folder} is there already: remove it, or choose another folder")
    check_writable(folder)
    n_pairs, leaking, dropped, digest = 0, 0, Counter[str](), hashlib.sha256()
    for line in stream_corpora(corpora, simplified=simplified):
        if isinstance(line, str):
            dropped[line] += 1
        else:
            n_pairs += 1
            digest.update("\t".join(line).encode() + b"\n")

    def pairs() -> Iterator[Pair]:
        lines = stream_corpora(corpora, simplified=simplified)
        return (line for line in lines if isinstance(line, tuple))

    dev, test = hold_out(pairs(), rarer=max(1.0, n_pairs * TEST_SHARE / _MOST_TEST))
    held_out, answers = dev | test, all_targets(dev, test)

    def train() -> Iterator[Pair]:
        nonlocal leaking
        for source, target in pairs():
            if target.casefold() not in answers:
                yield source, target
            elif source not in held_out:
                leaking += 1

    with replacing_folder(folder) as new:
        new.mkdir(parents=True)
        _write_pairs(new / _TRAIN, train())
        if not len(StoredPairs(new / _TRAIN)):
            raise ValueError("the corpus is so small that nothing is left to train on")
        about = About(account(n_pairs, dropped), digest.hexdigest(), dev, test, leaking)
        write_json(new / _ABOUT, about)
    return about


def _write_pairs(path: Path, pairs: Iterator[Pair]) -> None:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, _COLUMNS) as arrow:
        while piece := list(islice(pairs, _PIECE)):
            arrow.write_batch(pa.record_batch([*zip(*piece, strict=True)], schema=_COLUMNS))


def open_stored(folder: Path) -> tuple[About, Split]:
    """A corpus that was stored, its train pairs in the file; ValueError if it is something else."""
    try:
        about: About = decode(read_regular(folder / _ABOUT, MAX_JSON_BYTES), About)
        train = StoredPairs(folder / _TRAIN)
        return about, Split(train, about.dev, about.test, about.leaking)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{folder} is no corpus that python -m model.store_corpus made ({error})"
        ) from error


class StoredPairs(Collection[Pair]):
    """All train pairs of a corpus in an Arrow file, of which nothing is kept, and more behind them.

    OSError or ValueError if there is no such file, or it is another one.
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
