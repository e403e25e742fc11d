"""The row of a map that is easiest to read: one word looks at one other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from model.maps.sinks import is_special_or_punctuation
from model.trace.base import Array


def clearest_row(
    weights: Array, query_tokens: Sequence[str], key_tokens: Sequence[str]
) -> tuple[int, int]:
    """The row with the largest weight of all rows of a word that look most at a word.

    Where no row is such a one, special tokens and punctuation count too.

    Args:
        weights: (T, S).
        query_tokens: T tokens.
        key_tokens: S tokens.

    Returns:
        The row, and the column that it looks at most, from 0.

    >>> weights = np.array([[0.3, 0.7], [0.1, 0.9]])
    >>> clearest_row(weights, ["Il", "."], ["It", "rains"])
    (0, 1)
    """
    most = weights.argmax(axis=-1)  # (T,)
    heights = weights.max(axis=-1)  # (T,)
    of_words = [
        not is_special_or_punctuation(query) and not is_special_or_punctuation(key_tokens[column])
        for query, column in zip(query_tokens, most, strict=True)
    ]
    row = int(np.where(of_words, heights, heights - 2 * weights.max()).argmax())
    return row, int(most[row])
