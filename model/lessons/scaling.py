"""Lesson: why scores are divided by √d_k; other score functions; other ways to choose keys.

A score function takes q (T, d_k) and k (S, d_k), and returns scores (T, S).
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn import functional as F

from model.maps.measures import entropy
from model.timing import quickest_run

ScoreFunction = Callable[[Tensor, Tensor], Tensor]
Name = Literal["dot", "scaled", "general", "additive", "cosine", "location"]
NAMES: tuple[Name, ...] = get_args(Name)


def draw_vectors(seed: int, *, n_draws: int, n_keys: int, d_k: int) -> tuple[Tensor, Tensor]:
    """Draw queries and keys with independent components of mean 0 and variance 1.

    Args:
        seed: the same seed gives the same vectors.
        n_draws: R queries, each with keys of its own.
        n_keys: S keys of each query.
        d_k: length of the vectors.

    Returns:
        q (R, 1, d_k) and k (R, S, d_k), float32.
    """
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(n_draws, 1, d_k, generator=generator)
    k = torch.randn(n_draws, n_keys, d_k, generator=generator)
    return q, k


def dot_products(q: Tensor, k: Tensor, d_k: int, *, divide: bool) -> Tensor:
    """Return q · k over the first ``d_k`` components.

    Args:
        q: (R, 1, D).
        k: (R, S, D).
        d_k: at most D.
        divide: whether the products are divided by √d_k, as in the paper.

    Returns:
        (R, S).

    Source: Vaswani et al. 2017, section 3.2.1 and its footnote 4.
    """
    scores = (q[..., :d_k] @ k[..., :d_k].transpose(-2, -1)).squeeze(-2)  # (R, S)
    return scores / math.sqrt(d_k) if divide else scores


def softmax_jacobian(weights: Tensor) -> Tensor:
    """Return the softmax Jacobian ∂α_i / ∂score_j = α_i (δ_ij - α_j) for weights α.

    (..., S) -> (..., S, S).
    """
    return torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]


def gradient_size(weights: Tensor) -> Tensor:
    """Return the Frobenius norm of the softmax Jacobian: (..., S) -> (...).

    It says how much of a gradient passes through the softmax; it is 0 if one key has all weight.
    """
    return softmax_jacobian(weights).square().sum(dim=(-2, -1)).sqrt()


def query_gradient(weights: Tensor, k: Tensor, *, divide: bool) -> Tensor:
    """Return the Frobenius norm of ∂α / ∂q, which scales the gradient that reaches the query.

    Without the division, and with long vectors, the few undecided queries get a very large
    gradient and all others nearly none: look at the median, not at the mean.

    Args:
        weights: (..., S), softmax of scores.
        k: (..., S, d_k).
        divide: whether the scores were divided by √d_k.

    Returns:
        (...).
    """
    scale = 1 / math.sqrt(k.shape[-1]) if divide else 1.0
    jacobian = softmax_jacobian(weights) @ k * scale  # (..., S, d_k)
    return jacobian.square().sum(dim=(-2, -1)).sqrt()


@dataclass(frozen=True)
class Sweep:
    """Statistics of random scores for N values of d_k."""

    variance: Tensor  # (N,) variance of the scores
    entropy: Tensor  # (N,) mean entropy of the softmax, in nats
    gradient: Tensor  # (N,) median of ``query_gradient``


def sweep(q: Tensor, k: Tensor, d_ks: Sequence[int], *, divide: bool) -> Sweep:
    """Measure scores and softmax for increasing d_k.

    Args:
        q: (R, 1, D), from ``draw_vectors``.
        k: (R, S, D), from ``draw_vectors``.
        d_ks: N lengths, none above D; of each vector the first components are used.
        divide: whether the scores are divided by √d_k.
    """
    variances = []
    entropies = []
    gradients = []
    for d_k in d_ks:
        scores = dot_products(q, k, d_k, divide=divide)  # (R, S)
        weights = scores.softmax(dim=-1)  # (R, S)
        variances.append(scores.var())
        entropies.append(torch.tensor(entropy(weights.numpy()).mean()))
        gradients.append(query_gradient(weights, k[..., :d_k], divide=divide).median())
    return Sweep(torch.stack(variances), torch.stack(entropies), torch.stack(gradients))


def scaled_dot(q: Tensor, k: Tensor) -> Tensor:
    """Return qᵀ k / √d_k. Source: Vaswani et al. 2017, section 3.2.1."""
    return q @ k.T / math.sqrt(q.shape[-1])  # (T, S)


def additive(q: Tensor, k: Tensor, w_1: Tensor, w_2: Tensor, v: Tensor) -> Tensor:
    """Return the additive score vᵀ tanh(W_1 q + W_2 k).

    Args:
        q: (T, d_k).
        k: (S, d_k).
        w_1: (d_k, d_k).
        w_2: (d_k, d_k).
        v: (d_k,).

    Returns:
        (T, S).

    Source: Bahdanau et al. 2015, appendix A.1.2.
    """
    from_queries = (q @ w_1.T)[:, None, :]  # (T, 1, d_k)
    from_keys = (k @ w_2.T)[None, :, :]  # (1, S, d_k)
    hidden = (from_queries + from_keys).tanh()  # (T, S, d_k)
    return hidden @ v  # (T, S)


def draw_score_functions(seed: int, *, d_k: int, n_positions: int) -> dict[Name, ScoreFunction]:
    """Return all six score functions, with parameters drawn from N(0, 1 / d_k).

    Args:
        seed: of the parameters.
        d_k: length of queries and keys.
        n_positions: the most keys that the location-based score has a vector for.

    Source: Luong et al. 2015, section 3.1 (dot, general and location); Graves et al. 2014, section
    3.3.1 (cosine).
    """
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator) / math.sqrt(d_k)

    w = draw(d_k, d_k)
    w_1 = draw(d_k, d_k)
    w_2 = draw(d_k, d_k)
    v = draw(d_k)
    locations = draw(n_positions, d_k)
    return {
        "dot": lambda q, k: q @ k.T,
        "scaled": scaled_dot,
        "general": lambda q, k: q @ w @ k.T,
        "additive": lambda q, k: additive(q, k, w_1, w_2, v),
        "cosine": lambda q, k: F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).T,  # in [-1, 1]
        "location": lambda q, k: q @ locations[: len(k)].T,  # ignores the keys
    }


def window(n_keys: int, center: int, reach: int) -> Tensor:
    """Return the mask of local attention: the keys from center - reach to center + reach.

    Args:
        n_keys: S.
        center: from 0; a center after the last key is moved to the last key.
        reach: keys to each side.

    Returns:
        (S,) bool; True = may attend.

    Source: Luong et al. 2015, section 3.2, local-m.
    """
    distance = (torch.arange(n_keys) - min(center, n_keys - 1)).abs()  # (S,)
    return distance <= reach


def choose(scores: Tensor, mask: Tensor, *, hard: bool) -> Tensor:
    """Turn scores into attention weights, by softmax or by choosing the largest score.

    Args:
        scores: (T, S).
        mask: (S,) bool; True = may attend.
        hard: True gives all weight to the best key, False is a softmax.

    Returns:
        (T, S); rows sum to 1.
    """
    masked_scores = scores.masked_fill(~mask, -math.inf)  # (T, S)
    if hard:
        return F.one_hot(masked_scores.argmax(dim=-1), scores.shape[-1]).to(scores.dtype)
    return masked_scores.softmax(dim=-1)


@dataclass(frozen=True)
class Answer:
    """The attention weights and the output for one query with one score function."""

    weights: Tensor  # (S,), summing to 1
    output: Tensor  # (d_v,), the weighted sum of the values
    gradient: float  # Frobenius norm of ∂output / ∂q: how much the output moves with the query


def answer(
    score: ScoreFunction, q: Tensor, k: Tensor, v: Tensor, mask: Tensor, *, hard: bool
) -> Answer:
    """Compute the attention of one query.

    Args:
        score: the score function.
        q: (d_k,).
        k: (S, d_k).
        v: (S, d_v).
        mask: (S,) bool; True = may attend.
        hard: as for ``choose``.
    """

    def weights_of(q: Tensor) -> Tensor:
        scores = score(q[None], k)  # (1, S)
        return choose(scores, mask, hard=hard)[0]  # (S,)

    # torch.func could compute this Jacobian, but takes seconds to import.
    jacobian: Tensor = torch.autograd.functional.jacobian(  # type: ignore[no-untyped-call]
        lambda q: weights_of(q) @ v, q
    )  # (d_v, d_k)
    weights = weights_of(q)
    return Answer(weights=weights, output=weights @ v, gradient=float(jacobian.norm()))


def measure_costs(
    score_functions: Mapping[Name, ScoreFunction], *, n: int, d_k: int, repeats: int
) -> Iterator[tuple[Name, float]]:
    """Time each score function on n queries and n keys.

    Args:
        score_functions: by name.
        n: how many queries, and how many keys.
        d_k: length of these vectors.
        repeats: runs of which the quickest counts.

    Yields:
        The name of a function, and the seconds of one run.
    """
    q, k = torch.randn(2, n, d_k, generator=torch.Generator().manual_seed(0))  # (n, d_k) each
    for name, score in score_functions.items():
        with torch.inference_mode():
            seconds = quickest_run(partial(score, q, k), repeats=repeats)
        yield name, seconds
