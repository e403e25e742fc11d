"""How far the links of a method agree with those made by hand.

Source: Och & Ney 2003, section 2.3 (alignment error rate).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from model.alignment.gold import AlignedPair, Links
from model.trace.base import Array


def strongest_links(weights: Array) -> Links:
    """For every target word the source word that it looks at most.

    Args:
        weights: (target words, source words) of one head or layer, subwords merged and special
            tokens left out.
    """
    return frozenset((int(row.argmax()), t) for t, row in enumerate(np.asarray(weights)))


def alignment_error_rate(found: Iterable[tuple[Links, AlignedPair]]) -> float:
    """1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|), counted over all sentences together.

    Args:
        found: links A of a method, each with the pair that they were found for.

    Returns:
        0 (all sure links found, nothing but possible ones) to 1.

    Raises:
        ValueError: there is no link at all.

    >>> pair = AlignedPair("a b", "x y", frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)}))
    >>> alignment_error_rate([(frozenset({(0, 0), (0, 1)}), pair)])  # 1 - (1 + 1) / (2 + 1)
    0.33333333333333337
    """
    right = total = 0
    for links, pair in found:
        right += len(links & pair.sure) + len(links & pair.possible)
        total += len(links) + len(pair.sure)
    if not total:
        raise ValueError("there is no link to judge")
    return 1 - right / total
