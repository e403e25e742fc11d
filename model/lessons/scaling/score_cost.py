"""What a score function costs: its time on this machine."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import torch

from model.lessons.scaling.score_functions import Name, ScoreFunction


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
