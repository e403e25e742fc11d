"""What is easiest to see: the clearest sentence, head, row and cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from model.maps.sinks import is_special_or_punctuation
from model.trace.base import Array
from model.trace.transformer import Trace
from model.transformer.heads import Kind


def decidedness(weights: Array) -> Array:
    """How decided a head's rows are, the mean of their maxima: (..., T, S) -> (...)."""
    decided: Array = weights.max(axis=-1).mean(axis=-1)
    return decided


def clearest_trace(traces: Sequence[Trace], kind: Kind) -> npt.NDArray[np.intp]:
    """The trace in which a head's rows are most decided: largest mean of the row maxima.

    Args:
        traces: of a few sentences.
        kind: which attention.

    Returns:
        (layers, heads): its place among the traces.
    """
    places: npt.NDArray[np.intp] = np.argmax(
        [decidedness(trace.attention(kind).weights) for trace in traces], axis=0
    )
    return places


def most_decided(weights: Array) -> tuple[int, int]:
    """Layer and head, from 0, of the most decided head: (layers, H, T, S)."""
    layer, head = divmod(int(decidedness(weights).argmax()), weights.shape[1])
    return layer, head


def most_looking(weights: Array, row: int, column: int) -> tuple[int, int]:
    """The layer and the head that look most from a query to a key.

    Args:
        weights: (layers, heads, T, S).
        row: i, the query, from 0.
        column: j, the key, from 0.

    Returns:
        Both from 0; the first of several that look equally much.
    """
    place = np.unravel_index(int(weights[:, :, row, column].argmax()), weights.shape[:2])
    return int(place[0]), int(place[1])


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


def strongest_cell(weights: Array, left_out: Sequence[int] = ()) -> tuple[int, int]:
    """Row and column of the largest weight of one map.

    Args:
        weights: (T, S).
        left_out: columns that do not count, such as a sink, unless they are all there is.
    """
    kept = [column for column in range(weights.shape[1]) if column not in set(left_out)]
    columns = kept or list(range(weights.shape[1]))
    row, place = divmod(int(weights[:, columns].argmax()), len(columns))
    return row, columns[place]
