"""Sentence pairs that were written for this project, with the common words that the corpora lack.

``en-fr.tsv`` and ``en-zh.tsv``, source TAB target, belong to the training pairs of every corpus in
these languages. Licence: MIT, as the code.
"""

from pathlib import Path

from model.data.corpus import Pair, Split, all_targets, read_corpus
from model.data.names import language_pair_of

_FOLDER = Path(__file__).parent


def written_pairs(split: Split) -> list[Pair]:
    """All that were written for the languages of a corpus, if any, and are not held out of it."""
    path = _FOLDER / f"{language_pair_of(split.train).name}.tsv"
    if not path.is_file():
        return []
    pairs = read_corpus(path).pairs
    held_out = {source.casefold() for side in (split.dev, split.test) for source in side}
    held_out |= all_targets(split.dev, split.test)
    return [pair for pair in pairs if held_out.isdisjoint(side.casefold() for side in pair)]
