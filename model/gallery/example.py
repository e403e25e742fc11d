"""A prepared example: a sentence, a head, and the words that the head should link.

Sentences were written for this: ``candidates/<source>-<target>.json`` has a list for each
phenomenon. What a model does not do is not shown (``finding``).
"""

from pathlib import Path
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct
from msgspec.structs import replace

from model.corpora.pairs import Languages
from model.files.json_file import Name, Text, read_json
from model.transformer.heads import Head, Kind

Word = Annotated[str, Meta(min_length=1, max_length=100)]
Link = tuple[Word, Word]  # the word of a row and the word of a column
_FromOne = Annotated[int, Meta(ge=1, le=1000)]
_FOLDER = Path(__file__).parent / "candidates"


class Candidate(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sentence in which a model may show a phenomenon."""

    phenomenon: Name = ""  # the name of the phenomenon, one of phenomena.PHENOMENA
    sentence: Annotated[str, Meta(min_length=1, max_length=1000)]  # the source
    # pairs of words that the head should link: (word of the row, word of the column)
    links: tuple[Link, ...] = ()
    # the sentence with one word replaced; empty if there is none
    second: Annotated[str, Meta(max_length=1000)] = ""
    # a word of the translation, and the word that replaces it in the translation of ``second``. For
    # a mistake of the model: the wrong word and the correct word
    changes: Link = ("", "")
    name: Word = ""  # a name that the translation must contain; empty if there is none


class Example(Candidate, frozen=True, kw_only=True, omit_defaults=True):
    """A candidate of ``gallery.json`` with the head that shows it. Layer and head count from 1."""

    attention: Kind
    layer: _FromOne
    head: _FromOne
    # languages and prefix of a Hub model, as in a link: "" for those with which it opens
    source_language: Text = ""
    target_language: Text = ""
    prefix: Text = ""  # a single space stands for no prefix

    @property
    def head_index(self) -> Head:
        """The head as (attention, layer, head), from 0."""
        return self.attention, self.layer - 1, self.head - 1


class Evidence(NamedTuple):
    """The evidence that one head of a model shows the phenomenon of a candidate."""

    strength: float  # how clear the phenomenon is; mostly a weight
    cells: tuple[tuple[int, int], ...] = ()  # (row, column) of the head's map to look at, from 0
    # log-probability that the translation loses without the head; 0 if the head was not removed
    lost: float = 0.0
    # number of cells on the source token that matters most for the token that the row writes
    hits: int = 0
    # number of cells on the source token that matters most for the token that the row has read
    hits_read: int = 0


NOTHING = Evidence(float("-inf"))


def candidates_for(languages: Languages) -> list[Candidate]:
    """Return all candidates for a pair of languages, sorted by phenomenon.

    Raises:
        ValueError: there are none for this pair.
    """
    path = _path(languages)
    if not has_candidates(languages):
        known = ", ".join(sorted(file.stem for file in _FOLDER.glob("*.json")))
        raise ValueError(
            f"no sentences were written for {path.stem}: there are some for {known}. "
            f"Add {path.name} to model/gallery/candidates."
        )
    remedy = "Take it from the source again."
    by_phenomenon = read_json(path, dict[str, list[Candidate]], remedy=remedy)
    return [
        replace(candidate, phenomenon=name)
        for name, candidates in by_phenomenon.items()
        for candidate in candidates
    ]


def has_candidates(languages: Languages | None) -> bool:
    """Return whether there are candidates for two languages; False if they are not known."""
    return languages is not None and _path(languages).is_file()


def _path(languages: Languages) -> Path:
    source, target = languages
    return _FOLDER / f"{source}-{target}.json"
