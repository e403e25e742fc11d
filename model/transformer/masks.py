"""The two masks of the paper, and what an experiment puts in their place.

Bool, and True always means: this query may attend to this key.
"""

from collections.abc import Iterable

import torch
from torch import Tensor


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Which keys are real tokens: (B, S) int64 ids -> (B, 1, 1, S) bool, for all heads and queries.

    Every row holds at least one real token.

    >>> padding_mask(torch.tensor([[5, 6, 0]]), pad_id=0).tolist()
    [[[[True, True, False]]]]
    """
    return (ids != pad_id)[:, None, None, :]


def causal_mask(
    n_queries: int, n_keys: int | None = None, *, device: torch.device | None = None
) -> Tensor:
    """Position i sees positions 0..i: no query looks at a token that comes after it.

    (1, 1, T, S) bool. The queries are the *last* T of the S keys, so that the one new token of a
    cached decoding step sees everything before it; S is T if it is not given.

    Source: Vaswani et al. 2017, section 3.2.3.

    >>> causal_mask(3)[0, 0].int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    n_keys = n_queries if n_keys is None else n_keys
    if n_keys < n_queries:
        raise ValueError(f"{n_queries} queries cannot be the last of {n_keys} keys")
    everything = torch.ones(1, 1, n_queries, n_keys, dtype=torch.bool, device=device)
    return everything.tril(diagonal=n_keys - n_queries)


def no_mask(n_queries: int, n_keys: int | None = None) -> Tensor:
    """Every query sees every key, those that come after it and padding too: (1, 1, T, S or T)."""
    return torch.ones(1, 1, n_queries, n_queries if n_keys is None else n_keys, dtype=torch.bool)


def flip(mask: Tensor, cells: Iterable[tuple[int, int]]) -> Tensor:
    """A (..., T, S) mask with some cells the other way: hidden where seen, seen where hidden.

    ``cells`` are (query, key) from 0, each once; those beyond the mask do not matter.

    >>> flip(causal_mask(2), {(0, 1), (1, 0), (9, 9)})[0, 0].int().tolist()
    [[1, 1], [0, 1]]
    """
    flipped = mask.clone()
    n_queries, n_keys = mask.shape[-2:]
    for query, key in cells:
        if query < n_queries and key < n_keys:
            flipped[..., query, key] ^= True
    return flipped
