"""What makes a file look as if it were no corpus, or not one that is read as it was meant.

Nothing is repaired: a wrong guess would be worse. A user who is sure gives ``--ignore-warnings``.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from model.corpora.corpus import Pair, spread_out
from model.corpora.which_language import language_of

_LOOKED_AT = 1000  # pairs, spread over the corpus
_ENOUGH = 20  # pairs, for a share or a correlation to say anything
_ALIKE, _QUOTED, _ENTITIES, _LOST = 0.3, 0.7, 0.02, 0.05  # shares from which on we ask
_FEW = 0.05  # share of different texts in a column: codes of languages, names of sources
_MIXED = 0.15  # share of sources in the language of the targets
_UNRELATED = 0.3  # correlation of lengths, share of numbers kept: 0.9 in Tatoeba, 0 if shifted
_VARIED = 0.2  # deviation of the lengths by their mean: where all are alike they say nothing
_RUN = re.compile(r"\d+")
_ID = re.compile(r"[!-~]*[\d/][!-~]*|[\d.,]+ %")
_ENTITY = re.compile(r"&(?:#\d+|#x[\da-f]+|[a-z]{2,6});", re.IGNORECASE)
_MISREAD = re.compile(r"Ã[^A-Za-z]|â€")  # é, à and ’ in UTF-8, read as Windows-1252
_TITLES = "source|target|src|tgt|original|translation|reference|text|sentence|phrase|id|lang"
_TITLES += "|language|en|eng|english|anglais|fr|fra|french|français|francais|zh|chinese|chinois"
_HEADER = re.compile(rf"(?:(?:{_TITLES}|[英中法原译][文语])[ _-]?\d?)+")


def doubts(pairs: Sequence[Pair], dropped: Counter[str]) -> list[str]:
    """Sentences for people, each with what is odd and what it may come from; none for a corpus."""
    shown = spread_out(pairs, _LOOKED_AT)
    found = [*_lost_lines(len(pairs), dropped), *_columns(pairs[0], shown)]
    if len(shown) >= _ENOUGH and not found:
        found = [*_signs(shown), *_partners(shown), *_order(pairs, shown)]
    return found


def is_id(text: str) -> bool:
    """Whether it is one word with a digit or a slash: an index, a score, a share, an address.

    >>> [is_id(text) for text in ("12", "-0.1", "98%", "a1b2-c3", "x.org/y", "Go.", "I am 5.")]
    [True, True, True, True, True, False, False]
    """
    return bool(_ID.fullmatch(text))


def _lost_lines(n_pairs: int, dropped: Counter[str]) -> Iterator[str]:
    if alone := dropped["without a partner"]:
        yield (
            f"{alone:,} of {n_pairs + alone:,} lines without a partner: a TAB is missing, or one "
            "of two files has a line more than the other, and from there on nothing fits"
        )
    if (wrong := dropped["undecodable"]) > _LOST * (n_pairs + wrong):
        of = f"{wrong:,} of {n_pairs + wrong:,} lines"
        yield f"{of} are not valid UTF-8: save the file in that encoding"


def _columns(first: Pair, shown: Sequence[Pair]) -> Iterator[str]:
    for side, name in enumerate(("first", "second")):
        column = [pair[side] for pair in shown]
        if sum(map(is_id, column)) > _QUOTED * len(column):
            yield f"the {name} column holds numbers: ids, scores or an index, and no sentences"
        elif len(column) >= _ENOUGH and len(set(column)) < max(2, _FEW * len(column)):
            yield f"the {name} column says the same again and again: codes, and no sentences"
    if all(_HEADER.fullmatch(side.lower()) for side in first):
        yield f"the first line is a header: {first[0]} TAB {first[1]}"


def _signs(shown: Sequence[Pair]) -> Iterator[str]:
    if _share(shown, lambda pair: all(s[0] == s[-1] == '"' for s in pair)) > _QUOTED:
        yield "all sentences stand in quotes, as in CSV: write the file without quoting"
    if _share(shown, lambda pair: _ENTITY.search(pair[0] + pair[1])) > _ENTITIES:
        yield "it holds HTML entities such as &amp; or &#39;: write them as characters"
    if _share(shown, lambda pair: _MISREAD.search(pair[0] + pair[1])) > _ENTITIES:
        yield "it holds signs such as Ã©: UTF-8 that was read as Windows-1252. Save it anew"


def _partners(shown: Sequence[Pair]) -> Iterator[str]:
    if _share(shown, lambda pair: pair[0].casefold() == pair[1].casefold()) > _ALIKE:
        yield "source and target are often the same text"
        return
    sources, targets = ([language_of(text) for text in side] for side in zip(*shown, strict=True))
    for language, n in Counter(filter(None, targets)).most_common(1):
        if min(n, sources.count(language)) > _MIXED * len(sources):
            yield f"many sources are in the language of the targets, {language}: columns change"


def _order(pairs: Sequence[Pair], shown: Sequence[Pair]) -> Iterator[str]:
    """Lengths and numbers tell whether the lines of both sides belong together."""
    lengths = np.array([[len(source), len(target)] for source, target in shown], dtype=float)
    varied = (lengths.std(axis=0) > _VARIED * lengths.mean(axis=0)).all()
    numbers = [(set(found), target) for source, target in pairs if (found := _RUN.findall(source))]
    kept = sum(not found.isdisjoint(_RUN.findall(target)) for found, target in numbers)
    if varied and np.corrcoef(lengths.T)[0, 1] < _UNRELATED:
        yield "long sentences do not have long translations: one side is shifted against the other"
    elif len(numbers) >= _ENOUGH and kept < _UNRELATED * len(numbers):
        yield "numbers of a sentence are not in its translation: one side is shifted"


def _share(pairs: Sequence[Pair], holds: Callable[[Pair], object]) -> float:
    return sum(bool(holds(pair)) for pair in pairs) / len(pairs)
