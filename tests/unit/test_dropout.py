"""Dropout from a pool of masks: how much is dropped, by what the rest grows, and when."""

from __future__ import annotations

import math

import pytest
import torch

from model.nn import dropout as module
from model.nn.dropout import Dropout


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_a_share_of_p_is_zero_and_the_rest_keeps_the_sum(p):
    """Of 310,000 values the share of zeros stays within five standard deviations of p."""
    torch.manual_seed(1)
    x = torch.ones(10, 31, 1000)
    out = Dropout(p).train()(x)
    assert out.shape == x.shape
    assert set(out.unique().tolist()) == {0.0, torch.tensor(1 / (1 - p)).item()}
    share = (out == 0).float().mean().item()
    assert abs(share - p) < 5 * math.sqrt(p * (1 - p) / x.numel())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_the_dtype_stays(dtype):
    assert Dropout(0.3).train()(torch.ones(3, 5, dtype=dtype)).dtype == dtype


def test_every_call_drops_other_values_and_a_seed_the_same_again():
    layer, x = Dropout(0.5).train(), torch.ones(7, 11)
    torch.manual_seed(2)
    first, second = layer(x), layer(x)
    assert not torch.equal(first, second)
    torch.manual_seed(2)
    assert torch.equal(layer(x), first)


def test_nothing_is_dropped_after_training_or_with_probability_0():
    x = torch.randn(3, 5)
    assert Dropout(0.5).eval()(x) is x
    assert Dropout(0.0).train()(x) is x


def test_gradients_pass_where_values_do():
    torch.manual_seed(3)
    x = torch.randn(5, 7, requires_grad=True)
    out = Dropout(0.5).train()(x)
    out.sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(x.grad, torch.where(out == 0, 0.0, 2.0))


@pytest.mark.parametrize("size", [28, 29, 30, 40])
def test_a_tensor_as_large_as_the_pool_is_dropped_by_pytorch(size, monkeypatch):
    """A pool of 29: up to 28 values find a stretch in it, from 29 on there is none to choose."""
    module._mask_pool.cache_clear()
    monkeypatch.setattr(module, "_POOL_SIZE", 29)
    own = []
    monkeypatch.setattr(module.F, "dropout", lambda x, p: own.append(p) or x)
    for _ in range(50):
        assert Dropout(0.25).train()(torch.ones(size)).shape == (size,)
    assert own == ([] if size < 29 else [0.25] * 50)
    module._mask_pool.cache_clear()
