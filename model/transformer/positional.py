"""Positional encoding: a wave for every pair of dimensions, added to the embeddings."""

from __future__ import annotations

import torch
from torch import Tensor


def frequencies(d_model: int) -> Tensor:
    """w_i = 10000^(-2i / d_model), one for every pair of dimensions.

    Returns:
        (d_model / 2,) float64, in radians per position, from 1 down to almost 1/10000.
    """
    return 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)


def positional_encoding(n_positions: int, d_model: int, *, first: int = 0) -> Tensor:
    """PE(p, 2i) = sin(p w_i) and PE(p, 2i+1) = cos(p w_i).

    Args:
        n_positions: how many positions.
        d_model: even width of the model.
        first: position of the first row, in tokens from the start of the sentence.

    Returns:
        (n_positions, d_model) float32.

    Source: Vaswani et al. 2017, section 3.5.

    >>> positional_encoding(1, 4).tolist()
    [[0.0, 1.0, 0.0, 1.0]]
    """
    position = torch.arange(first, first + n_positions, dtype=torch.float64)  # (T,)
    angle = position[:, None] * frequencies(d_model)  # (T, d_model / 2)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1).float()  # (T, d_model)
