"""The lesson about scores: score functions, softmax, its Jacobian and its gradients."""

import math

import pytest
import torch
from torch.nn import functional as F

from model.lessons import scaling

T, S, D_K, D_V = 3, 5, 7, 2


def _drawn(*shape: int, seed: int = 0):
    generator = torch.Generator().manual_seed(seed + sum(shape))
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


Q, K, V = _drawn(T, D_K), _drawn(S, D_K), _drawn(S, D_V)


W_1, W_2, W_V = _drawn(D_K, D_K), _drawn(D_K, D_K, seed=1), _drawn(D_K)


SCORES = scaling.draw_score_functions(0, d_k=D_K, n_positions=S + 4)


def test_each_score_function_follows_its_formula():
    sums = (Q @ W_1.T)[:, None] + (K @ W_2.T)[None]  # (T, S, d_k)
    q, k, identity = Q.float(), K.float(), torch.eye(D_K)
    w, locations = (
        SCORES["general"](identity, identity),
        SCORES["location"](identity, torch.zeros(S + 4, D_K)).T,
    )
    for scores, expected in (
        (SCORES["dot"](q, k), q @ k.T),
        (SCORES["scaled"](q, k), q @ k.T / math.sqrt(D_K)),
        (SCORES["general"](q, k), torch.einsum("td,de,se->ts", q, w, k)),
        (scaling.additive(Q, K, W_1, W_2, W_V), sums.tanh() @ W_V),
        (SCORES["cosine"](q, k), F.cosine_similarity(q[:, None], k[None], dim=-1)),
        (SCORES["location"](q, k), q @ locations[:S].T),
    ):
        torch.testing.assert_close(scores, expected)


def test_all_six_score_functions_exist_and_the_same_seed_gives_the_same_parameters():
    first, again, other = (
        scaling.draw_score_functions(s, d_k=D_K, n_positions=S) for s in (1, 1, 2)
    )
    assert tuple(first) == scaling.NAMES
    q, k = Q.float(), K.float()
    for name in scaling.NAMES:
        assert torch.equal(first[name](q, k), again[name](q, k))
        drawn = name in ("general", "additive", "location")
        assert torch.equal(first[name](q, k), other[name](q, k)) != drawn


@pytest.mark.parametrize(
    ("center", "reach", "visible"),
    [(0, 0, [0]), (2, 1, [1, 2, 3]), (0, 2, [0, 1, 2]), (9, 1, [3, 4]), (2, 99, [0, 1, 2, 3, 4])],
)
def test_a_window_contains_at_least_one_position(center, reach, visible):
    assert scaling.window(S, center, reach).nonzero().flatten().tolist() == visible


def test_a_soft_choice_is_a_softmax_and_a_hard_one_takes_the_best_visible_key():
    """e^0 : e^ln3 = 1 : 3. The best key is hidden, so a hard choice takes the second best."""
    scores = torch.tensor([[0.0, math.log(3), 9.0]])
    mask = torch.tensor([True, True, False])
    soft = scaling.choose(scores, mask, hard=False)
    torch.testing.assert_close(soft, torch.tensor([[0.25, 0.75, 0]]))
    assert scaling.choose(scores, mask, hard=True).tolist() == [[0, 1, 0]]


def test_the_output_is_a_weighted_sum_and_its_gradient_equals_autograds():
    q = Q[0]
    result = scaling.answer(SCORES["dot"], q, K, V, torch.ones(S, dtype=torch.bool), hard=False)
    torch.testing.assert_close(result.output, (K @ q).softmax(0) @ V)
    slopes = torch.func.jacrev(lambda q: (K @ q).softmax(0) @ V)(q)
    assert result.gradient == pytest.approx(float(slopes.norm()))


def test_the_jacobian_of_softmax_equals_autograds():
    scores = torch.randn(5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    expected = torch.func.jacrev(lambda s: s.softmax(-1))(scores)
    torch.testing.assert_close(scaling.softmax_jacobian(scores.softmax(-1)), expected)
    assert float(scaling.gradient_size(scores.softmax(-1))) == pytest.approx(float(expected.norm()))


@pytest.mark.parametrize("divide", [False, True])
def test_the_gradient_of_a_query_equals_autograds(divide):
    q, k = scaling.draw_vectors(1, n_draws=2, n_keys=3, d_k=5)

    def weights(query: torch.Tensor, row: int) -> torch.Tensor:
        return scaling.dot_products(query[None], k[row : row + 1], 5, divide=divide)[0].softmax(-1)

    rows = torch.stack([weights(q[row], row) for row in range(2)])
    gradient = scaling.query_gradient(rows, k, divide=divide)
    for row in range(2):
        slope = torch.func.jacrev(lambda query, row=row: weights(query, row))(q[row])
        assert float(gradient[row]) == pytest.approx(float(slope.norm()), rel=1e-5)


def test_dot_products_are_sums_of_products():
    q, k = scaling.draw_vectors(3, n_draws=2, n_keys=3, d_k=7)
    for d_k in (1, 5, 7):
        products = torch.einsum("nd,nkd->nk", q[:, 0, :d_k], k[..., :d_k])
        torch.testing.assert_close(scaling.dot_products(q, k, d_k, divide=False), products)
        divided = scaling.dot_products(q, k, d_k, divide=True)
        torch.testing.assert_close(divided, products / math.sqrt(d_k))
    again, other = (scaling.draw_vectors(seed, n_draws=2, n_keys=3, d_k=7)[1] for seed in (3, 2))
    assert torch.equal(k, again)
    assert not torch.equal(k, other)


def test_a_sweep_measures_its_own_draws():
    q, k = scaling.draw_vectors(1, n_draws=4, n_keys=3, d_k=8)
    result = scaling.sweep(q, k, [2, 8], divide=True)
    for n, d_k in enumerate((2, 8)):
        scores = scaling.dot_products(q, k, d_k, divide=True)
        rows = scores.softmax(-1)
        assert float(result.variance[n]) == pytest.approx(float(scores.flatten().var()))
        entropies = sum(-w * math.log(w) for w in rows.flatten().tolist()) / 4
        assert float(result.entropy[n]) == pytest.approx(entropies, rel=1e-5)
        slopes = [
            float((scaling.softmax_jacobian(row) @ of_row[:, :d_k]).norm()) / math.sqrt(d_k)
            for row, of_row in zip(rows, k, strict=True)
        ]
        assert float(result.gradient[n]) == pytest.approx(sorted(slopes)[1], rel=1e-5)
