"""Find two adjacent target words whose source words have the reverse order."""

from typing import NamedTuple

import numpy as np

from model.heads.aligned_words import AlignedWords
from model.maps.measures import is_special_or_punctuation

MIN_WEIGHT = 0.5  # smallest weight of a link: more than on all other words together


class Crossing(NamedTuple):
    """Two crossing word links. Positions count from 0."""

    target: int  # position of the first of two neighbouring words of the translation
    first_source: int  # position of the source word that it looks at
    # position of the source word that the next target word looks at; smaller than ``first_source``
    second_source: int
    weight: float  # the smaller weight of the two links


def crossing(words: AlignedWords) -> Crossing | None:
    """Return the clearest crossing of a translation, or None if no two links cross.

    Args:
        words: which source word each word of the translation looks at.

    Returns:
        The crossing whose smaller weight is the largest, if it is at least ``MIN_WEIGHT``.
    """
    crossings: list[Crossing] = []
    for target in range(len(words.weights) - 1):
        first = words.source_of(target)
        second = words.source_of(target + 1)
        pair = words.targets[target : target + 2]
        if first is None or second is None or any(map(is_special_or_punctuation, pair)):
            continue
        if second < first:
            weight = min(words.weights[target, first], words.weights[target + 1, second])
            crossings.append(Crossing(target, first, second, float(weight)))
    clear = [each for each in crossings if each.weight >= MIN_WEIGHT]
    return clear[int(np.argmax([each.weight for each in clear]))] if clear else None
