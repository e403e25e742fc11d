"""How well does a query fit a key? Six answers, and four ways to choose by them.

q is (T, d_k), k is (S, d_k); every score function returns (T, S).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

ScoreFunction = Callable[[Tensor, Tensor], Tensor]
Name = Literal["dot", "scaled", "general", "additive", "cosine", "location"]
NAMES: tuple[Name, ...] = get_args(Name)


def dot(q: Tensor, k: Tensor) -> Tensor:
    """qᵀ k. Source: Luong et al. 2015, section 3.1."""
    return q @ k.T  # (T, S)


def scaled_dot(q: Tensor, k: Tensor) -> Tensor:
    """qᵀ k / √d_k. Source: Vaswani et al. 2017, section 3.2.1."""
    return q @ k.T / math.sqrt(q.shape[-1])  # (T, S)


def general(q: Tensor, k: Tensor, w: Tensor) -> Tensor:
    """qᵀ W k with W (d_k, d_k). Source: Luong et al. 2015, section 3.1."""
    return q @ w @ k.T  # (T, S)


def additive(q: Tensor, k: Tensor, w_1: Tensor, w_2: Tensor, v: Tensor) -> Tensor:
    """vᵀ tanh(W_1 q + W_2 k) with W_1, W_2 (d_k, d_k) and v (d_k,).

    Source: Bahdanau et al. 2015, appendix A.1.2.
    """
    hidden = ((q @ w_1.T)[:, None, :] + (k @ w_2.T)[None, :, :]).tanh()  # (T, S, d_k)
    return hidden @ v  # (T, S)


def cosine(q: Tensor, k: Tensor) -> Tensor:
    """qᵀ k / (|q| |k|), in [-1, 1]. Source: Graves et al. 2014, section 3.3.1."""
    return torch.nn.functional.normalize(q, dim=-1) @ torch.nn.functional.normalize(k, dim=-1).T


def location(q: Tensor, k: Tensor, w: Tensor) -> Tensor:
    """W q with W (n_positions, d_k): a score for every place, whatever stands there.

    Source: Luong et al. 2015, section 3.1.
    """
    return q @ w[: len(k)].T  # (T, S)


def draw_score_functions(seed: int, *, d_k: int, n_positions: int) -> dict[Name, ScoreFunction]:
    """All six, those with parameters of their own as they are before any training.

    Args:
        seed: of the parameters, drawn from N(0, 1 / d_k).
        d_k: length of queries and keys.
        n_positions: most keys that the location-based score knows a place for.
    """
    generator = torch.Generator().manual_seed(seed)

    def drawn(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator) / math.sqrt(d_k)

    w, w_1, w_2 = drawn(d_k, d_k), drawn(d_k, d_k), drawn(d_k, d_k)
    v, places = drawn(d_k), drawn(n_positions, d_k)
    return {
        "dot": dot,
        "scaled": scaled_dot,
        "general": lambda q, k: general(q, k, w),
        "additive": lambda q, k: additive(q, k, w_1, w_2, v),
        "cosine": cosine,
        "location": lambda q, k: location(q, k, places),
    }


def window(n_keys: int, center: int, reach: int) -> Tensor:
    """Local attention looks only at the keys from center - reach to center + reach.

    Args:
        n_keys: S.
        center: the middle of the window; behind the last key it moves back to it.
        reach: D, keys to either side.

    Returns:
        (S,) bool; True = may attend. Never empty.

    Source: Luong et al. 2015, section 3.2, local-m.
    """
    return (torch.arange(n_keys) - min(center, n_keys - 1)).abs() <= reach


def choose(scores: Tensor, mask: Tensor, *, hard: bool) -> Tensor:
    """Scores to weights: a softmax, or all of it to the best key.

    Args:
        scores: (T, S).
        mask: (S,) bool; True = may attend.
        hard: argmax instead of softmax.

    Returns:
        (T, S), rows summing to 1.
    """
    masked_scores = scores.masked_fill(~mask, -math.inf)  # (T, S)
    if hard:
        best = masked_scores.argmax(dim=-1)  # (T,)
        return torch.nn.functional.one_hot(best, scores.shape[-1]).to(scores.dtype)
    return masked_scores.softmax(dim=-1)


@dataclass(frozen=True)
class Answer:
    """What one query gets with one score function.

    Args:
        weights: (S,), summing to 1.
        output: (d_v,), the mixture of the values.
        gradient: |∂output / ∂q|, Frobenius norm: how the output answers when the query moves.
    """

    weights: Tensor
    output: Tensor
    gradient: float


def answer(
    score: ScoreFunction, q: Tensor, k: Tensor, v: Tensor, mask: Tensor, *, hard: bool
) -> Answer:
    """Attend with one query.

    Args:
        score: one of ``draw_score_functions``.
        q: (d_k,).
        k: (S, d_k).
        v: (S, d_v).
        mask: (S,) bool; True = may attend.
        hard: argmax instead of softmax.
    """

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
    """Time every function on n queries and n keys, one function after the other.

    Args:
        score_functions: as ``draw_score_functions`` gives them, with at least n positions.
        n: queries, and as many keys.
        d_k: their length.
        repeats: runs of each; the quickest counts, since whatever else runs only adds.

    Yields:
        A name and the seconds of one run.
    """
    q, k = torch.randn(2, n, d_k, generator=torch.Generator().manual_seed(0))
    for name, score in score_functions.items():
        with torch.inference_mode():
            score(q, k)  # the first run also asks the system for memory
            yield name, min(_seconds(score, q, k) for _ in range(repeats))


def _seconds(score: ScoreFunction, q: torch.Tensor, k: torch.Tensor) -> float:
    begin = time.perf_counter()
    score(q, k)
    return time.perf_counter() - begin
