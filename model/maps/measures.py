"""Numbers of attention maps: entropy, sinks, and what is clearest to see. T queries, S keys."""

import unicodedata
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from model.arrays import Array
from model.tokenizers.tokenizer import SPECIALS
from model.trace.transformer import Trace
from model.transformer.heads import Kind

_SINK = 0.5  # of all attention


def entropy(weights: Array) -> Array:
    """-Σ_j α_ij ln α_ij of every row, in nats, with 0 ln 0 = 0: (..., T, S) -> (..., T).

    >>> entropy(np.array([[1, 0], [0.5, 0.5]])).round(4).tolist()
    [0.0, 0.6931]
    """
    logs = np.log(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=-1) + 0.0  # no minus zero


def normalised_entropy(weights: Array, n_visible: Array) -> Array:
    """Entropy as a share of ln n_visible, 0 of a single key: (..., T, S), (T,) -> (..., T)."""
    most = np.log(np.maximum(n_visible, 1))
    return np.divide(entropy(weights), most, out=np.zeros(weights.shape[:-1]), where=most > 0)


def column_mass(weights: Array) -> Array:
    """s_j = mean_i α_ij, the share of the attention that key j takes: (..., T, S) -> (..., S)."""
    return weights.mean(axis=-2)


def coverage(weights: Array, key_tokens: Sequence[str]) -> float:
    """Mean of min(1, Σ_i α_ij) over the source tokens j of a (T, S) map, special ones left out.

    1: each got as much attention as one row has. Source: Wu et al. 2016, section 7 (its penalty
    adds up the logarithms).
    """
    words = [token not in SPECIALS for token in key_tokens]
    return float(np.minimum(1, weights.sum(axis=0)[words]).mean())


def is_special_or_punctuation(token: str) -> bool:
    """A special token, or nothing but punctuation.

    >>> [is_special_or_punctuation(token) for token in ("<eos>", " .", "dog")]
    [True, True, False]
    """
    body = token.strip()
    return token in SPECIALS or all(unicodedata.category(c).startswith("P") for c in body)


def sink_column(weights: Array, key_tokens: Sequence[str]) -> int | None:
    """The special token or punctuation that takes more than half of a (T, S) map, if any does."""
    mass = column_mass(weights)
    heaviest = int(mass.argmax())
    found = mass[heaviest] > _SINK and is_special_or_punctuation(key_tokens[heaviest])
    return heaviest if found else None


def without_special(weights: Array, key_tokens: Sequence[str]) -> Array:
    """(..., T, S) without special tokens, the other weights scaled up to rows of sum 1, or of 0."""
    kept = weights * np.array([token not in SPECIALS for token in key_tokens])
    total = kept.sum(axis=-1, keepdims=True)
    return np.divide(kept, total, out=np.zeros_like(kept), where=total > 0)


def decidedness(weights: Array) -> Array:
    """The mean of the row maxima: (..., T, S) -> (...)."""
    return weights.max(axis=-1).mean(axis=-1)


def clearest_trace(traces: Sequence[Trace], kind: Kind) -> npt.NDArray[np.intp]:
    """(layers, heads): the index of the trace in which each head is most decided."""
    return np.argmax([decidedness(trace.attention(kind).weights) for trace in traces], axis=0)


def most_decided(weights: Array) -> tuple[int, int]:
    """Layer and head, from 0, of the most decided head of (layers, H, T, S)."""
    layer, head = divmod(int(decidedness(weights).argmax()), weights.shape[1])
    return layer, head


def most_looking(weights: Array, row: int, column: int) -> tuple[int, int]:
    """Layer and head, from 0, of (layers, H, T, S) with the largest weight in one cell."""
    layer, head = divmod(int(weights[:, :, row, column].argmax()), weights.shape[1])
    return layer, head


def clearest_row(
    weights: Array, query_tokens: Sequence[str], key_tokens: Sequence[str]
) -> tuple[int, int]:
    """The (T, S) map's row with the largest weight, where a word looks most at a word; its column.

    Where no row is such a one, special tokens and punctuation count too.

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
    """Row and column of the largest weight of (T, S), without some columns unless they are all."""
    kept = [column for column in range(weights.shape[1]) if column not in left_out]
    columns = kept or list(range(weights.shape[1]))
    row, n = divmod(int(weights[:, columns].argmax()), len(columns))
    return row, columns[n]
