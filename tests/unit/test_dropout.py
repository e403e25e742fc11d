"""Dropout zeroes the given share, and keeps the sum."""

import math

import pytest
import torch

from model.nn import dropout as module
from model.nn.dropout import Dropout


@pytest.mark.parametrize("p", [0.1, 0.9])
def test_a_share_of_p_is_zero_and_the_rest_keeps_the_sum(p):
    """Of 310,000 values, the share of zeros is within five standard deviations of p."""
    torch.manual_seed(1)
    x = torch.ones(10, 31, 1000)
    out = Dropout(p).train()(x)
    assert out.shape == x.shape
    assert set(out.unique().tolist()) == {0.0, torch.tensor(1 / (1 - p)).item()}
    share = (out == 0).float().mean().item()
    assert abs(share - p) < 5 * math.sqrt(p * (1 - p) / x.numel())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_every_call_draws_other_values_and_a_seed_repeats_them(dtype):
    layer, x = Dropout(0.5).train(), torch.randn(7, 11, dtype=dtype, requires_grad=True)
    torch.manual_seed(2)
    first, second = layer(x), layer(x)
    assert first.dtype == dtype
    assert not torch.equal(first, second)
    torch.manual_seed(2)
    assert torch.equal(layer(x), first)
    first.sum().backward()
    assert torch.equal(x.grad, torch.where(first == 0, 0.0, 2.0).to(dtype))
    assert Dropout(0.5).eval()(x) is x
    assert Dropout(0.0).train()(x) is x


@pytest.mark.parametrize("size", [28, 29, 30, 40])
def test_a_tensor_as_large_as_the_pool_is_dropped_by_pytorch(size, monkeypatch):
    """The pool has 29 factors. Tensors of up to 28 values use it, larger ones PyTorch's dropout."""
    module._mask_pool.cache_clear()
    monkeypatch.setattr(module, "_POOL_SIZE", 29)
    own = []
    monkeypatch.setattr(module.F, "dropout", lambda x, p: own.append(p) or x)
    for _ in range(50):
        assert Dropout(0.25).train()(torch.ones(size)).shape == (size,)
    assert own == ([] if size < 29 else [0.25] * 50)
    module._mask_pool.cache_clear()
