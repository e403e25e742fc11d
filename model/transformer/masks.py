"""The two masks of the paper, and others for experiments.

All are bool. True always means: this query may attend to this key.
"""

from collections.abc import Iterable

import torch
from torch import Tensor


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Hide the padding from all heads and queries: (B, S) int64 ids -> (B, 1, 1, S) bool.

    Every row must hold at least one token that is not padding.

    >>> padding_mask(torch.tensor([[5, 6, 0]]), pad_id=0).tolist()
    [[[[True, True, False]]]]
    """
    return (ids != pad_id)[:, None, None, :]


def causal_mask(
    n_queries: int, n_keys: int | None = None, *, device: torch.device | None = None
) -> Tensor:
    """Let position i see positions 0..i, so that no query attends to a later token.

    Args:
        n_queries: T. The queries are the *last* T of the S positions. So the one new token of a
            decoding step with a cache sees everything before it.
        n_keys: S, at least T; None for T.
        device: where the mask is made; None for the CPU.

    Returns:
        (1, 1, T, S) bool.

    Raises:
        ValueError: there are fewer keys than queries.

    Source: Vaswani et al. 2017, section 3.2.3.

    >>> causal_mask(3)[0, 0].int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    if n_keys is None:
        n_keys = n_queries
    if n_keys < n_queries:
        raise ValueError(f"{n_queries} queries cannot be the last of {n_keys} keys")
    everything = torch.ones(1, 1, n_queries, n_keys, dtype=torch.bool, device=device)
    return everything.tril(diagonal=n_keys - n_queries)


def no_mask(
    n_queries: int, n_keys: int | None = None, *, device: torch.device | None = None
) -> Tensor:
    """Let every query see every key, including later tokens and padding.

    Args:
        n_queries: T.
        n_keys: S; None for T.
        device: where the mask is made; None for the CPU.

    Returns:
        (1, 1, T, S) bool.
    """
    if n_keys is None:
        n_keys = n_queries
    return torch.ones(1, 1, n_queries, n_keys, dtype=torch.bool, device=device)


def flip(mask: Tensor, cells: Iterable[tuple[int, int]]) -> Tensor:
    """Invert some cells of a mask: visible cells become hidden, and hidden cells visible.

    Args:
        mask: (..., T, S) bool.
        cells: (query, key) of each, from 0; none twice. Cells beyond the mask change nothing.

    Returns:
        (..., T, S) bool.

    >>> flip(causal_mask(2), {(0, 1), (1, 0), (9, 9)})[0, 0].int().tolist()
    [[1, 1], [0, 1]]
    """
    flipped = mask.clone()
    n_queries, n_keys = mask.shape[-2:]
    for query, key in cells:
        if query < n_queries and key < n_keys:
            flipped[..., query, key] ^= True
    return flipped
