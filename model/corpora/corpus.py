"""Sentence pairs from the files that people really have, and their split.

Readable are the zip of manythings.org/anki (``fra-eng.zip``), a ``.tsv`` or ``.tsv.gz`` (source TAB
target, further columns ignored), two parallel files (``train.en train.fr``, plain or ``.gz``), and
the archives of OPUS that hold two such files.
"""

import gzip
import hashlib
import math
import tarfile
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from io import BufferedReader, RawIOBase
from itertools import islice, zip_longest
from pathlib import Path, PurePosixPath
from typing import cast

from model.corpora.chinese import in_simplified
from model.corpora.plain_text import read
from model.files.regular_file import open_regular

MAX_CHARACTERS = 1000  # what is longer is no sentence
LARGEST = 500_000_000  # bytes of a file, packed and unpacked
TEST_SHARE = 0.02  # two thousand sentences of a hundred thousand
DEV_SHARE = 0.01  # half as many, since they are translated again and again

Pair = tuple[str, str]
HeldOut = dict[str, list[str]]  # source -> its translations
Paths = Sequence[str | Path]  # of a corpus: one file or two
Corpora = Sequence[Paths]
_LONGEST_LINE = 1_000_000  # bytes; what comes after them is not looked at
_LONGEST_COLUMN = 100_000  # bytes of a sentence, with all the spaces that will be one
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_MARK = b"\xef\xbb\xbf"  # some editors begin UTF-8 with it
_FIRST = 1000  # bytes in which a file that is no text shows itself


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs, and an account of every line that did not become one."""

    pairs: list[Pair]  # in file order, each once
    dropped: Counter[str]  # reason -> number of lines left out for it
    sha256: str  # of the files' bytes

    def __str__(self) -> str:
        return account(len(self.pairs), self.dropped)


@dataclass(frozen=True)
class Split:
    """Train pairs, and held-out sources with every translation that the corpus has of them."""

    train: Collection[Pair]
    dev: HeldOut  # watched during training
    test: HeldOut  # looked at when training is over
    leaking: int  # pairs kept out of train because a held-out sentence has the same target


def account(n_pairs: int, dropped: Counter[str]) -> str:
    """What became of all lines, in words."""
    lost = ", ".join(f"{n:,} {reason}" for reason, n in sorted(dropped.items()))
    return f"{n_pairs:,} pairs" + (f"; lines left out: {lost}" if lost else "")


def read_corpus(*paths: str | Path) -> Corpus:
    """Read one file of pairs, or two parallel files; as ``read_corpora``."""
    return read_corpora([paths])


def read_corpora(corpora: Corpora, *, simplified: bool = False) -> Corpus:
    """Read several corpora as one: arguments and errors as for ``stream_corpora``."""
    dropped: Counter[str] = Counter()
    pairs: dict[Pair, None] = {}
    for line in stream_corpora(corpora, simplified=simplified, largest=LARGEST):
        if isinstance(line, str):
            dropped[line] += 1
        elif line in pairs:
            dropped["repeated"] += 1
        else:
            pairs[line] = None
    hashes = [_sha256(paths) for paths in corpora]
    together = hashlib.sha256("".join(hashes).encode()).hexdigest()
    return Corpus(list(pairs), dropped, hashes[0] if len(hashes) == 1 else together)


def stream_corpora(
    corpora: Corpora, *, simplified: bool = False, largest: float = math.inf
) -> Iterator[Pair | str]:
    """Read corpora of any size line by line, and keep nothing.

    Args:
        corpora: of each a ``.tsv`` or ``.txt`` of TAB-separated pairs, plain, as ``.gz`` or in an
            archive; an archive of two parallel files, as OPUS has them; or two such files.
        simplified: write Chinese in simplified characters, whatever it was written in.
        largest: bytes of each side, unpacked.

    Yields:
        For each line its pair, which may have come before, or the reason why it is none. ValueError
        if a file is missing, broken or too large, or there is no pair in it.
    """
    for paths in corpora:
        if len(paths) not in (1, 2):
            raise ValueError(
                f"a corpus is one file of pairs or two parallel files, not {len(paths)}"
            )
        names, found = " ".join(map(str, paths)), set()
        for line in _read_one(paths, names, largest):
            found.add(line if isinstance(line, str) else "pair")
            if isinstance(line, tuple):
                line = (in_simplified(line[0]), in_simplified(line[1])) if simplified else line
            yield line
        if "pair" not in found and "undecodable" in found:
            raise ValueError(f"{names} is not valid UTF-8: save it in that encoding")
        if "pair" not in found:
            raise ValueError(f"no sentence pair in {names}: a line should be source TAB target")


def _read_one(paths: Paths, names: str, largest: float) -> Iterator[Pair | str]:
    try:
        with ExitStack() as stack:
            sides = [side for path in paths for side in _open_sides(path, stack)]
            if len(paths) == 2 and len(sides) > 2:
                raise ValueError("each of two files should hold one side")
            lines = [_lines(side, largest) for side in sides]
            alone = (line.split(b"\t", maxsplit=2) for line in lines[0])
            yield from map(_pair, alone if len(lines) == 1 else zip_longest(*lines))
    except Exception as error:  # the libraries raise whatever a damaged file leads them to
        raise ValueError(f"cannot read the corpus {names}: {error}") from error


def _open_sides(path: str | Path, stack: ExitStack) -> list[BufferedReader]:
    """A file of pairs, or both sides of a corpus in one archive; ``stack`` closes them."""
    packed = stack.enter_context(open_regular(path))
    begin = packed.peek(2)[:2]
    if zipfile.is_zipfile(packed):
        zipped = stack.enter_context(zipfile.ZipFile(packed))
        files = [stack.enter_context(zipped.open(name)) for name in _sides(zipped.namelist())]
        return [BufferedReader(cast(RawIOBase, file)) for file in files]
    packed.seek(0)
    if tarfile.is_tarfile(packed):
        packed.seek(0)
        archive = stack.enter_context(tarfile.TarFile.open(fileobj=packed))
        names = [member.name for member in archive if member.isfile()]
        return [cast(BufferedReader, archive.extractfile(name)) for name in _sides(names)]
    packed.seek(0)
    if begin != b"\x1f\x8b":
        return [packed]
    return [BufferedReader(cast(RawIOBase, stack.enter_context(gzip.GzipFile(fileobj=packed))))]


def _sides(names: Sequence[str]) -> list[str]:
    """The file of pairs (that of manythings.org lies beside ``_about.txt``), or those of OPUS.

    >>> _sides(["fra-eng/fra.txt", "fra-eng/_about.txt", "__MACOSX/._fra.txt"])
    ['fra-eng/fra.txt']
    >>> _sides(["README", "Tatoeba.en-fr.fr", "Tatoeba.en-fr.en", "Tatoeba.en-fr.xml"])
    ['Tatoeba.en-fr.en', 'Tatoeba.en-fr.fr']
    """
    names = [name for name in names if "__MACOSX" not in name]
    names = [name for name in names if PurePosixPath(name).name[:1] not in ("_", ".")]
    for name in names:
        stem = name.rpartition(".")[0]  # X.en-fr
        both = [f"{stem}.{language}" for language in stem.rpartition(".")[2].split("-")]
        if len(both) == 2 and set(both) <= set(names):
            return both
    texts = [name for name in names if name.endswith((".txt", ".tsv"))]
    if len(texts) != 1:
        raise ValueError(
            "it should hold one .txt or .tsv, or two files such as X.en-fr.en and X.en-fr.fr, and "
            f"holds {', '.join(names[:9]) or 'none'}: unpack it, and give the files"
        )
    return texts


def _lines(file: BufferedReader, largest: float) -> Iterator[bytes]:
    """The lines one by one, undecoded, so that they need no memory beside the whole."""
    start = file.peek(_FIRST)[:_FIRST]
    if start[:2] in UTF_16 or b"\0" in start:
        raise ValueError("it is no UTF-8 text (UTF-16?): save it as UTF-8")
    file.read(len(_MARK) if start.startswith(_MARK) else 0)
    size = 0
    lines = iter(lambda: file.readline(_LONGEST_LINE), b"")
    if b"\r" in start and b"\n" not in start:  # perhaps as a Mac wrote them before 2001
        largest = min(largest, LARGEST)
        whole = file.read(int(largest) + 2).removesuffix(b"\r")
        end = b"\n" if b"\n" in whole else b"\r"
        lines, size = iter(whole.split(end)), whole.count(end)
    for line in lines:
        size += len(line)
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = file.readline(_LONGEST_LINE)  # of a line that is over-long already
            size += len(rest)
        if size > largest:
            raise ValueError(f"it has more than {largest / 1e6:,.0f} MB: cut it into parts")
        yield line.rstrip(b"\r\n")


def _pair(columns: list[bytes] | tuple[bytes | None, ...]) -> Pair | str:
    """A pair as it is read, or the reason why the line is none."""
    if len(columns) < 2 or columns[0] is None or columns[1] is None:
        return "without a partner"
    if max(len(columns[0]), len(columns[1])) > _LONGEST_COLUMN:
        return "over-long"
    if b"\0" in columns[0] or b"\0" in columns[1]:
        return "undecodable"
    try:
        source, target = read(columns[0].decode()), read(columns[1].decode())
    except UnicodeDecodeError:
        return "undecodable"
    if not source or not target:
        return "empty"
    return "over-long" if max(len(source), len(target)) > MAX_CHARACTERS else (source, target)


def _sha256(paths: Paths) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with open_regular(path) as file:
            hashlib.file_digest(file, lambda: digest)
    return digest.hexdigest()


def split_corpus(pairs: list[Pair]) -> Split:
    """Split by the hash of the source sentence: the same on every machine, in any file order.

    About 97 % of the source sentences are train, 1 % dev and 2 % test, with all translations. A
    pair whose target is also the target of a held-out sentence is left out of train: the model
    would have seen the answer.
    """
    dev, test = hold_out(pairs)
    held_out, answers = dev | test, all_targets(dev, test)
    rest = [(source, target) for source, target in pairs if source not in held_out]
    train = [(source, target) for source, target in rest if target.casefold() not in answers]
    return Split(train, dev, test, leaking=len(rest) - len(train))


def hold_out(pairs: Iterable[Pair], *, rarer: float = 1.0) -> tuple[HeldOut, HeldOut]:
    """Dev and test with all their translations, each once; ``rarer`` times fewer than usual."""
    dev, test = HeldOut(), HeldOut()
    for source, target in pairs:
        share = held_out_share(source) * rarer
        if share < TEST_SHARE + DEV_SHARE:
            targets = (test if share < TEST_SHARE else dev).setdefault(source, [])
            if target not in targets:
                targets.append(target)
    return dev, test


def held_out_share(source: str) -> float:
    """Where in [0, 1) a sentence falls; upper and lower case fall together."""
    digest = hashlib.sha256(read(source).casefold().encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def all_targets(*sides: HeldOut) -> set[str]:
    """The held-out translations, in lower case: what no train pair may have as its target."""
    return {t.casefold() for side in sides for targets in side.values() for t in targets}


def spread_out(pairs: Collection[Pair], n: int) -> list[Pair]:
    """About ``n`` of the pairs, from all over them: corpora are sorted by length."""
    return list(islice(pairs, 0, None, 1 + len(pairs) // n))
