"""Positional encoding: a wave for every pair of dimensions, added to the embeddings."""

import torch
from torch import Tensor

from model.transformer.config import Frequencies, Layout


def frequencies(d_model: int, variant: Frequencies = "paper") -> Tensor:
    """Return the frequency of the wave of every pair of dimensions.

    Args:
        d_model: even width of the model.
        variant: ``"paper"`` is w_i = 10000^(-2i / d_model), from 1 down to almost 1/10000.
            ``"tensor2tensor"``, the program of the paper's authors, spreads as many waves down to
            exactly 1/10000: w_i = 10000^(-i / (d_model / 2 - 1)). Others copied it.

    Returns:
        (d_model / 2,) float64, in radians per position.
    """
    two_i = torch.arange(0, d_model, 2, dtype=torch.float64)  # (d_model / 2,)
    divisor = d_model if variant == "paper" else max(d_model - 2, 1)
    return 10000.0 ** (-two_i / divisor)


def positional_encoding(
    n_positions: int,
    d_model: int,
    *,
    first: int = 0,
    layout: Layout = "interleaved",
    variant: Frequencies = "paper",
) -> Tensor:
    """Return PE(p, 2i) = sin(p w_i) and PE(p, 2i+1) = cos(p w_i).

    Args:
        n_positions: number of rows.
        d_model: even width of the model.
        first: position p of the first row, from 0.
        layout: ``"interleaved"`` puts each cosine after its sine, as the paper does; ``"halves"``
            puts all sines before all cosines.
        variant: see ``frequencies``.

    Returns:
        (n_positions, d_model) float32.

    Source: Vaswani et al. 2017, section 3.5.

    >>> positional_encoding(1, 4).tolist()
    [[0.0, 1.0, 0.0, 1.0]]
    """
    position = torch.arange(first, first + n_positions, dtype=torch.float64)  # (T,)
    angle = position[:, None] * frequencies(d_model, variant)  # (T, d_model / 2)
    axis = -1 if layout == "interleaved" else 1
    waves = torch.stack((angle.sin(), angle.cos()), dim=axis)  # (T, d_model / 2, 2) or (T, 2, ...)
    return waves.flatten(1).float()  # (T, d_model)


def wave_names(d_model: int, layout: Layout = "interleaved") -> list[str]:
    """Return the name of each dimension of the positional encoding.

    >>> wave_names(4)
    ['sin 0', 'cos 0', 'sin 1', 'cos 1']
    >>> wave_names(4, "halves")
    ['sin 0', 'sin 1', 'cos 0', 'cos 1']
    """
    sines = [f"sin {i}" for i in range(d_model // 2)]
    cosines = [f"cos {i}" for i in range(d_model // 2)]
    if layout == "halves":
        return sines + cosines
    return [name for pair in zip(sines, cosines, strict=True) for name in pair]
