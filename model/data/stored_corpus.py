"""A corpus that memory cannot hold: written into an Arrow file, and opened again.

What is held out, which alone is ever in memory, stands beside the train pairs. So, unlike in a
corpus that is read into memory, a pair that comes twice is learned from twice.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from model.data.corpus import (
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
from model.data.stored_pairs import StoredPairs, write_pairs
from model.files.json_file import LARGEST, decode
from model.files.regular_file import is_there, read_regular
from model.files.replacing import SAVING, beside, check_writable, replace_folder, write_text

_ABOUT, _TRAIN = "corpus.json", "train.arrow"
_MOST_TEST = 3_000  # sentences, about: as of a corpus of 150,000 pairs, minutes of translating


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


def store(corpora: Corpora, folder: Path, *, simplified: bool = False) -> About:
    """Write corpora into a new folder, whole or not at all.

    As in ``split_corpus`` 2 % of the sentences are held out for test and 1 % for dev, by their
    hash; of a large corpus less, about 3,000 and 1,500.

    Args:
        corpora: as for ``stream_corpora``. They are read three times.
        folder: to be made.
        simplified: write Chinese in simplified characters, whatever it was written in.

    Raises:
        ValueError: a file cannot be read, there is no pair, or something stands where the folder
            shall be.
        OSError: the disk is full.
    """
    if is_there(folder):
        raise ValueError(f"{folder} is there already: remove it, or choose another folder")
    check_writable(folder)
    n_pairs, summary, sha256 = _counted(stream_corpora(corpora, simplified=simplified))
    leaking = 0

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

    new = beside(folder, SAVING)
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    if not write_pairs(new / _TRAIN, train()):
        shutil.rmtree(new)
        raise ValueError("the corpus is so small that nothing is left to train on")
    about = About(summary, sha256, dev, test, leaking)
    write_text(new / _ABOUT, msgspec.json.encode(asdict(about)).decode())
    replace_folder(new, folder)
    return about


def _counted(lines: Iterable[Pair | str]) -> tuple[int, str, str]:
    """Number of pairs, what became of all lines, and the hash of the pairs."""
    n_pairs, dropped, digest = 0, Counter[str](), hashlib.sha256()
    for line in lines:
        if isinstance(line, str):
            dropped[line] += 1
        else:
            n_pairs += 1
            digest.update("\t".join(line).encode() + b"\n")
    return n_pairs, account(n_pairs, dropped), digest.hexdigest()


def open_stored(folder: Path) -> tuple[About, Split]:
    """A corpus that was stored: its train pairs stay in the file.

    Raises:
        ValueError: it is something else, or damaged.
    """
    try:
        about: About = decode(read_regular(folder / _ABOUT, LARGEST), About)
        train = StoredPairs(folder / _TRAIN)
        return about, Split(train, about.dev, about.test, about.leaking)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{folder} is no corpus that python -m model.store_corpus made ({error})"
        ) from error
