"""Shares with their confidence intervals in tables of results."""

import pytest

from benchmarks.shares import interval


@pytest.mark.parametrize(
    ("count", "total", "written"),
    [
        # Wilson's interval by hand, with z = 1.96: the lower end of 1 of 1 is 1 / (1 + 1.96²).
        (1, 1, "1 of 1 (21-100 %)"),
        (0, 1, "0 of 1 (0-79 %)"),
        (1, 2, "1 of 2 (9-91 %)"),  # 0.5 ± 0.5 * 1.96 / √(2 + 1.96²)
        (5, 10, "5 of 10 (24-76 %)"),
        (10, 10, "10 of 10 (72-100 %)"),
        # With many observations it is that of the normal distribution: 0.2 ± 1.96 √(0.2 * 0.8 / n).
        (2_000, 10_000, "2000 of 10000 (19-21 %)"),
    ],
)
def test_a_share_has_the_interval_of_wilson(count: int, total: int, written: str) -> None:
    assert interval(count, total) == written
