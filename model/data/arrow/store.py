"""Write a corpus of any size into Arrow files, and open what was written.

The train pairs become files of the library ``datasets`` (``save_to_disk``), with the columns
``source`` and ``target``. What is held out, which alone is ever in memory, stands beside them. So,
unlike in a corpus that is read into memory, a pair that comes twice is learned from twice.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

import msgspec

from model.data.arrow.stored_pairs import StoredPairs
from model.data.chinese import in_simplified
from model.data.corpus import (
    DEV_SHARE,
    TEST_SHARE,
    Pair,
    Split,
    account,
    all_targets,
    held_out_share,
    stream_corpus,
)
from model.files.json_file import LARGEST, decode
from model.files.regular_file import is_there, read_regular
from model.files.replacing import SAVING, beside, check_writable, replace_folder, write_text

_ABOUT = "corpus.json"
_TRAIN = "train"
_MOST_TEST = 3_000  # sentences, about: as of a corpus of 150,000 pairs, minutes of translating
HeldOut = dict[str, list[str]]


@dataclass(frozen=True)
class About:
    """What is told of a stored corpus.

    Args:
        summary: how many pairs were read, and how many lines were none.
        sha256: hash of all pairs.
        dev, test: source -> its translations.
        leaking: pairs left out because a held-out sentence has the same target.
    """

    summary: str
    sha256: str
    dev: HeldOut
    test: HeldOut
    leaking: int


def store(corpora: Sequence[Sequence[str]], folder: Path, *, simplified: bool = False) -> About:
    """Write corpora into a new folder, whole or not at all.

    As in ``split_corpus`` 2 % of the sentences are held out for test and 1 % for dev, by their
    hash; of a large corpus less, about 3,000 and 1,500.

    Args:
        corpora: of each the file or the two files, as ``stream_corpus`` takes them. They are read
            three times.
        folder: to be made.
        simplified: write Chinese in simplified characters, whatever it was written in.

    Raises:
        ValueError: a file cannot be read, there is no pair, something stands where the folder shall
            be, or the library is not installed.
        OSError: the disk is full.
    """
    library = _library()
    if is_there(folder):
        raise ValueError(f"{folder} is there already: remove it, or choose another folder")
    check_writable(folder)
    n_pairs, summary, sha256 = _counted(corpora, simplified)
    scale = max(1.0, n_pairs * TEST_SHARE / _MOST_TEST)
    dev, test = _held_out(corpora, simplified, scale)
    answers = all_targets(dev, test)
    leaking = 0

    def train() -> Iterator[dict[str, str]]:
        nonlocal leaking
        for source, target in _pairs(corpora, simplified):
            if source in dev or source in test:
                continue
            if target.casefold() in answers:
                leaking += 1
                continue
            yield {"source": source, "target": target}

    if next(train(), None) is None:
        raise ValueError("the corpus is so small that nothing is left to train on")
    leaking = 0  # what that look has counted is counted again
    new = beside(folder, SAVING)
    shutil.rmtree(new, ignore_errors=True)
    new.parent.mkdir(parents=True, exist_ok=True)
    library.disable_progress_bars()
    columns = library.Features({name: library.Value("string") for name in ("source", "target")})
    with tempfile.TemporaryDirectory(dir=new.parent) as cache:
        library.Dataset.from_generator(
            train, features=columns, cache_dir=cache, fingerprint=sha256[:16]
        ).save_to_disk(new / _TRAIN)
    about = About(summary, sha256, dev, test, leaking)
    write_text(new / _ABOUT, msgspec.json.encode(asdict(about)).decode())
    replace_folder(new, folder)
    return about


def open_stored(folder: Path) -> tuple[About, Split]:
    """A corpus that was stored: its train pairs stay in the files.

    Raises:
        ValueError: it is something else, or damaged, or the library is not installed.
    """
    library = _library()
    try:
        about: About = decode(read_regular(folder / _ABOUT, LARGEST), About)
        train = StoredPairs(library.load_from_disk(folder / _TRAIN))
        return about, Split(train, about.dev, about.test, about.leaking)
    except Exception as error:  # the library has many kinds of them
        raise ValueError(
            f"{folder} is no corpus that python -m model.store_corpus made ({error})"
        ) from error


def _library() -> ModuleType:
    try:
        return import_module("datasets")
    except ImportError as error:
        raise ValueError(
            "a corpus in Arrow files needs the library datasets: "
            "pip install -r requirements-extra.txt"
        ) from error


def _counted(corpora: Sequence[Sequence[str]], simplified: bool) -> tuple[int, str, str]:
    """Number of pairs, a summary of all lines, and the hash of the pairs."""
    n_pairs, dropped, digest = 0, Counter[str](), hashlib.sha256()
    for line in _lines(corpora, simplified):
        if isinstance(line, str):
            dropped[line] += 1
        else:
            n_pairs += 1
            digest.update("\t".join(line).encode() + b"\n")
    if not n_pairs:
        raise ValueError("no sentence pair in the corpus: a line should be source TAB target")
    return n_pairs, account(n_pairs, dropped), digest.hexdigest()


def _held_out(
    corpora: Sequence[Sequence[str]], simplified: bool, scale: float
) -> tuple[HeldOut, HeldOut]:
    """Sources of dev and test with all their translations, ``scale`` times rarer than usual."""
    dev: HeldOut = {}
    test: HeldOut = {}
    for source, target in _pairs(corpora, simplified):
        share = held_out_share(source) * scale
        if share < TEST_SHARE + DEV_SHARE:
            targets = (test if share < TEST_SHARE else dev).setdefault(source, [])
            if target not in targets:
                targets.append(target)
    return dev, test


def _pairs(corpora: Sequence[Sequence[str]], simplified: bool) -> Iterator[Pair]:
    return (line for line in _lines(corpora, simplified) if isinstance(line, tuple))


def _lines(corpora: Sequence[Sequence[str]], simplified: bool) -> Iterator[Pair | str]:
    """Every line of all corpora: a pair, or why it is none."""
    for paths in corpora:
        for line in stream_corpus(*paths):
            if simplified and isinstance(line, tuple):
                yield in_simplified(line[0]), in_simplified(line[1])
            else:
                yield line
