"""Positional encoding: a wave for each pair of dimensions, added to the embeddings.

No model here uses rotary positions; the lesson *Positions* draws them.
"""

import torch
from torch import Tensor


def frequencies(d_model: int) -> Tensor:
    """Return the frequency w_i = 10000^(-2i / d_model) of the wave of each pair of dimensions.

    Args:
        d_model: even width of the model.

    Returns:
        (d_model / 2,) float64, in radians per position, from 1 down to almost 1/10000.
    """
    two_i = torch.arange(0, d_model, 2, dtype=torch.float64)  # (d_model / 2,)
    return 10000.0 ** (-two_i / d_model)


def positional_encoding(n_positions: int, d_model: int, *, first: int = 0) -> Tensor:
    """Return PE(p, 2i) = sin(p w_i) and PE(p, 2i+1) = cos(p w_i).

    Args:
        n_positions: number of rows.
        d_model: even width of the model.
        first: position p of the first row, from 0.

    Returns:
        (n_positions, d_model) float32.

    Source: Vaswani et al. 2017, section 3.5.

    >>> positional_encoding(1, 4).tolist()
    [[0.0, 1.0, 0.0, 1.0]]
    """
    position = torch.arange(first, first + n_positions, dtype=torch.float64)  # (T,)
    angle = position[:, None] * frequencies(d_model)  # (T, d_model / 2)
    waves = torch.stack((angle.sin(), angle.cos()), dim=-1)  # (T, d_model / 2, 2)
    return waves.flatten(1).float()  # (T, d_model)


def wave_names(d_model: int) -> list[str]:
    """Return the name of each dimension of the positional encoding.

    >>> wave_names(4)
    ['sin 0', 'cos 0', 'sin 1', 'cos 1']
    """
    return [f"{wave} {i}" for i in range(d_model // 2) for wave in ("sin", "cos")]
