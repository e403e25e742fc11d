"""Word alignments: links between the words of a sentence and the words of its translation.

Source: Och & Ney 2003, section 2.3 (sure and possible links).
"""

from dataclasses import dataclass
from pathlib import Path

from model.corpora.lines import MAX_FILE_BYTES, numbered_lines
from model.files.regular_file import read_regular
from model.tokenizers.byte_level.pre_tokenizer import words_in

Link = tuple[int, int]  # source word, target word, from 0
Links = frozenset[Link]
Words = tuple[str, ...]


@dataclass(frozen=True)
class AlignedPair:
    """A sentence, its translation, and the links between their words."""

    source: str
    target: str
    sure: Links  # without doubt
    possible: Links  # that can be defended; they include the sure ones
    # The linked words. Each word includes the space before it, so that the joined words are the
    # text. None means the words of ``Tokenizer.word_ids``.
    source_words: Words | None = None
    target_words: Words | None = None


def read_alignments(path: str | Path) -> list[AlignedPair]:
    """Read lines with four TAB-separated columns: source, target, sure links, possible links.

    Links are written ``i-j``, with the numbers that ``Tokenizer.word_ids`` gives to words. A line
    that begins with ``#`` is a comment. A line of any other form raises ValueError.
    """
    try:
        lines = numbered_lines(read_regular(path, MAX_FILE_BYTES))
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read the alignments {path}: {error}") from error
    pairs = []
    for number, line in lines:
        if line.startswith("#"):
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


def _links(text: str) -> Links:
    return frozenset((int(i), int(j)) for i, j in (link.split("-") for link in text.split()))
