"""What is chosen on one half of the pairs is judged on the other: by hand, and on pairs."""

from __future__ import annotations

import numpy as np
import pytest

from model.heads.alignment_error_rate import AlignedPair
from model.heads.analysis import measure_alignment
from model.heads.chosen_on_halves import (
    READINGS,
    best_head,
    best_layer,
    best_of_all,
    best_reading,
    chosen_on_halves,
)
from model.heads.error_rates_of_heads import MEASURES, ROWS, error_rates

WORST = {"heads": [[0.9, 0.9], [0.9, 0.9]], "layers": [0.9, 0.9]}
FIRST = {
    "weights AWO": WORST,
    "weights AWI": {"heads": [[0.5, 0.1], [0.6, 0.7]], "layers": [0.5, 0.3]},
    "norms AWO": WORST,
    "norms AWI": {"heads": [[0.3, 0.4], [0.8, 0.2]], "layers": [0.2, 0.6]},
}
SECOND = {
    "weights AWO": WORST,
    "weights AWI": {"heads": [[0.5, 0.4], [0.2, 0.3]], "layers": [0.7, 0.4]},
    "norms AWO": WORST,
    "norms AWI": {"heads": [[0.35, 0.15], [0.8, 0.2]], "layers": [0.3, 0.6]},
}
ALIGNMENT = {"halves": (FIRST, SECOND)}


def test_the_best_head_of_each_half_is_judged_on_the_other() -> None:
    """The first half likes head 1.2 (0.1; there 0.4), the second 2.1 (0.2; there 0.6)."""
    choice = best_head(ALIGNMENT, "weights AWI")
    assert [tuple(way) for way in choice] == [((0, 1), 0.1, 0.4), ((1, 0), 0.2, 0.6)]
    assert choice.rate == pytest.approx(0.5)
    assert choice.places == [(0, 1), (1, 0)]
    # A layer that both halves like has one place.
    choice = best_layer(ALIGNMENT, "norms AWI")
    assert choice.places == [(0,)]
    assert choice.rate == pytest.approx((0.3 + 0.2) / 2)


def test_the_reading_is_chosen_too() -> None:
    """The first half takes weights AWI 1.2 (there 0.4), the second norms AWI 1.2 (there 0.4)."""
    choice = best_of_all(ALIGNMENT)
    assert choice.places == [(1, 0, 1), (3, 0, 1)]
    assert choice.rate == pytest.approx(0.4)
    smallest = min(np.min(half[name]["heads"]) for half in (FIRST, SECOND) for name in READINGS)
    assert choice.rate > smallest


def test_a_head_s_rate_is_that_of_the_reading_chosen_elsewhere() -> None:
    """Head 1.2: the first half takes weights AWI (there 0.4), the second norms AWI (there 0.4)."""
    assert best_reading(ALIGNMENT, 0, 1).rate == pytest.approx(0.4)
    assert best_reading(ALIGNMENT, 0, 1).places == [(1,), (3,)]
    assert best_reading(ALIGNMENT, 1, 1).rate == pytest.approx(0.2)
    # Without halves nothing is chosen.
    assert best_of_all({"rates": FIRST}) is None
    assert best_reading({"rates": FIRST}, 0, 0) is None


def test_of_noise_the_smallest_rate_is_too_small_and_the_chosen_one_is_not() -> None:
    """All methods are equally good here: 0.5, and what is measured of them is noise."""
    random = np.random.default_rng(0)
    halves = random.normal(0.5, 0.05, (300, 2, 4, 4, 8))
    smallest = np.mean([np.mean(pair, axis=0).min() for pair in halves])
    chosen = np.mean([chosen_on_halves(*pair).rate for pair in halves])
    assert smallest < 0.45
    assert chosen == pytest.approx(0.5, abs=0.01)


def test_an_analysis_holds_the_rates_of_each_half(t) -> None:
    one, two = frozenset({(0, 0), (1, 1)}), frozenset({(0, 1), (2, 0)})
    texts = ("I see.", "Je vois."), ("I go.", "Je vais."), ("I am.", "Je suis.")
    pairs = [
        AlignedPair(*text, links, links) for text, links in zip(texts, (one, two, two), strict=True)
    ]
    found = measure_alignment(t, pairs, lambda *_: None)
    for some, stored in zip(
        (pairs, pairs[::2], pairs[1::2]), (found["rates"], *found["halves"]), strict=True
    ):
        for (measure, row), (heads, layers) in error_rates(t, some).items():
            of_reading = stored[f"{measure} {row}"]
            np.testing.assert_allclose(of_reading["heads"], heads, rtol=0, atol=5.1e-6)
            np.testing.assert_allclose(of_reading["layers"], layers, rtol=0, atol=5.1e-6)
    assert set(found["rates"]) == set(READINGS) == {f"{m} {row}" for m in MEASURES for row in ROWS}
    assert "halves" not in measure_alignment(t, pairs[:1], lambda *_: None)
