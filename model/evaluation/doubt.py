"""Decide whether a translation is doubtful, by its perplexity and by lost source words.

1. The model was unsure: the perplexity of the translation is high. A single word or a short phrase
   often has several right translations, so its perplexity has a threshold of its own.
2. A word was lost: no token of the translation looks at it, in the head that aligns words best.

Neither sign is proof. ``benchmarks/doubt.py`` measures how often each sign is right, on
translations that a language model judged. The result is ``doubt.json`` in the folder of the
checkpoint.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from model.checkpoint.fingerprint import fingerprint_of
from model.evaluation.function_words import ENGLISH_FUNCTION_WORDS
from model.files.json_file import Count, Name, NonNegative, Share, read_json, write_json
from model.files.regular_file import exists
from model.files.replacing import resolve
from model.trace.next_tokens import perplexity
from model.trace.transformer import Trace

DOUBT = "doubt.json"
_REMEDY = "Make it again with python -m benchmarks.doubt."
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_MIN_LETTERS = 3  # shortest source word that is reported as not translated
_SHORT_WORDS = 3  # a source with at most so many words is short


class Thresholds(Struct, frozen=True):
    """The thresholds of the two signs of doubt."""

    perplexity: NonNegative  # a translation with a larger perplexity is doubted
    short_perplexity: NonNegative  # the same for a short source: see ``is_short``
    attention: Share  # a source word is lost if every token gives it less attention


class Measured(Struct, frozen=True):
    """How often the signs were right, on sentences that were not used to choose the thresholds."""

    wrong: Count  # translations that were judged wrong
    wrong_doubted: Count  # number of these that get a note: hits
    right: Count  # translations that were judged right, or nearly right
    right_doubted: Count  # number of these that get a note: false alarms


class DoubtFile(Struct, frozen=True):
    """The content of ``doubt.json``."""

    model: Name  # fingerprint of the weights
    thresholds: Thresholds
    measured: Measured


class Word(NamedTuple):
    """A word of the source, with the largest attention weight that a target token gives it."""

    text: str
    start: int  # character of the source at which it begins
    most_attention: float  # in [0, 1]


class Doubt(NamedTuple):
    """The signs of doubt in one translation."""

    is_unsure: bool
    lost: tuple[Word, ...]  # of the source

    @property
    def is_doubtful(self) -> bool:
        """Whether the translation shows at least one sign of doubt."""
        return self.is_unsure or bool(self.lost)


def doubt(trace: Trace, head: tuple[int, int], thresholds: Thresholds) -> Doubt:
    """Return the signs of doubt in a translation.

    Args:
        trace: of a translation that the model has written.
        head: layer and head, from 0, of the cross-attention that aligns words best.
        thresholds: where the signs begin.
    """
    lost = tuple(
        word for word in content_words(trace, head) if word.most_attention < thresholds.attention
    )
    if is_short(trace.source_text):
        limit = thresholds.short_perplexity
    else:
        limit = thresholds.perplexity
    return Doubt(is_unsure=perplexity(trace) > limit, lost=lost)


def is_short(source_text: str) -> bool:
    """Return whether an English source is a single word or a short phrase."""
    return len(source_text.split()) <= _SHORT_WORDS


def content_words(trace: Trace, head: tuple[int, int]) -> Iterator[Word]:
    """Yield the content words of an English source, each with its largest attention weight.

    Args:
        trace: of one sentence.
        head: layer and head, from 0, of the cross-attention that is looked at.
    """
    weights = trace.cross[head]  # (T, S)
    for match in _WORD.finditer(trace.source_text):
        plain = match[0].lower().replace("'", "")
        if len(plain) < _MIN_LETTERS or plain in ENGLISH_FUNCTION_WORDS:
            continue
        columns = [
            column
            for column, token in enumerate(trace.src)
            if token.start < match.end() and token.end > match.start()
        ]
        if columns:
            attention = weights[:, columns].sum(axis=1)  # (T,) to all subwords of the word
            yield Word(match[0], match.start(), float(attention.max()))


def save_doubt(folder: Path, content: DoubtFile) -> Path:
    """Write ``doubt.json`` into the folder of a checkpoint, completely or not at all."""
    return write_json(folder / DOUBT, content)


def read_doubt(folder: Path) -> DoubtFile | None:
    """Read ``doubt.json`` of a checkpoint; None if there is none for the present weights.

    Raises:
        CheckpointError: the file is damaged.
    """
    folder = resolve(folder)
    path = folder / DOUBT
    if not exists(path):
        return None
    content = read_json(path, DoubtFile, remedy=_REMEDY)
    return content if content.model == fingerprint_of(folder) else None
