"""Attention sinks: columns that take most of the attention without saying much."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np

from model.data.tokenizer import SPECIALS
from model.trace.base import Array

_MOST = 0.5  # of all attention


def column_mass(weights: Array) -> Array:
    """s_j = mean_i α_ij: the share of all queries' attention that key j takes.

    Args:
        weights: (..., T, S).

    Returns:
        (..., S), summing to 1.
    """
    mass: Array = weights.mean(axis=-2)
    return mass


def is_special_or_punctuation(token: str) -> bool:
    """A special token, or nothing but punctuation.

    >>> [is_special_or_punctuation(token) for token in ("<eos>", " .", "dog")]
    [True, True, False]
    """
    body = token.strip()
    return token in SPECIALS or all(unicodedata.category(c).startswith("P") for c in body)


def sink_column(weights: Array, key_tokens: Sequence[str]) -> int | None:
    """The key that takes more than half of the attention although it says little.

    Args:
        weights: (T, S) of one head.
        key_tokens: S tokens.

    Returns:
        Its column, or None.
    """
    mass = column_mass(weights)
    heaviest = int(mass.argmax())
    found = mass[heaviest] > _MOST and is_special_or_punctuation(key_tokens[heaviest])
    return heaviest if found else None


def without_special(weights: Array, key_tokens: Sequence[str]) -> Array:
    """The same rows with nothing for special tokens, and the rest scaled up to sum to 1.

    Args:
        weights: (..., T, S).
        key_tokens: S tokens.

    Returns:
        (..., T, S); a row that gave all to special tokens becomes 0.
    """
    kept = weights * np.array([token not in SPECIALS for token in key_tokens])
    total = kept.sum(axis=-1, keepdims=True)
    scaled: Array = np.divide(kept, total, out=np.zeros_like(kept), where=total > 0)
    return scaled
