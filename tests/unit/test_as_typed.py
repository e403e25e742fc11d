"""Small letters, no final sign, or both."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from model.data.as_typed import as_typed, without_final_sign


def test_the_three_ways_come_equally_often() -> None:
    random = np.random.default_rng(1)
    ways = Counter(as_typed("Is Tom here?", random) for _ in range(3000))
    assert set(ways) == {"is tom here?", "Is Tom here", "is tom here"}
    assert all(abs(n - 1000) < 5 * (3000 * 2 / 9) ** 0.5 for n in ways.values())  # 5 deviations


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("Wait...", "Wait"),
        ("Really?!", "Really"),
        ("Stop ! ", "Stop ! "),  # the corpus has no space at an end
        ("He said: Stop!", "He said: Stop"),
        ("One. Two.", "One. Two"),
        ("?", "?"),  # nothing would be left
        ("Hello", "Hello"),
    ],
)
def test_the_final_sign(text: str, without: str) -> None:
    assert without_final_sign(text) == without
