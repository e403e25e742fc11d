"""Read the names and templates of a language pair, and detect the languages of a corpus."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from model.augmentation.names.tables import FOLDER, read_table
from model.corpora.chinese import whole_words
from model.corpora.pairs import Pair, evenly_spaced_pairs

_CHECKED_PAIRS = 1000  # pairs of a corpus whose language is checked
_MIN_SHARE = 0.2  # share of the pairs in which each side has a common word of its language


@dataclass(frozen=True)
class LanguagePair:
    """The names, numbers and templates of two languages; all are empty if the pair has no file."""

    name: str = ""  # such as "en-fr"
    # man, woman, family or place -> names in the corpus that are replaced. All begin with a
    # consonant.
    stand_in: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # name of ``stand_in`` -> its spellings in the target language, if they differ
    spelled: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # word of the target language -> its form before a vowel: "de" -> "d'"
    elided: Mapping[str, str] = field(default_factory=dict)
    templates: Sequence[Pair] = ()  # with slots such as {person} and {person2}
    month: Sequence[Pair] = ()  # the twelve months in both languages


def language_pair_of(pairs: Collection[Pair]) -> LanguagePair:
    """Detect the language pair of a corpus.

    In a fifth of its pairs each side must have a common word of its language. The result is empty
    where no file fits.
    """
    checked = evenly_spaced_pairs(pairs, _CHECKED_PAIRS)
    for path in sorted(FOLDER.glob("*-*.json")):
        content = read_table(path.name)
        source_words, target_words = content.pop("common")
        in_source = re.compile(whole_words("|".join(source_words)), re.IGNORECASE)
        in_target = re.compile(whole_words("|".join(target_words)), re.IGNORECASE)
        n_fitting = sum(
            bool(in_source.search(source) and in_target.search(target))
            for source, target in checked
        )
        if n_fitting >= _MIN_SHARE * len(checked):
            return LanguagePair(name=path.stem, **content)
    return LanguagePair()
