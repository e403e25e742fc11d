"""The angle between what a token is and where it stands."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]


def cosines(first: Array, second: Array) -> Array:
    """The cosine of each row with the same row of the other: 1 the same way, 0 at right angles.

    Args:
        first: (T, d_model).
        second: (T, d_model).

    Returns:
        (T,) in [-1, 1].
    """
    lengths = np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1)
    found: Array = (first * second).sum(axis=-1) / lengths
    return found


def chance_cosine(d_model: int) -> float:
    """The mean |cosine| of two directions that have nothing to do with each other.

    Args:
        d_model: of how many dimensions; more than ten, for which the normal limit is good.

    >>> round(chance_cosine(256), 3)
    0.05
    """
    return math.sqrt(2 / (math.pi * d_model))
