"""Word alignments made by hand: which words of a sentence and its translation belong together.

Source: Och & Ney 2003, section 2.3 (sure and possible links).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from model.data.byte_level.cutting import words_in
from model.data.corpus import LARGEST
from model.files.regular_file import read_regular

Link = tuple[int, int]  # source word, target word, from 0
Links = frozenset[Link]
Words = tuple[str, ...]


@dataclass(frozen=True)
class AlignedPair:
    """A sentence, its translation, and which words belong together.

    Args:
        source: as it is given to the model.
        target: its translation.
        sure: links without doubt.
        possible: those that can be defended, the sure ones among them.
        source_words: what the links number, each with the space before it, so that together they
            are the source; None for the words of ``Tokenizer.word_numbers``.
        target_words: the same of the target.
    """

    source: str
    target: str
    sure: Links
    possible: Links
    source_words: Words | None = None
    target_words: Words | None = None


def read_alignments(path: str | Path) -> list[AlignedPair]:
    """Read lines of source TAB target TAB sure links TAB possible links.

    Links are written ``i-j``, with the numbers that ``Tokenizer.word_numbers`` gives to words.
    A line that begins with ``#`` is a comment.

    Raises:
        ValueError: the file cannot be read, or a line is not of this form.
    """
    try:
        lines = read_regular(path, LARGEST).decode("utf-8-sig").split("\n")
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read the alignments {path}: {error}") from error
    pairs = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            source, target, sure, possible = line.split("\t")
            links = _links(sure)
            pair = AlignedPair(source, target, links, links | _links(possible))
        except ValueError as error:
            raise ValueError(
                f"line {number} of {path} should be source TAB target TAB sure links TAB possible "
                f"links, with links such as 0-0 2-1: {line[:100]!r}"
            ) from error
        last = len(words_in(source)) - 1, len(words_in(target)) - 1
        if beyond := [link for link in pair.possible if link[0] > last[0] or link[1] > last[1]]:
            raise ValueError(
                f"line {number} of {path} holds the link {beyond[0][0]}-{beyond[0][1]}, but its "
                f"sentences have words 0 to {last[0]} and 0 to {last[1]}: are links counted from 1?"
            )
        pairs.append(pair)
    return pairs


def agreement(first: Iterable[AlignedPair], second: Iterable[AlignedPair]) -> float:
    """How far two annotators agree: F1 of all their links, sure and possible, from 0 to 1."""
    both = total = 0
    for one, other in zip(first, second, strict=True):
        if (one.source, one.target) != (other.source, other.target):
            raise ValueError(f"not the same pairs: {one.source!r} and {other.source!r}")
        both += 2 * len(one.possible & other.possible)
        total += len(one.possible) + len(other.possible)
    return both / total if total else 1.0


def reconciled(one: AlignedPair, other: AlignedPair) -> AlignedPair:
    """Two annotators' work as one: sure is what both call sure, possible what either links."""
    return AlignedPair(one.source, one.target, one.sure & other.sure, one.possible | other.possible)


def _links(text: str) -> Links:
    return frozenset((int(i), int(j)) for i, j in (link.split("-") for link in text.split()))
