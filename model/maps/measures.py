"""Measures of attention maps: entropy, sinks, coverage, and the clearest head, row and cell.

A map has T rows, one for each query, and S columns, one for each key. Its weights are α_ij.
"""

import unicodedata
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from model.arrays import Array
from model.tokenizers.tokenizer import is_special
from model.trace.transformer import Trace
from model.transformer.heads import Kind

Cell = tuple[int, int]  # row and column of a map, from 0
SINK_SHARE = 0.5  # a column with a larger share of a map's attention is a sink


def entropy(weights: Array) -> Array:
    """Return -Σ_j α_ij ln α_ij of each row, in nats, with 0 ln 0 = 0: (..., T, S) -> (..., T).

    >>> entropy(np.array([[1, 0], [0.5, 0.5]])).round(4).tolist()
    [0.0, 0.6931]
    """
    logs = np.log(np.where(weights > 0, weights, 1))  # (..., T, S)
    return -(weights * logs).sum(axis=-1) + 0.0  # + 0.0 turns -0.0 into 0.0


def normalised_entropy(weights: Array, n_visible: Array) -> Array:
    """Return the entropy of each row as a share of its maximum ln n_visible.

    Args:
        weights: (..., T, S) maps; each row sums to 1.
        n_visible: (T,) how many keys each query sees.

    Returns:
        (..., T) float64, from 0 to 1; 0 for a query that sees a single key.
    """
    largest = np.log(np.maximum(n_visible, 1))  # (T,)
    zeros = np.zeros(weights.shape[:-1])  # (..., T)
    return np.divide(entropy(weights), largest, out=zeros, where=largest > 0)


def column_mass(weights: Array) -> Array:
    """Return s_j = mean_i α_ij, the attention share of key j.

    (..., T, S) -> (..., S).
    """
    return weights.mean(axis=-2)


def coverage(weights: Array, key_tokens: Sequence[str]) -> float | None:
    """Return how well attention covers the source tokens: the mean of min(1, Σ_i α_ij) over j.

    Args:
        weights: (T, S) map of a cross-attention.
        key_tokens: the S source tokens; special tokens and ``<unk>`` are left out of the mean.

    Returns:
        From 0 to 1. It is 1 if each token got at least 1 in all, which is what one row gives. It is
        None if all source tokens are left out.

    Source: Wu et al. 2016, section 7 (its coverage penalty adds up the logarithms).
    """
    is_ordinary = np.array([not is_special(token) for token in key_tokens])  # (S,)
    if not is_ordinary.any():
        return None
    received = weights.sum(axis=0)[is_ordinary]
    return float(np.minimum(1, received).mean())


def is_special_or_punctuation(token: str) -> bool:
    """Return whether a token is special, or consists only of punctuation.

    >>> [is_special_or_punctuation(token) for token in ("<eos>", " .", " ", "don't", "dog")]
    [True, True, True, False, False]
    """
    if is_special(token):
        return True
    return all(unicodedata.category(character).startswith("P") for character in token.strip())


def sink_column(weights: Array, key_tokens: Sequence[str]) -> int | None:
    """Return the sink column of a (T, S) map, or None if there is none.

    A sink is a special token or punctuation that gets more than half of the attention.
    """
    mass = column_mass(weights)  # (S,)
    heaviest = int(mass.argmax())
    if mass[heaviest] > SINK_SHARE and is_special_or_punctuation(key_tokens[heaviest]):
        return heaviest
    return None


def without_special(weights: Array, key_tokens: Sequence[str]) -> Array:
    """Set the weights of special tokens to 0, and rescale each row so that it sums to 1.

    (..., T, S) -> (..., T, S). A row that looks at special tokens alone becomes 0.
    """
    is_ordinary = np.array([not is_special(token) for token in key_tokens])  # (S,)
    ordinary = weights * is_ordinary  # (..., T, S)
    total = ordinary.sum(axis=-1, keepdims=True)  # (..., T, 1)
    return np.divide(ordinary, total, out=np.zeros_like(ordinary), where=total > 0)


def decidedness(weights: Array) -> Array:
    """Return how clear a map is: the mean of its rows' largest weights, (..., T, S) -> (...)."""
    return weights.max(axis=-1).mean(axis=-1)


def clearest_trace(traces: Sequence[Trace], kind: Kind) -> npt.NDArray[np.intp]:
    """Return, for each head, the index of the trace with the largest decidedness: (layers, H)."""
    return np.argmax([decidedness(trace.attention(kind).weights) for trace in traces], axis=0)


def most_decided(weights: Array) -> tuple[int, int]:
    """Return (layer, head), from 0, of the map with the largest decidedness.

    ``weights`` holds all maps, (layers, H, T, S).
    """
    n_heads = weights.shape[1]
    layer, head = divmod(int(decidedness(weights).argmax()), n_heads)
    return layer, head


def most_looking(weights: Array, row: int, column: int) -> tuple[int, int]:
    """Return (layer, head), from 0, of the head with the largest weight in one cell.

    Args:
        weights: (layers, H, T, S) maps.
        row: of the cell, from 0.
        column: of the cell, from 0.

    Returns:
        Layer and head, from 0.
    """
    n_heads = weights.shape[1]
    layer, head = divmod(int(weights[:, :, row, column].argmax()), n_heads)
    return layer, head


def clearest_row(weights: Array, query_tokens: Sequence[str], key_tokens: Sequence[str]) -> Cell:
    """Return the row with the largest weight. Rows that link two words come before all others.

    Special tokens and punctuation are no words. They count only if there is no such row. Of the
    rows that link two words, those come first whose word is written once: a reader would not know
    which of two equal words is meant.

    Args:
        weights: (T, S) map.
        query_tokens: the T tokens of the rows.
        key_tokens: the S tokens of the columns.

    Returns:
        The row, and the column of its largest weight, from 0.

    >>> weights = np.array([[0.3, 0.7], [0.1, 0.9]])
    >>> clearest_row(weights, ["Il", "."], ["It", "rains"])
    (0, 1)
    """
    strongest_columns = weights.argmax(axis=-1)  # (T,)
    largest_weights = weights.max(axis=-1)  # (T,)
    preferences = []  # 2: a word that is written once looks at a word; 1: another word does
    for query, column in zip(query_tokens, strongest_columns, strict=True):
        are_words = not any(map(is_special_or_punctuation, (query, key_tokens[column])))
        is_once = query_tokens.count(query) == 1
        preferences.append(int(are_words) + int(are_words and is_once))
    row = max(range(len(weights)), key=lambda n: (preferences[n], largest_weights[n], -n))
    return row, int(strongest_columns[row])


def strongest_cell(weights: Array, left_out: Sequence[int] = ()) -> Cell:
    """Return row and column of the largest weight of a (T, S) map.

    Columns that are ``left_out`` do not count, unless they are all columns.
    """
    all_columns = range(weights.shape[1])
    columns = [column for column in all_columns if column not in left_out] or list(all_columns)
    row, index = divmod(int(weights[:, columns].argmax()), len(columns))
    return row, columns[index]
