"""How spread out one row of attention is."""

from __future__ import annotations

import numpy as np

from model.trace.base import Array


def entropy(weights: Array) -> Array:
    """-Σ_j α_ij ln α_ij of every row, in nats; 0 ln 0 counts as 0.

    Args:
        weights: (..., T, S), rows summing to 1.

    Returns:
        (..., T): 0 where all goes to one key, ln n where n keys get the same.

    >>> entropy(np.array([[1, 0], [0.5, 0.5]])).round(4).tolist()
    [0.0, 0.6931]
    """
    logs = np.log(np.where(weights > 0, weights, 1))
    row_sums: Array = -(weights * logs).sum(axis=-1)
    return row_sums + 0.0  # no minus zero


def normalised_entropy(weights: Array, n_visible: Array) -> Array:
    """Entropy as a share of the most that it can be, ln of the number of visible keys.

    Args:
        weights: (..., T, S).
        n_visible: (T,) keys that each query may see.

    Returns:
        (..., T) in [0, 1]; 0 where only one key is visible.
    """
    most = np.log(np.maximum(n_visible, 1))
    share: Array = np.divide(
        entropy(weights), most, out=np.zeros(weights.shape[:-1]), where=most > 0
    )
    return share
