"""A shift of k positions as a rotation: why relative positions are easy to read off the waves."""

from __future__ import annotations

import torch
from torch import Tensor

from model.transformer.positional import frequencies, positional_encoding


def rotation(k: int, d_model: int) -> Tensor:
    """M_k with M_k · PE(p) = PE(p + k), the same for every position p.

    The pair of wave i, (sin p w_i, cos p w_i), is the tip of a clock's hand at the angle p w_i;
    k positions later it stands at (p + k) w_i. So M_k turns every pair on its own:

        [  cos k w_i   sin k w_i ]
        [ -sin k w_i   cos k w_i ]

    Args:
        k: shift in positions; negative is backwards.
        d_model: even width of the model.

    Returns:
        (d_model, d_model) float64, zero outside the 2 x 2 blocks on the diagonal.

    Source: Vaswani et al. 2017, section 3.5, "PE(pos+k) can be represented as a linear function
    of PE(pos)".

    >>> (rotation(5, 4) @ rotation(-5, 4)).allclose(torch.eye(4, dtype=torch.float64))
    True
    """
    angle = k * frequencies(d_model)  # (d_model / 2,)
    first_row = torch.stack((angle.cos(), angle.sin()), dim=-1)
    second_row = torch.stack((-angle.sin(), angle.cos()), dim=-1)
    blocks = torch.stack((first_row, second_row), dim=1)  # (d_model / 2, 2, 2)
    m_k: Tensor = torch.block_diag(*blocks)  # type: ignore[no-untyped-call]
    return m_k  # (d_model, d_model)


def rotation_error(k: int, d_model: int, n_positions: int) -> float:
    """The largest number in M_k · PE(p) - PE(p + k), over the positions from 0.

    Args:
        k: shift in positions.
        d_model: even width of the model.
        n_positions: how many p are tried.
    """
    before = positional_encoding(n_positions, d_model).double()  # (n_positions, d_model)
    after = positional_encoding(n_positions, d_model, first=k).double()
    return float((before @ rotation(k, d_model).T - after).abs().max())
