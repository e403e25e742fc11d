"""Find neighbouring target words whose source words have the reverse order."""

from itertools import groupby, pairwise
from typing import NamedTuple

from model.heads.aligned_words import AlignedWords
from model.maps.measures import is_special_or_punctuation

MIN_WEIGHT = 0.5  # smallest weight of a link: more than on all other words together


class Crossing(NamedTuple):
    """Two links between words that cross. Positions count from 0."""

    first: range  # positions of the words of the translation that look at ``first_source``
    second: range  # positions of the words after them, which look at ``second_source``
    first_source: int  # position of a source word
    second_source: int  # position of a source word; smaller than ``first_source``
    weight: float  # the smaller weight of the two links


class _Link(NamedTuple):
    """Neighbouring words of a translation that look at the same source word."""

    targets: range
    source: int
    weight: float  # the largest of the words' weights


def crossing(words: AlignedWords) -> Crossing | None:
    """Return the clearest crossing of a translation, or None if no two links cross.

    Words beside each other that look at the same source word are one link, because only together
    they may be its translation, as the characters of a Chinese word are. For the same reason a
    source word with several links does not count.

    Args:
        words: which source word each word of the translation looks at.

    Returns:
        The crossing whose smaller weight is the largest, if it is at least ``MIN_WEIGHT``.
    """
    links = _links(words)
    sources = [link.source for link in links if link]
    clear = [
        Crossing(
            first.targets,
            second.targets,
            first.source,
            second.source,
            min(first.weight, second.weight),
        )
        for first, second in pairwise(links)
        if first
        and second
        and second.source < first.source
        and sources.count(first.source) == sources.count(second.source) == 1
        and min(first.weight, second.weight) >= MIN_WEIGHT
    ]
    return max(clear, key=lambda each: each.weight, default=None)


def _links(words: AlignedWords) -> list[_Link | None]:
    """Return the links of a translation in its order; None for words without a link."""

    def source_of(target: int) -> int | None:
        is_word = not is_special_or_punctuation(words.targets[target])
        return words.source_of(target) if is_word else None

    links: list[_Link | None] = []
    for source, group in groupby(range(len(words.weights)), source_of):
        targets = list(group)
        if source is None:
            links.append(None)
        else:
            weight = max(float(words.weights[target, source]) for target in targets)
            links.append(_Link(range(targets[0], targets[-1] + 1), source, weight))
    return links
