"""Two maps beside each other: whether their cells mean the same, and how much they differ."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from model.arrays import Array
from model.maps.measures import entropy


def differing_axis(
    first: tuple[Sequence[str], Sequence[str]], second: tuple[Sequence[str], Sequence[str]]
) -> Literal["queries", "keys"] | None:
    """Which of the (query, key) tokens of two maps differ; None where cells mean the same in both.

    >>> differing_axis((["le"], ["a", "cat"]), (["le"], ["a", "dog"]))
    'keys'
    """
    if list(first[1]) != list(second[1]):
        return "keys"
    return "queries" if list(first[0]) != list(second[0]) else None


def common_places(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """(index in the first, index in the second) of the tokens that both have, in order.

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
    """First map (T, S) minus second at ``common_places``: (T, S), NaN without a counterpart."""
    difference = np.full(first.shape, np.nan)
    for i, k in query_places:
        for j, m in key_places:
            difference[i, j] = first[i, j] - second[k, m]
    return difference


def jensen_shannon(first: Array, second: Array) -> Array:
    """Jensen-Shannon divergence of each row, in bits: H((p + q) / 2) - (H(p) + H(q)) / 2.

    (T, S) twice -> (T,) float64: 0 where both rows are the same, 1 where no key has weight in both.
    ValueError where the shapes differ, or a row is no distribution.

    Source: Lin 1991, "Divergence measures based on the Shannon entropy", section IV.

    >>> jensen_shannon(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 1.0], [0.5, 0.5]]))
    array([1., 0.])
    """
    if first.shape != second.shape:
        raise ValueError(f"maps of shapes {first.shape} and {second.shape} have no common cells")
    p: npt.NDArray[Any] = np.asarray(first, dtype=np.float64)
    q: npt.NDArray[Any] = np.asarray(second, dtype=np.float64)
    for rows in (p, q):
        if rows.min() < 0 or np.abs(rows.sum(axis=-1) - 1).max() > 1e-3:
            raise ValueError("every row must be a distribution: no negative weight, sum 1")
    nats = entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2
    return np.clip(nats / np.log(2), 0, 1)
