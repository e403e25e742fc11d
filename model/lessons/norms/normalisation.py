"""LayerNorm and BatchNorm: the same formula over different numbers."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

EPSILON = 1e-5  # PyTorch's


def layer_norm(x: Tensor) -> Tensor:
    """(x - μ) / √(σ² + ε) with μ and σ² over the features of each position alone.

    Args:
        x: (..., d_model).

    Returns:
        The same shape; without the learned gain and bias.

    Source: Ba et al. 2016, section 3.
    """
    mean = x.mean(dim=-1, keepdim=True)  # (..., 1)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)  # (..., 1)
    return (x - mean) / (variance + EPSILON).sqrt()


def batch_norm(x: Tensor) -> Tensor:
    """(x - μ) / √(σ² + ε) with μ and σ² over all positions of the batch, for each feature alone.

    Args:
        x: (positions, d_model): every position of every sentence, padding among them.

    Returns:
        The same shape; as in training, without the learned gain and bias.

    Source: Ioffe and Szegedy 2015, algorithm 1.
    """
    mean = x.mean(dim=0)  # (d_model,)
    variance = (x - mean).square().mean(dim=0)  # (d_model,)
    return (x - mean) / (variance + EPSILON).sqrt()


def padding_change(normalise: Callable[[Tensor], Tensor], x: Tensor, padding: Tensor) -> float:
    """Largest change of a real position's output once padding stands behind it.

    Args:
        normalise: ``layer_norm`` or ``batch_norm``.
        x: (positions, d_model) real tokens.
        padding: (P, d_model) what stands at the padded positions.
    """
    padded = normalise(torch.cat((x, padding)))  # (positions + P, d_model)
    return float((padded[: len(x)] - normalise(x)).abs().max())


def draw_batch(seed: int, *, lengths: tuple[int, ...], n_padding: int, d_model: int) -> Tensor:
    """Sentences of small whole numbers, padded with zeros to one length.

    Args:
        seed: the same seed draws the same numbers, whatever the padding.
        lengths: real tokens of each sentence.
        n_padding: padded positions after the longest sentence.
        d_model: features.

    Returns:
        (B, T, d_model) float32 with T = longest + n_padding.
    """
    generator = torch.Generator().manual_seed(seed)
    length = max(lengths) + n_padding
    batch = torch.zeros(len(lengths), length, d_model)
    for row, n in zip(batch, lengths, strict=True):
        row[:n] = torch.randint(-4, 10, (n, d_model), generator=generator).float()
    return batch
