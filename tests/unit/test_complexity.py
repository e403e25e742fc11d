"""Table 1 against numbers worked out in the comments."""

from __future__ import annotations

import pytest
import torch

from model.lessons.cost.complexity import complexities
from model.lessons.cost.layer_timing import TIMED, measure_layers


def test_the_table_by_hand() -> None:
    """n = 10, d = 4, k = 3, r = 5."""
    table = complexities(n=10, d=4, k=3, r=5)
    found = {name: (row.work, row.steps, row.path) for name, row in table.items()}
    assert found == {
        "self": (400, 1, 1),  # 10 · 10 · 4
        "recurrent": (160, 10, 10),  # 10 · 4 · 4
        "convolution": (480, 1, 3),  # 3 · 10 · 4 · 4; 3 · 3 < 10 <= 3 · 3 · 3
        "restricted": (200, 1, 2),  # 5 · 10 · 4; 10 / 5
    }


@pytest.mark.parametrize(("n", "k", "path"), [(1, 2, 1), (8, 2, 3), (9, 2, 4), (243, 3, 5)])
def test_the_path_of_a_convolution(n, k, path) -> None:
    assert complexities(n=n, d=1, k=k, r=1)["convolution"].path == path


def test_a_window_wider_than_the_sequence_is_full_attention() -> None:
    table = complexities(n=7, d=4, k=2, r=100)
    assert table["restricted"] == table["self"]


@pytest.mark.parametrize("wrong", [{"n": 0}, {"d": 0}, {"k": 1}, {"r": 0}])
def test_sizes_out_of_range_are_refused(wrong) -> None:
    with pytest.raises(ValueError, match="at least"):
        complexities(**{"n": 5, "d": 5, "k": 3, "r": 2} | wrong)


def test_timing_yields_one_measurement_after_the_other() -> None:
    timings = list(measure_layers([3, 5], d=8, repeats=1))
    assert [(t.layer, t.n) for t in timings] == [(name, n) for n in (3, 5) for name in TIMED]
    assert all(t.seconds > 0 for t in timings)


def test_each_layer_is_given_one_sequence_and_whoever_asks_again_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = []
    monkeypatch.setattr(
        "model.lessons.cost.layer_timing._quickest",
        lambda _, x, repeats: given.append((x, repeats)) or 1.0,
    )
    for _ in range(2):
        list(measure_layers([3, 5], d=8, repeats=4))
    half = len(given) // 2
    assert [x.shape for x, _ in given] == [(1, n, 8) for n in (3, 5) for _ in TIMED] * 2
    assert all(torch.equal(x, y) for (x, _), (y, _) in zip(given, given[half:], strict=False))
    assert {repeats for _, repeats in given} == {4}
