"""Sentence pairs from the files that people really have, and their split.

Readable are the zip of manythings.org/anki (``fra-eng.zip``), a ``.tsv`` or ``.tsv.gz``
(source TAB target, further columns ignored), and two parallel files (``train.en train.fr``,
plain or ``.gz``).
"""

from __future__ import annotations

import gzip
import hashlib
import re
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

MAX_CHARACTERS = 1000
TEST_SHARE = 0.02
DEV_SHARE = 0.01

Pair = tuple[str, str]


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
        lost = ", ".join(f"{n:,} {reason}" for reason, n in sorted(self.dropped.items()))
        return f"{len(self.pairs):,} pairs" + (f"; lines left out: {lost}" if lost else "")


@dataclass(frozen=True)
class Split:
    """Train pairs, and held-out sources with every translation that the corpus has of them.

    Args:
        train: (source, target) pairs.
        dev: source -> its translations; watched during training.
        test: source -> its translations; looked at when training is over.
        leaking: pairs kept out of train because a held-out sentence has the same target.
    """

    train: list[Pair]
    dev: dict[str, list[str]]
    test: dict[str, list[str]]
    leaking: int


def normalise(text: str) -> str:
    """NFC, every run of white space one plain space, apostrophes straight.

    >>> normalise("Ça va\\u202f?  C’est moi.")
    "Ça va ? C'est moi."
    """
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip().replace("’", "'")


def read_corpus(*paths: str | Path) -> Corpus:
    """Read one file of pairs, or two parallel files.

    Args:
        paths: a ``.zip``, ``.tsv``, ``.txt`` or ``.gz`` of TAB-separated pairs, or two files
            whose lines belong together.

    Returns:
        The pairs in file order, normalised, each once, and the lines left out by reason.

    Raises:
        ValueError: a file is missing or broken, or there is no pair in it.
    """
    files = [Path(path) for path in paths]
    names = " ".join(map(str, files))
    if len(files) not in (1, 2):
        raise ValueError(f"a corpus is one file of pairs or two parallel files, not {len(files)}")
    try:
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
        lines = [_lines(path) for path in files]
    except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"cannot read the corpus {names}: {error}") from error
    rows = (line.split(b"\t") for line in lines[0]) if len(files) == 1 else zip_longest(*lines)
    dropped: Counter[str] = Counter()
    pairs: dict[Pair, None] = {}
    for columns in rows:
        pair = _pair(columns)
        if isinstance(pair, str):
            dropped[pair] += 1
        elif pair in pairs:
            dropped["repeated"] += 1
        else:
            pairs[pair] = None
    if not pairs:
        raise ValueError(f"no sentence pair in {names}: a line should be source TAB target")
    return Corpus(list(pairs), dropped, digest)


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
        share = _share(source)
        if share < TEST_SHARE:
            test.setdefault(source, []).append(target)
        elif share < TEST_SHARE + DEV_SHARE:
            dev.setdefault(source, []).append(target)
        else:
            rest.append((source, target))
    answers = {t.casefold() for side in (dev, test) for targets in side.values() for t in targets}
    train = [(source, target) for source, target in rest if target.casefold() not in answers]
    return Split(train, dev, test, leaking=len(rest) - len(train))


def _share(source: str) -> float:
    """Where in [0, 1) a sentence falls; upper and lower case fall together."""
    digest = hashlib.sha256(normalise(source).casefold().encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a plain, gzipped or zipped text file, undecoded."""
    content = path.read_bytes()
    if path.suffix == ".zip" or zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            content = archive.read(_text_member(archive))
    elif content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    return iter(content.removeprefix(b"\xef\xbb\xbf").splitlines())


def _text_member(archive: zipfile.ZipFile) -> str:
    """The corpus in a manythings.org zip: its text file that is not ``_about.txt``."""
    texts = [n for n in archive.namelist() if n.endswith((".txt", ".tsv")) and n[0] != "_"]
    if len(texts) != 1:
        raise zipfile.BadZipFile(f"one .txt or .tsv expected inside, found {texts}")
    return texts[0]


def _pair(columns: list[bytes] | tuple[bytes | None, ...]) -> Pair | str:
    """A normalised pair, or the reason why the line is none."""
    if len(columns) < 2 or columns[0] is None or columns[1] is None:
        return "without a partner"
    try:
        source, target = (
            normalise(column.decode()) for column in columns[:2] if column is not None
        )
    except UnicodeDecodeError:
        return "undecodable"
    if not source or not target:
        return "empty"
    if max(len(source), len(target)) > MAX_CHARACTERS:
        return "over-long"
    return source, target
