"""The two masks of the paper. Bool, and True always means: this query may attend to this key."""

from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Which keys are real tokens.

    Args:
        ids: (B, S) int64 token ids; every row holds at least one real token.
        pad_id: id of the padding token.

    Returns:
        (B, 1, 1, S) bool: the same row for every head and every query.

    >>> padding_mask(torch.tensor([[5, 6, 0]]), pad_id=0).tolist()
    [[[[True, True, False]]]]
    """
    return (ids != pad_id)[:, None, None, :]


def causal_mask(n_queries: int, n_keys: int | None = None) -> Tensor:
    """Position i sees positions 0..i: no query looks at a token that comes after it.

    Args:
        n_queries: T, number of queries; they are the *last* T of the keys, so that the one
            new token of a cached decoding step sees everything before it.
        n_keys: S >= T, number of keys; T if not given.

    Returns:
        (1, 1, T, S) bool.

    Source: Vaswani et al. 2017, section 3.2.3.

    >>> causal_mask(3)[0, 0].int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    n_keys = n_queries if n_keys is None else n_keys
    if n_keys < n_queries:
        raise ValueError(f"{n_queries} queries cannot be the last of {n_keys} keys")
    everything = torch.ones(1, 1, n_queries, n_keys, dtype=torch.bool)
    return everything.tril(diagonal=n_keys - n_queries)
