"""Entropy, Jacobian and sweep against autograd and sums written out."""

import math

import pytest
import torch

from model.lessons.scaling.softmax_experiments import (
    dot_products,
    draw_vectors,
    gradient_size,
    query_gradient,
    softmax_jacobian,
    sweep,
)
from model.maps.entropy import entropy


def test_entropy_by_hand():
    """Four equal weights: ln 4. All on one: 0. Halves: ln 2."""
    weights = torch.tensor([[0.25] * 4, [0, 1, 0, 0], [0.5, 0, 0.5, 0]])
    expected = torch.tensor([math.log(4), 0, math.log(2)])
    torch.testing.assert_close(torch.from_numpy(entropy(weights.numpy())), expected)


def test_the_jacobian_is_autograds():
    scores = torch.randn(5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    expected = torch.func.jacrev(lambda s: s.softmax(-1))(scores)
    torch.testing.assert_close(softmax_jacobian(scores.softmax(-1)), expected)
    assert float(gradient_size(scores.softmax(-1))) == pytest.approx(float(expected.norm()))


@pytest.mark.parametrize("divide", [False, True])
def test_the_gradient_at_q_is_autograds(divide):
    q, k = draw_vectors(1, n_draws=2, n_keys=3, d_k=5)

    def weights(query: torch.Tensor, of: int) -> torch.Tensor:
        return dot_products(query[None], k[of : of + 1], 5, divide=divide)[0].softmax(-1)

    rows = torch.stack([weights(q[of], of) for of in range(2)])
    found = query_gradient(rows, k, divide=divide)
    for of in range(2):
        slope = torch.func.jacrev(lambda query, of=of: weights(query, of))(q[of])
        assert float(found[of]) == pytest.approx(float(slope.norm()), rel=1e-5)


def test_dot_products_are_sums_of_products():
    q, k = draw_vectors(3, n_draws=2, n_keys=3, d_k=7)
    for d_k in (1, 5, 7):
        products = torch.einsum("nd,nkd->nk", q[:, 0, :d_k], k[..., :d_k])
        torch.testing.assert_close(dot_products(q, k, d_k, divide=False), products)
        divided = dot_products(q, k, d_k, divide=True)
        torch.testing.assert_close(divided, products / math.sqrt(d_k))
    again, other = (draw_vectors(seed, n_draws=2, n_keys=3, d_k=7)[1] for seed in (3, 2))
    assert torch.equal(k, again)
    assert not torch.equal(k, other)


def test_a_sweep_is_measured_of_its_draws():
    q, k = draw_vectors(1, n_draws=4, n_keys=3, d_k=8)
    result = sweep(q, k, [2, 8], divide=True)
    for place, d_k in enumerate((2, 8)):
        scores = dot_products(q, k, d_k, divide=True)
        rows = scores.softmax(-1)
        assert float(result.variance[place]) == pytest.approx(float(scores.flatten().var()))
        entropies = sum(-w * math.log(w) for w in rows.flatten().tolist()) / 4
        assert float(result.entropy[place]) == pytest.approx(entropies, rel=1e-5)
        slopes = [
            float((softmax_jacobian(row) @ of_row[:, :d_k]).norm()) / math.sqrt(d_k)
            for row, of_row in zip(rows, k, strict=True)
        ]
        assert float(result.gradient[place]) == pytest.approx(sorted(slopes)[1], rel=1e-5)
