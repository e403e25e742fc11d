"""The smoothed cross-entropy and its gradients equal those of PyTorch."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from model.training.loss import _ROWS_OF_SLICE, smoothed_cross_entropy


def inputs(n: int, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(n)
    decoded = torch.randn(n, 7, generator=generator, dtype=torch.float64).to(dtype)
    unembed = torch.randn(23, 7, generator=generator, dtype=torch.float64).to(dtype)
    labels = torch.randint(23, (n,), generator=generator)
    return decoded.requires_grad_(), unembed.requires_grad_(), labels


@pytest.mark.parametrize(
    "n", [1, _ROWS_OF_SLICE - 1, _ROWS_OF_SLICE, _ROWS_OF_SLICE + 1, 2 * _ROWS_OF_SLICE + 37]
)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss_and_gradients_computed_in_slices_equal_pytorchs(n, smoothing):
    decoded, unembed, labels = inputs(n, torch.float64)
    loss = smoothed_cross_entropy(decoded, unembed, labels, smoothing)
    (3 * loss).backward()  # factor 3: the incoming gradient must be multiplied in
    other, other_unembed, _ = inputs(n, torch.float64)
    expected = F.cross_entropy(other @ other_unembed.T, labels, label_smoothing=smoothing)
    (3 * expected).backward()
    ours = (loss, decoded.grad, unembed.grad)
    theirs = (expected, other.grad, other_unembed.grad)
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)


def test_bfloat16_gives_a_float32_loss_and_bfloat16_gradients():
    decoded, unembed, labels = inputs(100, torch.bfloat16)
    loss = smoothed_cross_entropy(decoded, unembed, labels, 0.1)
    loss.backward()
    logits = decoded.detach().double() @ unembed.detach().double().T
    exact = F.cross_entropy(logits, labels, label_smoothing=0.1)
    assert loss.dtype == torch.float32
    # bfloat16 keeps 8 bits, which is 0.4 %
    assert loss.item() == pytest.approx(exact.item(), rel=0.01)
    assert decoded.grad.dtype == unembed.grad.dtype == torch.bfloat16


def test_slices_are_added_without_rounding_to_bfloat16():
    decoded, unembed, _ = inputs(20 * _ROWS_OF_SLICE, torch.bfloat16)
    # the gradients of all slices have the same sign
    labels = torch.zeros(20 * _ROWS_OF_SLICE, dtype=torch.int64)
    smoothed_cross_entropy(decoded, unembed, labels, 0.1).backward()
    exact = unembed.detach().double().requires_grad_()
    F.cross_entropy(decoded.detach().double() @ exact.T, labels, label_smoothing=0.1).backward()
    assert (unembed.grad - exact.grad).norm() < 0.003 * exact.grad.norm()  # one rounding is 0.2 %


def test_the_loss_of_an_impossible_label_is_finite():
    decoded, unembed = torch.tensor([[1000.0]]), torch.tensor([[1.0], [-1.0]])
    loss = smoothed_cross_entropy(decoded, unembed, torch.tensor([1]), 0.0)
    assert 80 < loss.item() < 100  # -log of the smallest float32 number
