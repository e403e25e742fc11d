"""What the lesson about √d_k and the softmax says, measured."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch import Tensor

from model import Trace, load
from model.lessons.scaling.score_functions import (
    NAMES,
    additive,
    answer,
    choose,
    draw_score_functions,
    measure_costs,
    scaled_dot,
    window,
)
from model.lessons.scaling.softmax_experiments import (
    Sweep,
    dot_products,
    draw_vectors,
    gradient_size,
    query_gradient,
    sweep,
)
from model.maps.entropy import entropy

D_KS = [2**n for n in range(11)]
SEEDS = (1, 2, 3)


def _sweep(seed: int, *, divide: bool) -> Sweep:
    """As on the page."""
    q, k = draw_vectors(seed, n_draws=200, n_keys=16, d_k=D_KS[-1])
    return sweep(q, k, D_KS, divide=divide)


@pytest.mark.parametrize("divide", [False, True])
def test_the_variance_of_the_dot_product_is_d_k_and_divided_it_is_1(divide: bool) -> None:
    d_ks = [1, 4, 16, 64, 256]
    q, k = draw_vectors(0, n_draws=2000, n_keys=16, d_k=d_ks[-1])
    expected = torch.ones(len(d_ks)) if divide else torch.tensor(d_ks)
    ratio = sweep(q, k, d_ks, divide=divide).variance / expected
    assert (ratio - 1).abs().max() < 0.12


@pytest.mark.parametrize("seed", SEEDS)
def test_undivided_one_key_gets_nearly_everything_and_hardly_any_gradient_passes(seed: int) -> None:
    plain, divided = (_sweep(seed, divide=divide) for divide in (False, True))
    assert (plain.entropy.diff() < 0).all()
    assert plain.entropy[-1] < 0.06 * math.log(16)
    assert plain.gradient[-1] < 0.01 * plain.gradient[0]
    assert divided.entropy.min() > 0.8 * math.log(16)
    assert divided.gradient.min() > 0.9 * divided.gradient[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_undivided_most_queries_get_no_gradient_and_the_mean_hides_it(seed: int) -> None:
    q, k = draw_vectors(seed, n_draws=200, n_keys=16, d_k=1024)
    plain, divided = (
        query_gradient(dot_products(q, k, 1024, divide=divide).softmax(-1), k, divide=divide)
        for divide in (False, True)
    )
    assert plain.median() < 0.01 < 0.25 < divided.median() < 0.35
    assert plain.mean() > 1 > divided.mean()


@pytest.mark.parametrize("seed", SEEDS)
def test_at_1024_undivided_the_largest_weight_is_almost_1(seed: int) -> None:
    q, k = draw_vectors(seed, n_draws=200, n_keys=16, d_k=1024)
    plain, divided = (
        dot_products(q, k, 1024, divide=divide).softmax(-1).max(-1).values
        for divide in (False, True)
    )
    assert plain.median() > 0.99
    assert divided.median() < 0.4


@pytest.mark.parametrize("seed", SEEDS)
def test_one_query_shows_it_too(seed: int) -> None:
    """The single rows that the page opens with; not every draw is as clear."""
    q, k = draw_vectors(seed, n_draws=1, n_keys=16, d_k=1024)
    largest = {
        (d_k, divide): float(dot_products(q, k, d_k, divide=divide).softmax(-1).max())
        for d_k in (1, 1024)
        for divide in (False, True)
    }
    assert largest[1024, False] > 0.8
    assert largest[1024, True] < 0.5
    assert largest[1, False] == largest[1, True] < 0.5


@pytest.fixture(scope="module")
def trace(shipped_checkpoint: Path) -> Trace:
    return load(shipped_checkpoint).trace("The animal didn't cross the street.")


def _vectors(trace: Trace, path: str, head: int, place: int) -> tuple[Tensor, Tensor, Tensor]:
    q, k, v = (torch.tensor(trace.records[f"{path}.{name}"][head]) for name in "qkv")
    return q[place], k, v


def test_a_cold_softmax_is_an_argmax_and_a_hot_one_is_even(trace: Trace) -> None:
    q, k, _ = _vectors(trace, "decoder.1.cross", 0, 2)
    scores = scaled_dot(q[None], k)
    mask = torch.ones(len(k), dtype=torch.bool)
    cold, hot = (scores / 1e-3).softmax(-1), (scores / 1e4).softmax(-1)
    torch.testing.assert_close(cold, choose(scores, mask, hard=True), atol=1e-3, rtol=0)
    assert gradient_size(cold) < 1e-3
    torch.testing.assert_close(hot, torch.full_like(hot, 1 / len(k)), atol=1e-3, rtol=0)
    assert entropy(hot.numpy()).item() == pytest.approx(math.log(len(k)), abs=1e-3)


def test_without_the_division_a_head_works_at_1_over_the_root_of_d_head(trace: Trace) -> None:
    q, k, _ = _vectors(trace, "encoder.0.self", 3, 4)
    undivided = (k @ q).softmax(-1)
    tempered = (scaled_dot(q[None], k)[0] * math.sqrt(len(q))).softmax(-1)
    torch.testing.assert_close(undivided, tempered)
    assert undivided.max() > trace.encoder_self[0, 3, 4].max()


def test_only_location_answers_without_looking_at_the_keys(trace: Trace) -> None:
    q, k, _ = _vectors(trace, "decoder.2.cross", 0, 1)
    functions = draw_score_functions(0, d_k=len(q), n_positions=len(k))
    blind = {
        name
        for name in NAMES
        if torch.equal(functions[name](q[None], k), functions[name](q[None], k.flip(0)))
    }
    assert blind == {"location"}


@pytest.mark.parametrize("name", NAMES)
def test_hard_attention_has_no_gradient_and_soft_has_one(trace: Trace, name: str) -> None:
    q, k, v = _vectors(trace, "encoder.1.self", 1, 3)
    score = draw_score_functions(0, d_k=len(q), n_positions=len(k))[name]  # type: ignore[index]
    mask = torch.ones(len(k), dtype=torch.bool)
    assert answer(score, q, k, v, mask, hard=True).gradient == 0
    assert answer(score, q, k, v, mask, hard=False).gradient > 0


def test_local_attention_sees_only_its_window(trace: Trace) -> None:
    q, k, v = _vectors(trace, "encoder.1.self", 1, 4)
    for score in draw_score_functions(0, d_k=len(q), n_positions=len(k)).values():
        weights = answer(score, q, k, v, window(len(k), 4, 1), hard=False).weights
        assert weights.nonzero().flatten().tolist() == [3, 4, 5]
        assert float(weights.sum()) == pytest.approx(1)


def test_additive_costs_many_times_a_dot_product() -> None:
    functions = draw_score_functions(0, d_k=32, n_positions=256)
    costs = dict(measure_costs(functions, n=256, d_k=32, repeats=5))
    assert costs["additive"] > 5 * costs["dot"]
    assert max(costs[name] for name in NAMES if name != "additive") < costs["additive"] / 2


def _additive_scores(d_k: int, *, size: float, n: int = 40) -> torch.Tensor:
    """(n, n) scores of independent q and k with W_1, W_2 as at a start and v of such numbers."""
    generator = torch.Generator().manual_seed(d_k)
    q, k = torch.randn(2, n, d_k, generator=generator)
    w_1, w_2 = torch.randn(2, d_k, d_k, generator=generator) / math.sqrt(d_k)
    v = torch.randn(d_k, generator=generator).sign() * size
    return additive(q, k, w_1, w_2, v)


def test_additive_scores_stay_where_they_are_only_if_v_is_kept_short() -> None:
    """With numbers of 1/√d_k they vary alike at 16 and at 1024; with numbers of 1, 8 times as much.

    The factor is that of the lengths of v, √1024 / √16 = 8.
    """
    short = [float(_additive_scores(d, size=1 / math.sqrt(d)).std()) for d in (16, 1024)]
    full = [float(_additive_scores(d, size=1.0).std()) for d in (16, 1024)]
    assert short[1] == pytest.approx(short[0], rel=0.5)
    assert full[1] / full[0] == pytest.approx(8 * short[1] / short[0], rel=1e-3)
    assert full[1] > 4 * full[0]


@pytest.mark.parametrize("d_k", [4, 64])
def test_an_additive_score_is_never_larger_than_the_sum_of_the_sizes_in_v(d_k: int) -> None:
    q, k = 1000 * torch.randn(2, 50, d_k, generator=torch.Generator().manual_seed(0))
    v = torch.randn(d_k, generator=torch.Generator().manual_seed(1))
    bound = float(v.abs().sum())
    scores = additive(q, k, torch.eye(d_k), torch.eye(d_k), v)
    assert float(scores.abs().max()) <= bound * (1 + 1e-6)
    assert float(dot_products(q[:, None], k[None], d_k, divide=True).abs().max()) > 100 * bound
