"""Sentences written for this project, because the corpora lack some common words.

``sentences.tsv`` holds English TAB French TAB Chinese; one translation may be missing. Licence:
MIT, as the code.
"""

from pathlib import Path

from model.augmentation.names.language_pair import language_pair_of
from model.corpora.pairs import Pair
from model.corpora.split import Split, all_targets

_FILE = Path(__file__).parent / "sentences.tsv"
_TARGET_COLUMN = {"en-fr": 1, "en-zh": 2}


def hand_written_pairs(split: Split) -> list[Pair]:
    """Return the hand-written pairs in the languages of a corpus, except those that it holds out.

    The list is empty for other languages.
    """
    languages = language_pair_of(split.train).name
    if languages not in _TARGET_COLUMN:
        return []
    column = _TARGET_COLUMN[languages]
    rows = [line.split("\t") for line in _FILE.read_text(encoding="utf-8").splitlines()]
    pairs = [(row[0], row[column]) for row in rows if row[column]]

    held_out = all_targets(split.dev, split.test)
    held_out.update(source.casefold() for source in [*split.dev, *split.test])
    return [
        (source, target)
        for source, target in pairs
        if source.casefold() not in held_out and target.casefold() not in held_out
    ]
