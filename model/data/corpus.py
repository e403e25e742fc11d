"""Sentence pairs from the files that people really have, and their split.

Readable are the zip of manythings.org/anki (``fra-eng.zip``), a ``.tsv`` or ``.tsv.gz`` (source TAB
target, further columns ignored), two parallel files (``train.en train.fr``, plain or ``.gz``), and
the archives of OPUS that hold two such files.
"""

from __future__ import annotations

import hashlib
import lzma
import math
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from io import BufferedReader
from itertools import zip_longest
from pathlib import Path

from model.data.archives import open_sides
from model.data.chinese import in_simplified
from model.data.reading import read
from model.files.regular_file import open_regular

MAX_CHARACTERS = 1000  # what is longer is no sentence
LARGEST = 500_000_000  # bytes of a file, packed and unpacked
TEST_SHARE = 0.02  # two thousand sentences of a hundred thousand
DEV_SHARE = 0.01  # half as many, since they are translated again and again

Pair = tuple[str, str]
_LONGEST_LINE = 1_000_000  # bytes; what comes after them is not looked at
_LONGEST_COLUMN = 100_000  # bytes of a sentence, with all the spaces that will be one
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_MARK = b"\xef\xbb\xbf"  # some editors begin UTF-8 with it
_CHUNK = 1 << 20
_FIRST = 1000  # bytes in which a file that is no text shows itself
_UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,  # a password is needed, or it is packed in a way that Python does not know
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
)


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs, and an account of every line that did not become one.

    Args:
        pairs: (source, target) in file order, each pair once.
        dropped: reason -> number of lines left out for it.
        sha256: hash of the files' bytes.
    """

    pairs: list[Pair]
    dropped: Counter[str]
    sha256: str

    def __str__(self) -> str:
        return account(len(self.pairs), self.dropped)


@dataclass(frozen=True)
class Split:
    """Train pairs, and held-out sources with every translation that the corpus has of them.

    Args:
        train: (source, target) pairs.
        dev: source -> its translations; watched during training.
        test: source -> its translations; looked at when training is over.
        leaking: pairs kept out of train because a held-out sentence has the same target.
    """

    train: Sequence[Pair]
    dev: dict[str, list[str]]
    test: dict[str, list[str]]
    leaking: int


def account(n_pairs: int, dropped: Counter[str]) -> str:
    """What became of all lines, in words."""
    lost = ", ".join(f"{n:,} {reason}" for reason, n in sorted(dropped.items()))
    return f"{n_pairs:,} pairs" + (f"; lines left out: {lost}" if lost else "")


def read_corpus(*paths: str | Path) -> Corpus:
    """Read one file of pairs, or two parallel files.

    Args:
        paths: a ``.tsv`` or ``.txt`` of TAB-separated pairs, plain, as ``.gz`` or in an archive; an
            archive of two parallel files, as OPUS has them; or two such files.

    Returns:
        The pairs in file order, read, each once, and the lines left out by reason.

    Raises:
        ValueError: a file is missing or broken, or there is no pair in it.
    """
    dropped: Counter[str] = Counter()
    pairs: dict[Pair, None] = {}
    for pair in stream_corpus(*paths, largest=LARGEST):
        if isinstance(pair, str):
            dropped[pair] += 1
        elif pair in pairs:
            dropped["repeated"] += 1
        else:
            pairs[pair] = None
    files = [Path(path) for path in paths]
    if not pairs:
        raise ValueError(f"no sentence pair in {_names(files)}: a line should be source TAB target")
    return Corpus(list(pairs), dropped, _sha256(files))


def stream_corpus(*paths: str | Path, largest: float = math.inf) -> Iterator[Pair | str]:
    """Read one file of pairs, or two parallel files, of any size, and keep nothing.

    Args:
        paths: as for ``read_corpus``.
        largest: bytes of each side, unpacked.

    Yields:
        For each line its pair, which may have come before, or the reason why it is none.

    Raises:
        ValueError: a file is missing, broken or too large.
    """
    files = [Path(path) for path in paths]
    names = _names(files)
    try:
        with ExitStack() as stack:
            sides = [side for path in files for side in open_sides(path, stack)]
            if len(files) == 2 and len(sides) > 2:
                raise ValueError("each of two files should hold one side")
            yield from _pairs([_lines(side, largest) for side in sides])
    except _UNREADABLE as error:
        raise ValueError(f"cannot read the corpus {names}: {error}") from error


def read_corpora(corpora: Sequence[Sequence[str | Path]], *, simplified: bool = False) -> Corpus:
    """Read several corpora as one.

    Args:
        corpora: of each the file or the two files, as ``read_corpus`` takes them.
        simplified: write Chinese in simplified characters, whatever it was written in.

    Returns:
        All pairs in order, each once. The hash of one corpus alone is that of ``read_corpus``.

    Raises:
        ValueError: one of them cannot be read.
    """
    found = [read_corpus(*paths) for paths in corpora]
    dropped = sum((corpus.dropped for corpus in found), Counter[str]())
    pairs = [pair for corpus in found for pair in corpus.pairs]
    if simplified:
        pairs = [(in_simplified(source), in_simplified(target)) for source, target in pairs]
    once = list(dict.fromkeys(pairs))
    if len(once) < len(pairs):
        dropped["repeated"] += len(pairs) - len(once)
    together = hashlib.sha256("".join(corpus.sha256 for corpus in found).encode()).hexdigest()
    return Corpus(once, dropped, found[0].sha256 if len(found) == 1 else together)


def split_corpus(pairs: list[Pair]) -> Split:
    """Split by the hash of the source sentence: the same on every machine, in any file order.

    All translations of a sentence fall on one side. A pair whose target is also the target
    of a held-out sentence is left out of train: the model would have seen the answer.

    Args:
        pairs: (source, target), as read.

    Returns:
        About 97 % train, 1 % dev and 2 % test, counted in source sentences.
    """
    dev: dict[str, list[str]] = {}
    test: dict[str, list[str]] = {}
    rest: list[Pair] = []
    for source, target in pairs:
        share = held_out_share(source)
        if share < TEST_SHARE:
            test.setdefault(source, []).append(target)
        elif share < TEST_SHARE + DEV_SHARE:
            dev.setdefault(source, []).append(target)
        else:
            rest.append((source, target))
    answers = all_targets(dev, test)
    train = [(source, target) for source, target in rest if target.casefold() not in answers]
    return Split(train, dev, test, leaking=len(rest) - len(train))


def all_targets(*sides: dict[str, list[str]]) -> set[str]:
    """The held-out translations, in lower case: what no train pair may have as its target."""
    return {t.casefold() for side in sides for targets in side.values() for t in targets}


def held_out_share(source: str) -> float:
    """Where in [0, 1) a sentence falls; upper and lower case fall together."""
    digest = hashlib.sha256(read(source).casefold().encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def _names(files: Sequence[Path]) -> str:
    """The files as a message names them; ValueError if they are not one or two."""
    if len(files) not in (1, 2):
        raise ValueError(f"a corpus is one file of pairs or two parallel files, not {len(files)}")
    return " ".join(map(str, files))


def _pairs(lines: Sequence[Iterable[bytes]]) -> Iterator[Pair | str]:
    """The pair of every line, or the reason why it is none, in one file or in two."""
    alone = (line.split(b"\t", maxsplit=2) for line in lines[0])
    yield from map(_pair, alone if len(lines) == 1 else zip_longest(*lines))


def _lines(file: BufferedReader, largest: float) -> Iterator[bytes]:
    """The lines one by one, undecoded, so that they need no memory beside the whole."""
    start = file.peek(_FIRST)[:_FIRST]
    if start[:2] in _UTF_16 or b"\0" in start:
        raise ValueError("it is no UTF-8 text (UTF-16?): save it as UTF-8")
    file.read(len(_MARK) if start.startswith(_MARK) else 0)
    size = 0
    while line := file.readline(_LONGEST_LINE):
        size += len(line)
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = file.readline(_LONGEST_LINE)  # of a line that is over-long already
            size += len(rest)
        if size > largest:
            raise ValueError(f"it has more than {largest / 1e6:,.0f} MB: cut it into parts")
        yield line.rstrip(b"\r\n")


def _sha256(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        with open_regular(path) as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest()


def _pair(columns: list[bytes] | tuple[bytes | None, ...]) -> Pair | str:
    """A pair as it is read, or the reason why the line is none."""
    if len(columns) < 2 or columns[0] is None or columns[1] is None:
        return "without a partner"
    if max(len(columns[0]), len(columns[1])) > _LONGEST_COLUMN:
        return "over-long"
    if b"\0" in columns[0] or b"\0" in columns[1]:
        return "undecodable"
    try:
        source, target = (read(column.decode()) for column in columns[:2] if column is not None)
    except UnicodeDecodeError:
        return "undecodable"
    if not source or not target:
        return "empty"
    if max(len(source), len(target)) > MAX_CHARACTERS:
        return "over-long"
    return source, target
