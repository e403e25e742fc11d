"""Compare two maps: are their cells comparable, and how much do they differ?"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from model.arrays import Array
from model.maps.measures import Cell, entropy, strongest_cell

_SUM_TOLERANCE = 1e-3  # tolerance of a row's sum, since maps are rounded to float32 and merged


def differing_axis(
    first: tuple[Sequence[str], Sequence[str]], second: tuple[Sequence[str], Sequence[str]]
) -> Literal["queries", "keys"] | None:
    """Return the axis on which the tokens of two maps differ ("keys" first); None if neither.

    Args:
        first: the query tokens and the key tokens of one map.
        second: those of the other map.

    >>> differing_axis((["le"], ["a", "cat"]), (["le"], ["a", "dog"]))
    'keys'
    """
    first_queries, first_keys = first
    second_queries, second_keys = second
    if list(first_keys) != list(second_keys):
        return "keys"
    if list(first_queries) != list(second_queries):
        return "queries"
    return None


def common_positions(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Return the tokens that two sentences share, in order: (index in first, index in second).

    >>> common_positions(["a", "b", "c"], ["a", "x", "c"])
    [(0, 0), (2, 2)]
    """
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return [
        (block.a + n, block.b + n)
        for block in matcher.get_matching_blocks()
        for n in range(block.size)
    ]


def changed_parts(
    first: Sequence[str], second: Sequence[str]
) -> list[tuple[Sequence[str], Sequence[str]]]:
    """Return the words that differ between two sentences: (of the first, of the second), in order.

    One of the two is empty where words were only added or only left out.

    >>> changed_parts(["a", "black", "cat"], ["a", "cat", "now"])
    [(['black'], []), ([], ['now'])]
    """
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return [
        (first[start:end], second[second_start:second_end])
        for operation, start, end, second_start, second_end in matcher.get_opcodes()
        if operation != "equal"
    ]


def map_difference(
    first: Array,
    second: Array,
    query_pairs: Sequence[tuple[int, int]],
    key_pairs: Sequence[tuple[int, int]],
) -> Array:
    """Subtract the second map from the first at the tokens that both maps have.

    Args:
        first: (T, S) map.
        second: a map of any other size.
        query_pairs: rows that belong together, from ``common_positions``.
        key_pairs: columns that belong together, from ``common_positions``.

    Returns:
        (T, S), NaN where the second map has no such cell.
    """
    difference = np.full(first.shape, np.nan)
    for first_row, second_row in query_pairs:
        for first_column, second_column in key_pairs:
            first_cell = first[first_row, first_column]
            difference[first_row, first_column] = first_cell - second[second_row, second_column]
    return difference


def largest_difference(difference: Array) -> Cell | None:
    """Return row and column of the largest difference between two maps, whatever its sign.

    ``difference`` is a (T, S) map as ``map_difference`` returns it. The result is None if the two
    maps are equal in all cells that both have.
    """
    sizes = np.nan_to_num(np.abs(difference))
    return strongest_cell(sizes) if sizes.any() else None


def jensen_shannon(first: Array, second: Array) -> Array:
    """Return the Jensen-Shannon divergence of each row: H((p + q) / 2) - (H(p) + H(q)) / 2.

    Args:
        first: (T, S) map; each row is a distribution p.
        second: (T, S) map; each row is a distribution q.

    Returns:
        (T,) float64, in bits: 0 where both rows are the same, 1 where no key has weight in both.

    Raises:
        ValueError: the shapes differ, or a row is not a distribution.

    Source: Lin 1991, "Divergence measures based on the Shannon entropy", section IV.

    >>> jensen_shannon(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 1.0], [0.5, 0.5]]))
    array([1., 0.])
    """
    if first.shape != second.shape:
        raise ValueError(f"maps of shapes {first.shape} and {second.shape} have no common cells")
    p: npt.NDArray[Any] = np.asarray(first, dtype=np.float64)
    q: npt.NDArray[Any] = np.asarray(second, dtype=np.float64)
    for rows in (p, q):
        if rows.min() < 0 or np.abs(rows.sum(axis=-1) - 1).max() > _SUM_TOLERANCE:
            raise ValueError("every row must be a distribution: no negative weight, sum 1")
    nats = entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2  # (T,)
    return np.clip(nats / np.log(2), 0, 1)
