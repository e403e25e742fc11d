"""Sentences that were written for this project, with the common words that the corpora lack.

``sentences.tsv``, English TAB French TAB Chinese, of which one may be missing, belongs to the
training pairs of every corpus in these languages. Licence: MIT, as the code.
"""

from pathlib import Path

from model.augmentation.names import language_pair_of
from model.corpora.pairs import Pair
from model.corpora.split import Split, all_targets

_FILE = Path(__file__).parent / "sentences.tsv"
_COLUMN = {"en-fr": 1, "en-zh": 2}


def written_pairs(split: Split) -> list[Pair]:
    """All that were written for the languages of a corpus, if any, and are not held out of it."""
    languages = language_pair_of(split.train).name
    if languages not in _COLUMN:
        return []
    rows = [line.split("\t") for line in _FILE.read_text(encoding="utf-8").splitlines()]
    pairs = [(row[0], row[_COLUMN[languages]]) for row in rows if row[_COLUMN[languages]]]
    held_out = {source.casefold() for side in (split.dev, split.test) for source in side}
    held_out |= all_targets(split.dev, split.test)
    return [pair for pair in pairs if held_out.isdisjoint(side.casefold() for side in pair)]
