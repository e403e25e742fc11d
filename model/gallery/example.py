"""One prepared example: a sentence, a head, and the words that the head is expected to connect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, Struct

from model.files.json_file import Name
from model.transformer.heads import Head, Kind

Word = Annotated[str, Meta(min_length=1, max_length=100)]
Link = tuple[Word, Word]  # the word of a row and the word of a column
_FromOne = Annotated[int, Meta(ge=1, le=1000)]


class Candidate(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sentence that may show a phenomenon, if the model does what is expected.

    Args:
        phenomenon: its name, one of ``phenomena.PHENOMENA``.
        sentence: the source.
        links: words of the row and of the column that belong together, as they are written.
        second: the same sentence with a word exchanged; empty where there is none.
        changes: a word of the translation, and the one that stands there in the translation of the
            second sentence; where the model fails, the one that should stand there.
        name: a name that the translation shall keep; empty where there is none.
    """

    phenomenon: Name = ""
    sentence: Annotated[str, Meta(min_length=1, max_length=1000)]
    links: tuple[Link, ...] = ()
    second: Annotated[str, Meta(max_length=1000)] = ""
    changes: Link = ("", "")
    name: Word = ""


class Example(Candidate, frozen=True, kw_only=True):
    """A candidate and the head in which it is seen, as it stands in ``gallery.json``.

    Args:
        attention: which of the three.
        layer: from 1, as in a link.
        head: from 1.
    """

    attention: Kind
    layer: _FromOne
    head: _FromOne

    @property
    def place(self) -> Head:
        """The head, counted from 0."""
        return self.attention, self.layer - 1, self.head - 1


@dataclass(frozen=True)
class Found:
    """What a model does with a candidate in one head.

    Args:
        strength: how clearly it is seen; for most a weight.
        cells: (row, column) of the head's map to look at, from 0.
        lost: log-probability that the translation loses without the head, where it was removed.
    """

    strength: float
    cells: tuple[tuple[int, int], ...] = ()
    lost: float = 0.0


NOTHING = Found(float("-inf"))
