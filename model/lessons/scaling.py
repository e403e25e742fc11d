"""Lesson: why scores are divided by √d_k, and other ways to score and to choose.

In score functions q is (T, d_k) and k is (S, d_k); every one returns (T, S).
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
    """Queries and keys whose components are independent, with mean 0 and variance 1.

    R = ``n_draws`` queries, each with S = ``n_keys`` keys of its own: q (R, 1, d_k) and k
    (R, S, d_k), both float32.
    """
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(n_draws, 1, d_k, generator=generator)
    k = torch.randn(n_draws, n_keys, d_k, generator=generator)
    return q, k


def dot_products(q: Tensor, k: Tensor, d_k: int, *, divide: bool) -> Tensor:
    """q · k of the first ``d_k`` components, divided by √d_k, as the paper does, or not.

    q (R, 1, D) and k (R, S, D), D >= d_k -> (R, S).

    Source: Vaswani et al. 2017, section 3.2.1 and its footnote 4.
    """
    scores = (q[..., :d_k] @ k[..., :d_k].transpose(-2, -1)).squeeze(-2)  # (R, S)
    return scores / math.sqrt(d_k) if divide else scores


def softmax_jacobian(weights: Tensor) -> Tensor:
    """∂α_i / ∂score_j = α_i (δ_ij - α_j) of results of a softmax: (..., S) -> (..., S, S)."""
    return torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]


def gradient_size(weights: Tensor) -> Tensor:
    """Frobenius norm of the softmax's Jacobian: what is left for training to pass through.

    (..., S) -> (...); 0 when one key has it all.
    """
    return softmax_jacobian(weights).square().sum(dim=(-2, -1)).sqrt()


def query_gradient(weights: Tensor, k: Tensor, *, divide: bool) -> Tensor:
    """Frobenius norm of ∂α / ∂q: what of a change that training wants reaches the query.

    Weights (..., S) from a softmax of scores, divided by √d_k or not, and keys (..., S, d_k) ->
    (...). Without the division the few queries that are undecided get very much, and the others
    nothing: see the median, not the mean.
    """
    scale = 1 / math.sqrt(k.shape[-1]) if divide else 1.0
    jacobian = softmax_jacobian(weights) @ k * scale  # (..., S, d_k)
    return jacobian.square().sum(dim=(-2, -1)).sqrt()


@dataclass(frozen=True)
class Sweep:
    """What many draws measure, for N growing d_k."""

    variance: Tensor  # (N,) of the scores
    entropy: Tensor  # (N,) of the softmax, in nats, the mean
    gradient: Tensor  # (N,) size of the softmax's derivative with respect to q, the median


def sweep(q: Tensor, k: Tensor, d_ks: Sequence[int], *, divide: bool) -> Sweep:
    """Measure scores, divided by √d_k or not, and softmax for each of N lengths of the vectors.

    q (R, 1, D) and k (R, S, D) are from ``draw_vectors``, no length is above D.
    """
    found = []
    for d_k in d_ks:
        scores = dot_products(q, k, d_k, divide=divide)  # (R, S)
        weights = scores.softmax(dim=-1)  # (R, S)
        gradients = query_gradient(weights, k[..., :d_k], divide=divide)  # (R,)
        mean_entropy = torch.tensor(entropy(weights.numpy()).mean())
        found.append((scores.var(), mean_entropy, gradients.median()))
    return Sweep(*(torch.stack(values) for values in zip(*found, strict=True)))


def scaled_dot(q: Tensor, k: Tensor) -> Tensor:
    """qᵀ k / √d_k. Source: Vaswani et al. 2017, section 3.2.1."""
    return q @ k.T / math.sqrt(q.shape[-1])  # (T, S)


def additive(q: Tensor, k: Tensor, w_1: Tensor, w_2: Tensor, v: Tensor) -> Tensor:
    """vᵀ tanh(W_1 q + W_2 k) with W_1, W_2 (d_k, d_k) and v (d_k,).

    Source: Bahdanau et al. 2015, appendix A.1.2.
    """
    hidden = ((q @ w_1.T)[:, None, :] + (k @ w_2.T)[None, :, :]).tanh()  # (T, S, d_k)
    return hidden @ v  # (T, S)


def draw_score_functions(seed: int, *, d_k: int, n_positions: int) -> dict[Name, ScoreFunction]:
    """All six, those with parameters of their own, from N(0, 1 / d_k), as before any training.

    ``n_positions`` is the most keys that the location-based score knows a place for.

    Source: Luong et al. 2015, section 3.1 (dot, general and location); Graves et al. 2014, section
    3.3.1 (cosine).
    """
    generator = torch.Generator().manual_seed(seed)

    def drawn(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator) / math.sqrt(d_k)

    w, w_1, w_2 = drawn(d_k, d_k), drawn(d_k, d_k), drawn(d_k, d_k)
    v, places = drawn(d_k), drawn(n_positions, d_k)
    return {
        "dot": lambda q, k: q @ k.T,
        "scaled": scaled_dot,
        "general": lambda q, k: q @ w @ k.T,
        "additive": lambda q, k: additive(q, k, w_1, w_2, v),
        "cosine": lambda q, k: F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).T,  # in [-1, 1]
        "location": lambda q, k: q @ places[: len(k)].T,  # of a place, whatever stands there
    }


def window(n_keys: int, center: int, reach: int) -> Tensor:
    """Local attention looks only at the keys from center - reach to center + reach.

    A center behind the last key moves back to it. (n_keys,) bool; True = may attend.

    Source: Luong et al. 2015, section 3.2, local-m.
    """
    return (torch.arange(n_keys) - min(center, n_keys - 1)).abs() <= reach


def choose(scores: Tensor, mask: Tensor, *, hard: bool) -> Tensor:
    """Scores to weights: a softmax, or with ``hard`` all of it to the best key.

    (T, S), and (S,) bool with True = may attend -> (T, S), rows summing to 1.
    """
    masked_scores = scores.masked_fill(~mask, -math.inf)  # (T, S)
    if hard:
        return F.one_hot(masked_scores.argmax(dim=-1), scores.shape[-1]).to(scores.dtype)
    return masked_scores.softmax(dim=-1)


@dataclass(frozen=True)
class Answer:
    """What one query gets with one score function."""

    weights: Tensor  # (S,), summing to 1
    output: Tensor  # (d_v,), the mixture of the values
    gradient: float  # |∂output / ∂q|, Frobenius norm: how the output answers when the query moves


def answer(
    score: ScoreFunction, q: Tensor, k: Tensor, v: Tensor, mask: Tensor, *, hard: bool
) -> Answer:
    """Attend with one query: q (d_k,), k (S, d_k), v (S, d_v); the others as for ``choose``."""

    def weights_of(q: Tensor) -> Tensor:
        return choose(score(q[None], k), mask, hard=hard)[0]  # (S,)

    # torch.func would do the same, but takes seconds to load
    jacobian: Tensor = torch.autograd.functional.jacobian(  # type: ignore[no-untyped-call]
        lambda q: weights_of(q) @ v, q
    )  # (d_v, d_k)
    weights = weights_of(q)
    return Answer(weights, weights @ v, float(jacobian.norm()))


def measure_costs(
    score_functions: Mapping[Name, ScoreFunction], *, n: int, d_k: int, repeats: int
) -> Iterator[tuple[Name, float]]:
    """Time every score function on n queries and n keys.

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
