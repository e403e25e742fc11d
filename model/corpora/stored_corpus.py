"""A corpus that is larger than memory: an Arrow file whose parts are read when needed.

Only the held-out sentences are in memory. A pair that comes twice is not noticed, so, unlike in a
corpus that is read into memory, a model learns from it twice.
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

from model.corpora.cleaning import cleaning_summary
from model.corpora.corpus import Corpora, stream_corpora
from model.corpora.pairs import Pair, References
from model.corpora.split import TEST_SHARE, Split, all_targets, hold_out
from model.files.folder_format import folder_as_corpus
from model.files.json_file import MAX_JSON_BYTES, decode, write_json
from model.files.regular_file import exists, read_regular
from model.files.replacing import check_writable, replacing_folder

PAIRS_PER_PART = 100_000  # in memory at a time: a few hundred megabytes with their ids
# Number of pairs that are read together. It is small, so that the hundred chunks of a part come
# from all over the file.
_PAIRS_PER_CHUNK = 1_000
# Number of held-out sentences, about as in a corpus of 150,000 pairs. Translating them takes
# minutes.
_MAX_TEST_SENTENCES = 3_000

_DESCRIPTION = "corpus.json"
_TRAIN = "train.arrow"
_COLUMNS = pa.schema({"source": pa.string(), "target": pa.string()})


@dataclass(frozen=True)
class StoredDescription:
    """The content of ``corpus.json``: a ``Split`` without the training pairs."""

    summary: str  # the number of pairs, and the number of lines that were left out
    sha256: str  # of all pairs
    dev: References
    test: References
    leaking: int


def store_corpora(corpora: Corpora, folder: Path, *, simplified: bool = False) -> StoredDescription:
    """Write corpora into a new folder, completely or not at all.

    As in ``split_corpus`` 2 % of the sentences are held out for test and 1 % for dev, by their
    hash; from a large corpus, only about 3,000 and 1,500 sentences are held out. The corpora are
    read three times.

    Args:
        corpora: as for ``stream_corpora``.
        folder: must not exist.
        simplified: write Chinese in simplified characters.

    Raises:
        ValueError: the corpora cannot be read, nothing is left to train on, or the folder exists.
        OSError: the disk is full.
    """
    if exists(folder):
        raise ValueError(f"{folder} is there already: remove it, or choose another folder")
    check_writable(folder)

    # 1. Count the pairs
    n_pairs = 0
    dropped: Counter[str] = Counter()
    digest = hashlib.sha256()
    for line in stream_corpora(corpora, simplified=simplified):
        if isinstance(line, str):
            dropped[line] += 1
        else:
            n_pairs += 1
            digest.update("\t".join(line).encode() + b"\n")

    # 2. Hold sentences out
    def stream_pairs() -> Iterator[Pair]:
        lines = stream_corpora(corpora, simplified=simplified)
        return (line for line in lines if isinstance(line, tuple))

    rarer = max(1.0, n_pairs * TEST_SHARE / _MAX_TEST_SENTENCES)
    dev, test = hold_out(stream_pairs(), rarer=rarer)
    held_out = dev | test
    answers = all_targets(dev, test)

    # 3. Write the training pairs
    leaking = 0

    def train_pairs() -> Iterator[Pair]:
        nonlocal leaking
        for source, target in stream_pairs():
            if target.casefold() not in answers:
                yield source, target
            elif source not in held_out:
                leaking += 1

    with replacing_folder(folder) as new_folder:
        new_folder.mkdir(parents=True)
        _write_pairs(new_folder / _TRAIN, train_pairs())
        if not len(StoredPairs(new_folder / _TRAIN)):
            raise ValueError("the corpus is so small that nothing is left to train on")
        description = StoredDescription(
            summary=cleaning_summary(n_pairs, dropped),
            sha256=digest.hexdigest(),
            dev=dev,
            test=test,
            leaking=leaking,
        )
        write_json(new_folder / _DESCRIPTION, description)
    return description


def _write_pairs(path: Path, pairs: Iterator[Pair]) -> None:
    """Write pairs to an Arrow file, in chunks of ``_PAIRS_PER_CHUNK``."""
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, _COLUMNS) as arrow:
        while chunk := list(islice(pairs, _PAIRS_PER_CHUNK)):
            sources, targets = zip(*chunk, strict=True)
            arrow.write_batch(pa.record_batch([sources, targets], schema=_COLUMNS))


def open_stored(folder: Path) -> tuple[StoredDescription, Split]:
    """Open a stored corpus. Its training pairs stay in the file.

    Raises:
        ValueError: the folder is not a stored corpus; the message names its format.
    """
    if not exists(folder / _DESCRIPTION):
        raise ValueError(f"{folder} is {folder_as_corpus(folder)}")
    try:
        content = read_regular(folder / _DESCRIPTION, MAX_JSON_BYTES)
        description: StoredDescription = decode(content, StoredDescription)
        train = StoredPairs(folder / _TRAIN)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{folder} is not a corpus that python -m model.store_corpus made ({error})"
        ) from error
    split = Split(train, description.dev, description.test, description.leaking)
    return description, split


class StoredPairs(Collection[Pair]):
    """The training pairs of an Arrow file, read when needed, followed by added pairs in memory.

    Args:
        path: of the file.
        added: pairs in memory that count as the file's last chunk.

    Raises:
        OSError: the file is missing.
        ValueError: it is no Arrow file.
    """

    def __init__(self, path: Path, added: Sequence[Pair] = ()) -> None:
        self.path = path
        self._added = added
        self._file = pa.ipc.open_file(pa.memory_map(str(path)))
        self.n_chunks: int = self._file.num_record_batches
        if added:
            self.n_chunks += 1

    def __len__(self) -> int:
        return int(self._file.count_rows()) + len(self._added)

    def __iter__(self) -> Iterator[Pair]:
        for n in range(self.n_chunks):
            yield from self.chunk(n)

    def __contains__(self, pair: object) -> bool:
        return any(own == pair for own in self)

    def chunk(self, n: int) -> Sequence[Pair]:
        """Return chunk n, from 0: a thousand consecutive pairs of the file, or the added pairs."""
        if n == self._file.num_record_batches:
            return self._added
        columns = self._file.get_batch(n).to_pydict()
        return list(zip(columns["source"], columns["target"], strict=True))

    @property
    def n_parts(self) -> int:
        """The number of parts of an epoch. Each part has about 100,000 pairs."""
        return math.ceil(len(self) / PAIRS_PER_PART)

    def part(self, n: int, seed: Sequence[int]) -> list[Pair]:
        """Return the pairs of part n of an epoch.

        Most files are sorted in some way, so a part is put together from chunks of 1,000 pairs from
        all over the file. The order of the chunks is random, that of the pairs in a chunk is not.

        Args:
            n: number of the part, from 0 to ``n_parts`` - 1.
            seed: decides the order. All parts of one seed together hold each pair once.
        """
        order = np.random.default_rng(seed).permutation(self.n_chunks)
        chunks = order[n :: self.n_parts].tolist()
        return [pair for chunk in chunks for pair in self.chunk(chunk)]


def with_added_pairs(pairs: Collection[Pair], added: Sequence[Pair]) -> Collection[Pair]:
    """Return the training pairs followed by added pairs. Pairs in a file are not loaded."""
    if isinstance(pairs, StoredPairs):
        return StoredPairs(pairs.path, added)
    return [*pairs, *added]
