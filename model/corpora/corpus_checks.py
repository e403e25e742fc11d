"""Find signs that a file is not a corpus, or that it was read in the wrong format.

Nothing is repaired: a wrong guess would be worse. A user who is sure gives ``--ignore-warnings``.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from model.corpora.cleaning import UNDECODABLE, WITHOUT_PARTNER
from model.corpora.pairs import Pair, evenly_spaced_pairs
from model.corpora.text_checks import text_warnings
from model.corpora.which_language import language_of

_CHECKED_PAIRS = 1000  # pairs, evenly spaced over the corpus
_MIN_PAIRS = 20  # with fewer pairs, a share or a correlation means nothing

# Thresholds: a larger share of the pairs, or of the lines, causes a warning.
_MAX_SAME_TEXT = 0.3  # source and target are equal
_MAX_QUOTED = 0.7  # both texts are in quotes
_MAX_IDS = 0.7  # the text of a column is a number, a code or an address, see ``is_id``
_MAX_UNDECODABLE = 0.05
_MAX_MIXED = 0.15  # sources in the language of the targets
# Smallest share of distinct texts in a column of sentences. A column of codes or names has fewer.
_MIN_DIFFERENT = 0.05

# Smallest correlation of the lengths, and smallest share of pairs with a common number. Tatoeba has
# 0.9; a corpus with one side shifted by a line has 0.
_MIN_RELATED = 0.3
_MIN_VARIATION = 0.2  # standard deviation / mean; lengths that vary less are not compared

_NUMBER = re.compile(r"\d+")
_ID = re.compile(r"[!-~]*[\d/][!-~]*|[\d.,]+ %")


def corpus_warnings(pairs: Sequence[Pair], dropped: Counter[str]) -> list[str]:
    """Return warnings about a corpus with their probable causes; [] for a sound corpus.

    Args:
        pairs: of the whole corpus, at least one.
        dropped: reason -> number of lines left out for it, as in ``Corpus``.

    Returns:
        Clauses of a message for the user. Finer checks are only made where the coarse ones find
        nothing: a file without sentences would fail them all.
    """
    checked = evenly_spaced_pairs(pairs, _CHECKED_PAIRS)
    warnings = [*_check_dropped(len(pairs), dropped), *column_warnings(checked)]
    if warnings:
        return warnings
    warnings += map(str, text_warnings(checked))
    if warnings or len(checked) < _MIN_PAIRS:
        return warnings
    return [*_check_quotes(checked), *_check_languages(checked), *_check_order(pairs, checked)]


def is_id(text: str) -> bool:
    """Return whether a text is one word with a digit or a slash: an index, a score or an address.

    >>> [is_id(text) for text in ("12", "-0.1", "98%", "a1b2-c3", "x.org/y", "Go.", "I am 5.")]
    [True, True, True, True, True, False, False]
    """
    return bool(_ID.fullmatch(text))


def column_warnings(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield a clause of a message for each column that holds no sentences: numbers, or codes."""
    sources, targets = zip(*pairs, strict=True)
    for name, column in (("first", sources), ("second", targets)):
        if sum(map(is_id, column)) > _MAX_IDS * len(column):
            yield f"the {name} column holds numbers: ids, scores or an index, and no sentences"
        elif len(column) >= _MIN_PAIRS and len(set(column)) < max(2, _MIN_DIFFERENT * len(column)):
            yield f"the {name} column says the same again and again: codes, and no sentences"


# Each of these functions yields the warnings of one check, as clauses of a message.


def _check_dropped(n_pairs: int, dropped: Counter[str]) -> Iterator[str]:
    n_alone = dropped[WITHOUT_PARTNER]
    if n_alone:
        yield (
            f"{n_alone:,} of {n_pairs + n_alone:,} lines without a partner: a TAB is missing, or "
            "one of two files has a line more than the other, and from there on nothing fits"
        )
    n_wrong = dropped[UNDECODABLE]
    if n_wrong > _MAX_UNDECODABLE * (n_pairs + n_wrong):
        yield (
            f"{n_wrong:,} of {n_pairs + n_wrong:,} lines are not valid UTF-8: save the file in "
            "that encoding"
        )


def _check_quotes(checked: Sequence[Pair]) -> Iterator[str]:
    def quoted(pair: Pair) -> bool:
        return all(text[0] == text[-1] == '"' for text in pair)

    if _share(checked, quoted) > _MAX_QUOTED:
        yield "all sentences are in quotes, as in CSV: write the file without quoting"


def _check_languages(checked: Sequence[Pair]) -> Iterator[str]:
    if _share(checked, lambda pair: pair[0].casefold() == pair[1].casefold()) > _MAX_SAME_TEXT:
        yield "source and target are often the same text"
        return
    source_languages = [language_of(source) for source, _ in checked]
    target_languages = [language_of(target) for _, target in checked]
    counts = Counter(language for language in target_languages if language)
    for language, n_targets in counts.most_common(1):
        n_sources = source_languages.count(language)
        if min(n_targets, n_sources) > _MAX_MIXED * len(checked):
            yield f"many sources are in the language of the targets, {language}: columns change"


def _check_order(pairs: Sequence[Pair], checked: Sequence[Pair]) -> Iterator[str]:
    """Warn if lengths and numbers suggest that lines are not translations of each other."""
    # (pairs, 2), number of characters of source and target
    lengths = np.array([[len(source), len(target)] for source, target in checked], dtype=float)
    varied = (lengths.std(axis=0) > _MIN_VARIATION * lengths.mean(axis=0)).all()

    n_with_numbers = 0
    n_alike = 0  # pairs with at least one number in both sentences
    for source, target in pairs:
        numbers = _NUMBER.findall(source)
        if numbers:
            n_with_numbers += 1
            n_alike += not set(numbers).isdisjoint(_NUMBER.findall(target))

    if varied and np.corrcoef(lengths.T)[0, 1] < _MIN_RELATED:
        yield "long sentences do not have long translations: one side is shifted against the other"
    elif n_with_numbers >= _MIN_PAIRS and n_alike < _MIN_RELATED * n_with_numbers:
        yield "numbers of a sentence are not in its translation: one side is shifted"


def _share(pairs: Sequence[Pair], holds: Callable[[Pair], object]) -> float:
    return sum(bool(holds(pair)) for pair in pairs) / len(pairs)
