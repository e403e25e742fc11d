"""Which number format a training takes, and float32 masters behind a bfloat16 copy."""

from __future__ import annotations

import time

import pytest
import torch

from model.data.tokenizer import Tokenizer
from model.training.precision import MixedPrecision, choose_precision
from tests.conftest import tiny_model

CPU = torch.device("cpu")


class Clock:
    """Says how long each look at it is after the one before; a product lies between two looks."""

    def __init__(self, bfloat16: list[float], float32: list[float]) -> None:
        self._between = [*bfloat16, *float32]
        self._now, self.looks = 0.0, 0

    def __call__(self) -> float:
        if self.looks % 2:
            self._now += self._between[self.looks // 2]
        self.looks += 1
        return self._now


def choose(monkeypatch: pytest.MonkeyPatch, bfloat16: list[float], float32: list[float]) -> tuple:
    clock = Clock(bfloat16, float32)
    monkeypatch.setattr(time, "perf_counter", clock)
    chosen = choose_precision(CPU, "auto")
    monkeypatch.undo()
    assert clock.looks == 2 * len(bfloat16 + float32)
    return chosen


@pytest.mark.parametrize(
    ("float32", "name"),
    [(3.0, "bfloat16"), (1.25, "bfloat16"), (1.2, "float32"), (1.125, "float32"), (0.5, "float32")],
)
def test_the_faster_one_is_taken(
    float32: float, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """bfloat16 must be more than 1.2 times as fast to be worth it."""
    dtype, why = choose(monkeypatch, [1.0] * 11, [float32] * 11)
    assert dtype == getattr(torch, name)
    assert why.startswith(f"{name}: a bfloat16 matrix product is {float32:.1f} times as fast")


def test_the_best_of_ten_counts_and_the_first_is_to_warm_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dtype, why = choose(monkeypatch, [0.1, *[9.0] * 9, 2.0], [0.1, 8.0, *[9.0] * 9])
    assert dtype == torch.bfloat16
    assert "is 4.0 times as fast" in why
    dtype, why = choose(monkeypatch, [0.1, 2.0, *[9.0] * 9], [0.1, *[9.0] * 9, 8.0])
    assert "is 4.0 times as fast" in why


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_what_is_asked_for_is_taken_unmeasured(name: str) -> None:
    assert choose_precision(CPU, name) == (getattr(torch, name), f"{name}, as asked")


def test_float32_needs_no_second_model(tokenizer: Tokenizer) -> None:
    model = tiny_model(tokenizer)
    precision = MixedPrecision(model, torch.float32)
    assert precision.working is precision.master is model
    for p in model.parameters():
        p.grad = torch.ones_like(p)
    precision.move_gradients()
    assert all(bool((p.grad == 1).all()) for p in model.parameters())
    precision.refresh()


def test_masters_learn_what_bfloat16_would_lose(tokenizer: Tokenizer) -> None:
    """Above 1 it counts in steps of 2^-7: one 2^-9 at a time is lost, three together are not."""
    model = tiny_model(tokenizer)
    precision = MixedPrecision(model, torch.bfloat16)
    working = list(precision.working.parameters())
    assert all(w.dtype == torch.bfloat16 for w in working)
    with torch.no_grad():
        for p in model.parameters():
            p.fill_(1.0)
    seen = []
    for _ in range(4):
        for w in working:
            w.grad = torch.full_like(w, -(2.0**-9))
        precision.move_gradients()
        assert all(w.grad is None for w in working)
        assert all(p.grad is not None and p.grad.dtype == torch.float32 for p in model.parameters())
        with torch.no_grad():
            for p in model.parameters():
                p -= p.grad
        precision.refresh()
        seen.append({float(w.detach().flatten()[0]) for w in working})
    assert seen == [{1.0}, {1.0}, {1.0078125}, {1.0078125}]
    assert {float(p.detach().flatten()[0]) for p in model.parameters()} == {1 + 4 * 2.0**-9}


def test_a_weight_without_a_gradient_gets_none(tokenizer: Tokenizer) -> None:
    model = tiny_model(tokenizer)
    precision = MixedPrecision(model, torch.bfloat16)
    for p in model.parameters():
        p.grad = torch.ones_like(p)
    precision.move_gradients()
    assert all(p.grad is None for p in model.parameters())
