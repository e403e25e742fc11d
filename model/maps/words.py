"""From subwords to words: what a map says about words that the vocabulary cut."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from model.trace.base import Array

_BYTES = re.compile(r"<([0-9A-F]{2}(?: [0-9A-F]{2})*)>")  # parts of characters, as subwords


def groups_of(words: Sequence[int | None]) -> list[list[int]]:
    """The subwords of each word; a special token is a group of its own, in its place.

    Args:
        words: for each subword the number of its word, as ``Tokenizer.word_numbers`` gives it.

    >>> groups_of([None, 0, 0, 1, None])
    [[0], [1, 2], [3], [4]]
    """
    groups: list[list[int]] = []
    before: int | None = None
    for subword, word in enumerate(words):
        if word is None or word != before:
            groups.append([])
        groups[-1].append(subword)
        before = word
    return groups


def spelled(subwords: Sequence[str]) -> str:
    """The word that subwords spell; bytes become the characters that they are parts of.

    >>> spelled((" Nguy", "<E1 BB>", "<85>", "n")), spelled((" a", "<F0>"))
    (' Nguyễn', ' a<F0>')
    """
    raw = b"".join(
        bytes.fromhex(found[1]) if (found := _BYTES.fullmatch(subword)) else subword.encode()
        for subword in subwords
    )
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "".join(subwords)


def merge_subwords(
    weights: Array, query_groups: Sequence[Sequence[int]], key_groups: Sequence[Sequence[int]]
) -> Array:
    """Sum over the subwords of a key word, mean over those of a query word.

    A word gets all the attention that its subwords get, and looks where these look on average: so
    rows go on summing to 1.

    Args:
        weights: (..., T, S).
        query_groups: subwords of every query word.
        key_groups: subwords of every key word.

    Returns:
        (..., query words, key words).

    Source: Clark et al. 2019, section 4.1.
    """
    summed = np.stack([weights[..., list(group)].sum(axis=-1) for group in key_groups], axis=-1)
    merged: Array = np.stack(
        [summed[..., list(group), :].mean(axis=-2) for group in query_groups], axis=-2
    )
    return merged
