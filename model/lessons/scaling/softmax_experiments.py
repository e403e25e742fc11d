"""What the length of the vectors and a temperature do to a softmax: three numbers measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from model.maps.entropy import entropy


def draw_vectors(seed: int, *, n_draws: int, n_keys: int, d_k: int) -> tuple[Tensor, Tensor]:
    """Queries and keys whose components are independent, with mean 0 and variance 1.

    Args:
        seed: the same seed draws the same vectors.
        n_draws: R, how many queries; each has keys of its own.
        n_keys: S, keys of one query.
        d_k: length of every vector.

    Returns:
        q: (R, 1, d_k) float32 and k: (R, S, d_k) float32.
    """
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(n_draws, 1, d_k, generator=generator)
    k = torch.randn(n_draws, n_keys, d_k, generator=generator)
    return q, k


def dot_products(q: Tensor, k: Tensor, d_k: int, *, divide: bool) -> Tensor:
    """q · k of the first ``d_k`` components, divided by √d_k or not.

    Args:
        q: (R, 1, D), D >= d_k.
        k: (R, S, D).
        d_k: how many components count.
        divide: whether to divide, as the paper does.

    Returns:
        (R, S).

    Source: Vaswani et al. 2017, section 3.2.1 and its footnote 4.
    """
    scores = (q[..., :d_k] @ k[..., :d_k].transpose(-2, -1)).squeeze(-2)  # (R, S)
    return scores / math.sqrt(d_k) if divide else scores


def softmax_jacobian(weights: Tensor) -> Tensor:
    """∂α_i / ∂score_j = α_i (δ_ij - α_j): how the weights answer when a score moves.

    Args:
        weights: (..., S) results of a softmax.

    Returns:
        (..., S, S).
    """
    return torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]


def gradient_size(weights: Tensor) -> Tensor:
    """Frobenius norm of the softmax's Jacobian: what is left for training to pass through.

    Args:
        weights: (..., S) results of a softmax.

    Returns:
        (...); 0 when one key has it all.
    """
    return softmax_jacobian(weights).square().sum(dim=(-2, -1)).sqrt()


def query_gradient(weights: Tensor, k: Tensor, *, divide: bool) -> Tensor:
    """Frobenius norm of ∂α / ∂q: what of a change that training wants reaches the query.

    Args:
        weights: (..., S) results of a softmax.
        k: (..., S, d_k) the keys of the scores.
        divide: whether the scores were divided by √d_k.

    Returns:
        (...). Without the division the few queries that are undecided get very much, and the others
        nothing: see the median, not the mean.
    """
    scale = 1 / math.sqrt(k.shape[-1]) if divide else 1.0
    answer = softmax_jacobian(weights) @ k * scale  # (..., S, d_k)
    return answer.square().sum(dim=(-2, -1)).sqrt()


@dataclass(frozen=True)
class Sweep:
    """What many draws measure, for growing d_k.

    Args:
        variance: (N,) of the scores.
        entropy: (N,) of the softmax, in nats, the mean.
        gradient: (N,) size of the softmax's derivative with respect to q, the median.
    """

    variance: Tensor
    entropy: Tensor
    gradient: Tensor


def sweep(q: Tensor, k: Tensor, d_ks: Sequence[int], *, divide: bool) -> Sweep:
    """Measure scores and softmax for each length of the vectors.

    Args:
        q: (R, 1, D) from ``draw_vectors``.
        k: (R, S, D).
        d_ks: N lengths, none above D.
        divide: whether the scores are divided by √d_k.
    """
    scores = [dot_products(q, k, d_k, divide=divide) for d_k in d_ks]
    keys = [k[..., :d_k] for d_k in d_ks]
    weights = [row.softmax(dim=-1) for row in scores]
    return Sweep(
        variance=torch.stack([row.var() for row in scores]),
        entropy=torch.tensor([entropy(row.numpy()).mean() for row in weights]),
        gradient=torch.stack(
            [
                query_gradient(row, of_row, divide=divide).median()
                for row, of_row in zip(weights, keys, strict=True)
            ]
        ),
    )
