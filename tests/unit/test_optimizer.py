"""The learning rate during a training."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.training.optimizer import learning_rate_factor


def factors(n_steps: int, warmup: int, cooldown: float) -> list[float]:
    options = {"n_steps": n_steps, "warmup": warmup, "cooldown": cooldown}
    return [learning_rate_factor(step, **options) for step in range(n_steps)]


def test_the_rate_rises_stays_constant_and_falls():
    course = factors(1000, warmup=100, cooldown=0.2)
    assert course[:100] == pytest.approx([(step + 1) / 100 for step in range(100)])
    assert course[100:800] == [1.0] * 700
    assert course[800:] == pytest.approx([(1000 - step) / 200 for step in range(800, 1000)])
    # a longer training begins like a shorter one
    assert factors(2000, 100, 0.2)[:800] == course[:800]
    assert factors(10, warmup=0, cooldown=0.1) == [1.0] * 10


def test_ramps_that_meet_leave_no_plateau():
    """Up (s + 1) / 6, down (10 - s) / 10: the ramps cross between steps 3 and 4."""
    expected = [1 / 6, 2 / 6, 3 / 6, 4 / 6, 6 / 10, 5 / 10, 4 / 10, 3 / 10, 2 / 10, 1 / 10]
    assert factors(10, warmup=6, cooldown=1.0) == pytest.approx(expected)


@given(n_steps=st.integers(1, 300), warmup=st.integers(0, 400), cooldown=st.floats(0.01, 1.0))
def test_the_rate_rises_once_falls_once_and_stays_above_zero(n_steps, warmup, cooldown):
    course = factors(n_steps, warmup, cooldown)
    assert all(0 < factor <= 1 for factor in course)
    falls = [after < before for before, after in pairwise(course)]
    assert falls == sorted(falls)  # once it falls, it never rises again
