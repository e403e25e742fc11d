"""What is measured in seconds, with a clock whose time the test decides."""

from __future__ import annotations

import time
from collections.abc import Iterable

import pytest
import torch

from model.data.tokenizer import Tokenizer
from model.evaluation.evaluation import evaluate
from model.lessons.cost import layer_timing
from model.lessons.scaling.score_functions import measure_costs
from tests.conftest import tiny_model


def set_clock(monkeypatch: pytest.MonkeyPatch, runs: Iterable[float]) -> None:
    """Every second look at the clock ends a run that took so long; it begins at 1000."""
    now, times = 1000.0, []
    for seconds in runs:
        times += [now, now + seconds]
        now += seconds + 7.0
    monkeypatch.setattr(time, "perf_counter", iter(times).__next__)


def test_sentences_per_second(tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three sentences in 2.7 seconds are 1.11 a second, and one decimal is kept."""
    set_clock(monkeypatch, [2.7])
    references = {"I am.": ["Je suis."], "You are.": ["Tu es.", "Vous êtes."], "Go!": ["Va !"]}
    found = evaluate(tiny_model(tokenizer), tokenizer, references)
    monkeypatch.undo()
    assert (found.sentences, found.references) == (3, 4)
    assert found.sentences_per_second == 1.1


def test_the_quickest_run_of_a_score_function_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, [0.5, 0.25, 0.75, 4.0, 3.0, 2.0])
    seen: list[tuple[int, ...]] = []

    def function(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
        seen.append((*q.shape, *k.shape))
        return q @ k.T

    functions = {"one": function, "two": function}
    costs = list(measure_costs(functions, n=5, d_k=3, repeats=3))  # type: ignore[arg-type]
    monkeypatch.undo()
    assert costs == [("one", 0.25), ("two", 2.0)]
    assert seen == [(5, 3, 5, 3)] * 8  # each once before the three that are measured


@pytest.mark.parametrize(
    ("runs", "repeats", "quickest", "measured"),
    [
        ([0.03, 0.02, 0.01], 3, 0.01, 3),
        ([0.04, 0.07, 0.01], 3, 0.04, 2),  # 0.1 seconds together are enough
        ([0.04, 0.05, 0.02], 3, 0.02, 3),
        ([5.0, 0.01], 2, 5.0, 1),
    ],
)
def test_slow_layers_are_run_less_often(
    runs: list[float],
    repeats: int,
    quickest: float,
    measured: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_clock(monkeypatch, runs)
    calls: list[int] = []
    found = layer_timing._quickest(lambda x: calls.append(len(x)), torch.ones(1, 3, 4), repeats)
    monkeypatch.undo()
    assert found == pytest.approx(quickest)
    assert len(calls) == 1 + measured


def test_a_recurrence_and_its_work_at_once_multiply_alike() -> None:
    """Both have two d x d matrices; self and restricted attention have four, with biases."""
    layers = layer_timing._layers(6)
    x = torch.randn(1, 11, 6)
    for name in ("self", "at_once", "restricted"):
        assert layers[name](x).shape == x.shape
    assert layers["recurrent"](x)[0].shape == x.shape
    assert layers["convolution"](x).shape == (1, 6, 11)  # channels come first
    count = {
        name: sum(p.numel() for p in layers[name].parameters())
        for name in ("recurrent", "restricted")
    }
    assert count == {"recurrent": 2 * (6 * 6 + 6), "restricted": 4 * (6 * 6 + 6)}


@pytest.mark.parametrize(
    ("name", "feels"),
    [
        ("self", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        ("recurrent", [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        ("at_once", [2]),
        ("convolution", [1, 2, 3]),
        ("restricted", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    ],
)
def test_who_feels_a_change_at_position_2(name: str, feels: list[int]) -> None:
    """All; all after it; itself; one to either side (a kernel of 3); eight to either side."""
    torch.manual_seed(0)
    layer = layer_timing._layers(6)[name]  # type: ignore[index]
    x = torch.randn(1, 13, 6, generator=torch.Generator().manual_seed(1))
    changed = x.clone()
    changed[0, 2] += 1
    with torch.no_grad():
        before, after = (
            out[0] if isinstance(out, tuple) else out for out in (layer(x), layer(changed))
        )
    difference = (after - before)[0]  # (13, 6), or (6, 13) where channels come first
    moved = difference.abs().amax(dim=0 if name == "convolution" else 1)
    assert moved.nonzero().flatten().tolist() == feels
