"""Pairs written for this project: texts that users type, and common words that the corpora lack.

Each file holds English TAB French TAB Chinese; one translation may be missing. Licence: MIT, as the
code.
"""

from collections.abc import Mapping
from pathlib import Path

from model.augmentation.names.language_pair import language_pair_of
from model.corpora.pairs import Pair
from model.corpora.split import Split, all_targets

# File -> how often an epoch shows each of its sources. A single word is rare among the hundred
# thousand sentences of a corpus. Words and phrases have few tokens, so repeating them costs little.
# A saying must be learned by heart, because its words do not predict its translation.
TIMES_PER_EPOCH: Mapping[str, int] = {
    "sentences": 1,  # with common words that the corpora lack
    "words": 4,  # single words, with and without capital and full stop
    "phrases": 3,  # two to five words, mostly nouns
    "sayings": 8,  # proverbs, idioms, lines of songs and films
    "senses": 3,  # words of several senses, of which the sentence decides one
    "agreement": 3,  # French participles, pronouns, moods
    "long": 2,  # sentences of 20 to 35 words
    "texts": 2,  # two or three sentences; a pronoun stands for a word of the sentence before
    "coverage": 2,  # common words that had few pairs
}
_FOLDER = Path(__file__).parent
_TARGET_COLUMN = {"en-fr": 1, "en-zh": 2}


def rows_of(name: str) -> list[list[str]]:
    """Return the rows of a file: English, French and Chinese; "" is a missing translation."""
    text = (_FOLDER / f"{name}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


def hand_written_pairs(split: Split) -> list[Pair]:
    """Return the hand-written pairs for a corpus, without the sentences that it holds out.

    The list is empty for other languages.
    """
    languages = language_pair_of(split.train).name
    if languages not in _TARGET_COLUMN:
        return []
    column = _TARGET_COLUMN[languages]
    rows = [row for name in TIMES_PER_EPOCH for row in rows_of(name)]
    pairs = [(row[0], row[column]) for row in rows if row[column]]

    held_out = all_targets(split.dev, split.test)
    held_out.update(source.casefold() for source in [*split.dev, *split.test])
    return [
        (source, target)
        for source, target in pairs
        if source.casefold() not in held_out and target.casefold() not in held_out
    ]


def times_per_epoch() -> dict[str, int]:
    """Return how often an epoch shows each source that it shows more than once."""
    return {
        source: times
        for name, times in TIMES_PER_EPOCH.items()
        if times > 1
        for source, *_ in rows_of(name)
    }
