"""Two sentences that differ little: where do their maps differ?"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np

from model.trace.base import Array


def common_places(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Places of the tokens that both have, in order: (place in the first, place in the second).

    >>> common_places(["a", "b", "c"], ["a", "x", "c"])
    [(0, 0), (2, 2)]
    """
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return [
        (block.a + n, block.b + n)
        for block in matcher.get_matching_blocks()
        for n in range(block.size)
    ]


def map_difference(
    first: Array,
    second: Array,
    query_places: Sequence[tuple[int, int]],
    key_places: Sequence[tuple[int, int]],
) -> Array:
    """First map minus second, in the shape of the first, as ``two_maps.signed_difference``.

    Args:
        first: (T, S).
        second: (T', S').
        query_places: rows that belong together.
        key_places: columns that belong together.

    Returns:
        (T, S); NaN where a row or a column has no counterpart.
    """
    difference = np.full(first.shape, np.nan)
    for i, k in query_places:
        for j, m in key_places:
            difference[i, j] = first[i, j] - second[k, m]
    return difference
