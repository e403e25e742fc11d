"""What the waves of the positional encoding measure: lengths, and how alike two positions are."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from model.transformer.positional import frequencies, positional_encoding


def wave(positions: Tensor, dimension: int, d_model: int) -> Tensor:
    """One column of the encoding as the wave it is, between whole positions too.

    Args:
        positions: (N,) float64.
        dimension: even for a sine, odd for a cosine.
        d_model: even width of the model.

    Returns:
        (N,) float64; at whole positions the numbers of ``positional_encoding``.
    """
    angle = positions * frequencies(d_model)[dimension // 2]
    return angle.cos() if dimension % 2 else angle.sin()


def wavelengths(d_model: int) -> Tensor:
    """2π / w_i: after how many positions wave i begins again.

    Returns:
        (d_model / 2,) float64, from 2π up to almost 10000 · 2π.

    Source: Vaswani et al. 2017, section 3.5.
    """
    return 2 * math.pi / frequencies(d_model)


def doubling_pairs(d_model: int, n: int) -> list[int]:
    """Waves of which each is, as nearly as there is one, twice as long as the one before.

    They are to positions what bits are to a binary number.

    Args:
        d_model: even width of the model.
        n: how many, at most; fewer where the waves end.

    Returns:
        Indices i of waves, the shortest first. Wave i is dimensions 2i (sine), 2i+1 (cosine).

    >>> doubling_pairs(256, 4)
    [0, 10, 19, 29]
    """
    pairs_per_doubling = d_model / 2 / math.log2(10000)
    pairs = dict.fromkeys(round(bit * pairs_per_doubling) for bit in range(n))
    return [pair for pair in pairs if pair < d_model // 2]


def bits(n_positions: int, n_bits: int) -> Tensor:
    """The positions as binary numbers.

    Returns:
        (n_positions, n_bits) float64 of 0 and 1, the lowest bit first.

    >>> bits(4, 2).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    position = torch.arange(n_positions)[:, None]  # (n_positions, 1)
    return (position >> torch.arange(n_bits) & 1).double()  # (n_positions, n_bits)


def similarity(n_positions: int, d_model: int) -> Tensor:
    """PE · PEᵀ: the dot product of every two positions.

    Returns:
        (n_positions, n_positions) float64.
    """
    waves = positional_encoding(n_positions, d_model).double()  # (n_positions, d_model)
    return waves @ waves.T


def similarity_at(offsets: Tensor, d_model: int) -> Tensor:
    """PE(p) · PE(p + k) = Σ_i cos k w_i, in which p does not occur.

    Args:
        offsets: (N,) the k, in positions.
        d_model: even width of the model.

    Returns:
        (N,) float64; d_model / 2 at k = 0.
    """
    return (offsets[:, None] * frequencies(d_model)).cos().sum(dim=1)
