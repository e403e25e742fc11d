"""The claims of the lesson about √d_k and the softmax are measured."""

import math

import pytest
import torch
from torch import Tensor

from model import Trace
from model.lessons import scaling
from ui.text.translator import LANGUAGES, translator

D_KS = [2**n for n in range(11)]
seeds = pytest.mark.parametrize("seed", [1, 2, 3])


@pytest.mark.parametrize("divide", [False, True])
def test_the_variance_of_the_dot_product_is_d_k_without_division_and_1_with_it(
    divide: bool,
) -> None:
    d_ks = [1, 16, 256]
    q, k = scaling.draw_vectors(0, n_draws=1000, n_keys=16, d_k=d_ks[-1])
    expected = torch.ones(len(d_ks)) if divide else torch.tensor(d_ks)
    ratio = scaling.sweep(q, k, d_ks, divide=divide).variance / expected
    assert (ratio - 1).abs().max() < 0.15


@seeds
def test_without_division_one_key_gets_nearly_all_weight_and_hardly_any_gradient_passes(
    seed: int,
) -> None:
    """As on the page. Most queries get no gradient; a mean would hide that, so it is a median."""
    q, k = scaling.draw_vectors(seed, n_draws=200, n_keys=16, d_k=D_KS[-1])
    plain, divided = (scaling.sweep(q, k, D_KS, divide=divide) for divide in (False, True))
    assert (plain.entropy.diff() < -0.001).all()
    assert plain.entropy[-1] < 0.06 * math.log(16)
    assert plain.gradient[-1] < 0.01 * plain.gradient[0]
    assert divided.entropy.min() > 0.8 * math.log(16)
    assert divided.gradient.min() > 0.9 * divided.gradient[0]
    # At small d_k, undivided scores get more gradient. The note names the d_k from which they get
    # almost none.
    assert (plain.gradient[1:7] > 1.2 * divided.gradient[1:7]).all()
    assert (plain.gradient[D_KS.index(512) :] < 0.1 * divided.gradient[D_KS.index(512) :]).all()
    for language in LANGUAGES:
        assert "d_k = 512" in translator(language).texts["scaling.drawn"]
    weights = {d: scaling.dot_products(q, k, 1024, divide=d).softmax(-1) for d in (False, True)}
    assert weights[False].amax(-1).median() > 0.99
    assert weights[True].amax(-1).median() < 0.4
    # The single rows that the page shows first agree. Not every seed gives such a clear row.
    q_1, k_1 = scaling.draw_vectors(seed, n_draws=1, n_keys=16, d_k=1024)
    largest = {
        (d_k, d): float(scaling.dot_products(q_1, k_1, d_k, divide=d).softmax(-1).max())
        for d_k in (1, 1024)
        for d in (False, True)
    }
    assert largest[1024, False] > 0.8
    assert largest[1024, True] < 0.5
    assert largest[1, False] == largest[1, True] < 0.5
    slopes = {d: scaling.query_gradient(weights[d], k, divide=d) for d in weights}
    assert slopes[False].median() < 0.01 < 0.25 < slopes[True].median() < 0.35
    assert slopes[False].mean() > 1 > slopes[True].mean()


@pytest.fixture(scope="module")
def trace(t) -> Trace:
    return t.trace("The animal didn't cross the street.")


def _vectors(trace: Trace, path: str, head: int, row: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return q, k and v in float32, as the lesson draws its own numbers."""
    q, k, v = (torch.tensor(trace.records[f"{path}.{name}"][head]).float() for name in "qkv")
    return q[row], k, v


@pytest.mark.parametrize("name", scaling.NAMES)
def test_only_location_scores_ignore_the_keys_and_only_soft_attention_has_a_gradient(
    trace, name
) -> None:
    q, k, v = _vectors(trace, "encoder.1.self", 1, 4)
    score = scaling.draw_score_functions(0, d_k=len(q), n_positions=len(k))[name]
    moved = (score(q[None], k) - score(q[None], k.flip(0))).abs().max()
    assert moved == 0 if name == "location" else moved > 1e-3
    mask = torch.ones(len(k), dtype=torch.bool)
    assert scaling.answer(score, q, k, v, mask, hard=True).gradient == 0
    assert scaling.answer(score, q, k, v, mask, hard=False).gradient > 0
    weights = scaling.answer(score, q, k, v, scaling.window(len(k), 4, 1), hard=False).weights
    # local attention gives weight inside its window only
    assert weights.nonzero().flatten().tolist() == [3, 4, 5]
    assert float(weights.sum()) == pytest.approx(1)


def _additive_scores(d_k: int, *, size: float, n: int = 40) -> torch.Tensor:
    """Return scores (n, n) of independent q and k, with initial W_1 and W_2 and a random v."""
    generator = torch.Generator().manual_seed(d_k)
    q, k = torch.randn(2, n, d_k, generator=generator)
    w_1, w_2 = torch.randn(2, d_k, d_k, generator=generator) / math.sqrt(d_k)
    v = torch.randn(d_k, generator=generator).sign() * size
    return scaling.additive(q, k, w_1, w_2, v)


def test_additive_scores_do_not_grow_with_d_k_only_if_v_is_short() -> None:
    """If the numbers of v are about 1/√d_k, scores vary as much at d_k = 1024 as at 16.

    If they are about 1, scores vary 8 times as much: the ratio of the lengths of v, √1024 / √16.
    """
    short = [float(_additive_scores(d, size=1 / math.sqrt(d)).std()) for d in (16, 1024)]
    full = [float(_additive_scores(d, size=1.0).std()) for d in (16, 1024)]
    assert short[1] == pytest.approx(short[0], rel=0.5)
    assert full[1] / full[0] == pytest.approx(8 * short[1] / short[0], rel=1e-3)
    assert full[1] > 4 * full[0]
