"""Positional encoding: a wave for every pair of dimensions, added to the embeddings."""

import torch
from torch import Tensor

from model.transformer.config import Frequencies, Layout


def frequencies(d_model: int, variant: Frequencies = "paper") -> Tensor:
    """w_i = 10000^(-2i / d_model), one for every pair of dimensions: (d_model / 2,) float64.

    In radians per position, from 1 down to almost 1/10000. ``"tensor2tensor"``, the authors'
    program, and others after it, spread as many waves over the whole range, to exactly 1/10000:
    w_i = 10000^(-i / (d_model / 2 - 1)).
    """
    pair = torch.arange(0, d_model, 2, dtype=torch.float64)  # 2i
    return 10000.0 ** (-pair / (d_model if variant == "paper" else max(d_model - 2, 1)))


def positional_encoding(
    n_positions: int,
    d_model: int,
    *,
    first: int = 0,
    layout: Layout = "interleaved",
    variant: Frequencies = "paper",
) -> Tensor:
    """PE(p, 2i) = sin(p w_i) and PE(p, 2i+1) = cos(p w_i): (n_positions, d_model) float32.

    Args:
        n_positions: how many rows, the first of them that of position ``first``.
        d_model: even width of the model.
        first: in tokens from the start of the sentence.
        layout: ``"halves"`` puts all sines before all cosines: the same waves in another order.
        variant: see ``frequencies``.

    Source: Vaswani et al. 2017, section 3.5.

    >>> positional_encoding(1, 4).tolist()
    [[0.0, 1.0, 0.0, 1.0]]
    """
    position = torch.arange(first, first + n_positions, dtype=torch.float64)  # (T,)
    angle = position[:, None] * frequencies(d_model, variant)  # (T, d_model / 2)
    axis = -1 if layout == "interleaved" else 1
    return torch.stack((angle.sin(), angle.cos()), dim=axis).flatten(1).float()  # (T, d_model)


def wave_names(d_model: int, layout: Layout = "interleaved") -> list[str]:
    """What each dimension of the positions is.

    >>> wave_names(4)
    ['sin 0', 'cos 0', 'sin 1', 'cos 1']
    >>> wave_names(4, "halves")
    ['sin 0', 'sin 1', 'cos 0', 'cos 1']
    """
    names = [(f"sin {i}", f"cos {i}") for i in range(d_model // 2)]
    columns = names if layout == "interleaved" else zip(*names, strict=True)
    return [name for some in columns for name in some]
