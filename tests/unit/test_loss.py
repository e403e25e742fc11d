"""The loss made slice by slice is PyTorch's cross-entropy, and so are its gradients."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from model.training.loss import _ROWS, smoothed_cross_entropy

D_MODEL, V = 7, 23
TOLERANCE = {torch.float32: 1e-6, torch.float64: 1e-12}


def inputs(n: int, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(n)
    decoded = torch.randn(n, D_MODEL, generator=generator, dtype=torch.float64).to(dtype)
    unembed = torch.randn(V, D_MODEL, generator=generator, dtype=torch.float64).to(dtype)
    labels = torch.randint(V, (n,), generator=generator)
    return decoded.requires_grad_(), unembed.requires_grad_(), labels


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("n", [1, _ROWS - 1, _ROWS, _ROWS + 1, 2 * _ROWS + 37])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_value_and_gradients_are_pytorchs(n, dtype, smoothing):
    decoded, unembed, labels = inputs(n, dtype)
    loss = smoothed_cross_entropy(decoded, unembed, labels, smoothing)
    (3 * loss).backward()  # 3: what comes from above must be passed on
    other, other_unembed, _ = inputs(n, dtype)
    expected = F.cross_entropy(other @ other_unembed.T, labels, label_smoothing=smoothing)
    (3 * expected).backward()
    tolerance = TOLERANCE[dtype]
    torch.testing.assert_close(loss, expected, rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(decoded.grad, other.grad, rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(unembed.grad, other_unembed.grad, rtol=tolerance, atol=tolerance)


def test_even_scores_cost_the_logarithm_of_the_vocabulary():
    loss = smoothed_cross_entropy(
        torch.zeros(5, D_MODEL), torch.ones(V, D_MODEL), torch.arange(5), 0.1
    )
    assert loss.item() == pytest.approx(math.log(V), rel=1e-6)


def test_bfloat16_gives_a_float32_loss_and_bfloat16_gradients():
    decoded, unembed, labels = inputs(100, torch.bfloat16)
    loss = smoothed_cross_entropy(decoded, unembed, labels, 0.1)
    loss.backward()
    exact = F.cross_entropy(
        decoded.detach().double() @ unembed.detach().double().T, labels, label_smoothing=0.1
    )
    assert loss.dtype == torch.float32
    assert loss.item() == pytest.approx(exact.item(), rel=0.01)  # bfloat16 keeps 8 bits: 0.4 %
    assert decoded.grad is not None
    assert unembed.grad is not None
    assert decoded.grad.dtype == unembed.grad.dtype == torch.bfloat16


def test_the_loss_of_an_impossible_label_is_finite():
    decoded = torch.tensor([[1000.0]])
    unembed = torch.tensor([[1.0], [-1.0]])
    loss = smoothed_cross_entropy(decoded, unembed, torch.tensor([1]), 0.0)
    assert 80 < loss.item() < 100  # -log of the smallest float32
