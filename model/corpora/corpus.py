"""Read sentence pairs from text files, compressed files and archives.

This module reads the zip of manythings.org/anki (``fra-eng.zip``), a ``.tsv`` (source TAB target,
further columns ignored), a table that a spreadsheet saves as CSV, the text that Anki exports, two
parallel files (``train.en train.fr``), and the archives of OPUS that hold two such files; each also
packed with gzip, bzip2 or xz.

The steps are in files of their own: ``corpus_files`` opens archives, ``lines`` reads lines,
``cleaning`` decides which lines are pairs, ``split`` holds some of them out.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from model.corpora.chinese import to_simplified
from model.corpora.cleaning import REPEATED, UNDECODABLE, clean_pair, cleaning_summary
from model.corpora.corpus_files import open_sides
from model.corpora.lines import MAX_FILE_BYTES, stream_lines
from model.corpora.pairs import Pair
from model.files.regular_file import open_regular

Paths = Sequence[str | Path]  # the files of one corpus: one or two
Corpora = Sequence[Paths]


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs, and the number of lines that were left out."""

    pairs: list[Pair]  # in file order, each once
    dropped: Counter[str]  # reason (see ``cleaning``) -> number of lines that were left out
    sha256: str  # of the files' bytes

    def __str__(self) -> str:
        return cleaning_summary(len(self.pairs), self.dropped)


def read_corpus(*paths: str | Path) -> Corpus:
    """Read one file of pairs, or two parallel files. Errors: see ``stream_corpora``."""
    return read_corpora([paths])


def read_corpora(corpora: Corpora, *, simplified: bool = False) -> Corpus:
    """Read several corpora as one corpus. Arguments and errors: see ``stream_corpora``."""
    dropped: Counter[str] = Counter()
    pairs: dict[Pair, None] = {}  # used as a set that keeps the order
    for line in stream_corpora(corpora, simplified=simplified, max_bytes=MAX_FILE_BYTES):
        if isinstance(line, str):
            dropped[line] += 1
        elif line in pairs:
            dropped[REPEATED] += 1
        else:
            pairs[line] = None

    hashes = [_sha256(paths) for paths in corpora]
    if len(hashes) == 1:
        sha256 = hashes[0]
    else:
        sha256 = hashlib.sha256("".join(hashes).encode()).hexdigest()
    return Corpus(list(pairs), dropped, sha256)


def stream_corpora(
    corpora: Corpora, *, simplified: bool = False, max_bytes: float = math.inf
) -> Iterator[Pair | str]:
    """Yield a pair for each line of the corpora, or the reason why the line is left out.

    Args:
        corpora: each is a file of TAB-separated pairs, a table (CSV) or Anki's export, plain,
            packed or in an archive; an archive of two parallel files, as OPUS has them; or two
            such files.
        simplified: write Chinese in simplified characters, whatever it was written in.
        max_bytes: the most bytes of one file, unpacked.

    Yields:
        For each line its pair, or the reason why the line is left out (``cleaning`` has the list).
        A pair may come several times.

    Raises:
        ValueError: a file is missing, broken or too large, or there is no pair in it.
    """
    for paths in corpora:
        if len(paths) not in (1, 2):
            raise ValueError(
                f"a corpus is one file of pairs or two parallel files, not {len(paths)}"
            )
        names = " ".join(map(str, paths))
        has_pairs = False
        has_undecodable = False
        for line in _stream_corpus(paths, names, max_bytes):
            if isinstance(line, str):
                has_undecodable = has_undecodable or line == UNDECODABLE
                yield line
                continue
            has_pairs = True
            source, target = line
            if simplified:
                source = to_simplified(source)
                target = to_simplified(target)
            yield source, target
        if not has_pairs and has_undecodable:
            raise ValueError(f"{names} is not valid UTF-8: save it in that encoding")
        if not has_pairs:
            raise ValueError(f"no sentence pair in {names}: a line should be source TAB target")


def _stream_corpus(paths: Paths, names: str, max_bytes: float) -> Iterator[Pair | str]:
    """Yield the pairs of one corpus. For each line that is left out, yield the reason.

    Args:
        paths: one file of pairs, or two parallel files.
        names: the files, as error messages quote them.
        max_bytes: the most bytes of one file, unpacked.
    """
    try:
        with ExitStack() as stack:
            sides = [side for path in paths for side in open_sides(path, stack)]
            if len(paths) == 2 and len(sides) > 2:
                raise ValueError("each of two files should hold one side")
            side_lines = [stream_lines(side, max_bytes) for side in sides]
            if len(side_lines) == 1:
                for line in side_lines[0]:
                    yield clean_pair(line.split(b"\t", maxsplit=2))
            else:
                for columns in zip_longest(*side_lines):
                    yield clean_pair(columns)
    except MemoryError:  # not the fault of the file; the command gives a remedy
        raise
    except Exception as error:  # a damaged file makes the libraries raise many kinds of errors
        raise ValueError(f"cannot read the corpus {names}: {error}") from error


def _sha256(paths: Paths) -> str:
    """Return the hash of the bytes of all files, one after the other."""
    digest = hashlib.sha256()
    for path in paths:
        with open_regular(path) as file:
            hashlib.file_digest(file, lambda: digest)
    return digest.hexdigest()
