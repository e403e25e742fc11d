"""The number format of a training, and the float32 copy of its weights."""

import time

import pytest
import torch

from model.training.precision import MixedPrecision, choose_precision
from tests.conftest import tiny_model

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("bfloat16", "float32", "times", "name"),
    [
        ([0.1] * 3, [0.3] * 3, "3", "bfloat16"),
        ([0.1] * 3, [0.125] * 3, "1.2", "bfloat16"),
        ([0.1] * 3, [0.12] * 3, "1.2", "float32"),  # bfloat16 must be more than 1.2 times as fast
        # processors without bfloat16 instructions: three runs are enough
        ([38.0] * 3, [0.2] * 3, "0.0053", "float32"),
        # fast products run ten times after one for warming up; the fastest run counts
        ([0.01, *[0.02] * 9, 0.015], [0.01, *[0.02] * 9, 0.06], "1.3", "bfloat16"),
    ],
)
def test_the_faster_number_format_is_taken(bfloat16, float32, times, name, monkeypatch):
    """The test's clock says how long each product takes."""
    clock = iter([look for lasts in (*bfloat16, *float32) for look in (0.0, lasts)])
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    small = torch.ones(1, 1)
    monkeypatch.setattr(torch, "ones", lambda *_, **__: small)
    dtype, why = choose_precision(CPU, "auto")
    monkeypatch.undo()
    assert list(clock) == []
    assert dtype == getattr(torch, name)
    assert why.startswith(f"{name}: a bfloat16 matrix product is {times} times as fast")


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_a_format_that_is_asked_for_is_used_without_a_measurement(name):
    assert choose_precision(CPU, name) == (getattr(torch, name), f"{name}, as asked")


def test_float32_needs_no_second_copy_of_the_model(tokenizer):
    model = tiny_model(tokenizer)
    precision = MixedPrecision(model, torch.float32)
    assert precision.working is precision.master is model
    for p in model.parameters():
        p.grad = torch.ones_like(p)
    precision.move_gradients()
    assert all(bool((p.grad == 1).all()) for p in model.parameters())
    precision.refresh()


def test_masters_learn_what_bfloat16_would_lose(tokenizer):
    """Above 1, bfloat16 has steps of 2^-7: it loses one change of 2^-9, but not three together."""
    model = tiny_model(tokenizer)
    precision = MixedPrecision(model, torch.bfloat16)
    working, masters = list(precision.working.parameters()), list(model.parameters())
    assert all(w.dtype == torch.bfloat16 for w in working)
    for p in masters:
        p.data.fill_(1.0)
        p.grad = torch.ones_like(p)
    precision.move_gradients()
    assert all(p.grad is None for p in masters)
    seen = []
    for _ in range(4):
        for w in working:
            w.grad = torch.full_like(w, -(2.0**-9))
        precision.move_gradients()
        assert all(w.grad is None for w in working)
        for p in masters:
            assert p.grad is not None
            assert p.grad.dtype == torch.float32
            p.data -= p.grad
        precision.refresh()
        seen.append({float(w.detach().flatten()[0]) for w in working})
    assert seen == [{1.0}, {1.0}, {1.0078125}, {1.0078125}]
    assert {float(p.detach().flatten()[0]) for p in masters} == {1 + 4 * 2.0**-9}
