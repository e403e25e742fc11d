"""The step with which the timeline opens."""

from types import SimpleNamespace

import numpy as np
import pytest

from model.lessons.learning.almost_learned import almost_learned_step


@pytest.mark.parametrize(
    ("losses", "step"),
    [
        ({0: 8.0, 10: 3.0, 20: 2.0, 30: 0.0}, 20),  # three quarters of 8 are gone at 2
        ({0: 8.0, 10: 1.0, 20: 2.0, 30: 0.0}, 10),  # the first such step
        ({0: 8.0, 10: 8.0, 20: 8.0, 30: 0.0}, 30),
        ({0: 1.0, 10: 0.5, 20: 1.5}, 20),  # nothing was learned: the last step
        ({6: 4.0}, 6),
        ({0: 8.0, 10: float("nan"), 20: 1.0}, 20),
        ({0: 8.0, 10: 4.0, 20: float("nan")}, 20),  # the training has diverged
        ({0: float("nan"), 10: 4.0, 20: 2.0}, 20),
    ],
)
def test_the_timeline_opens_at_the_first_step_with_three_quarters_of_the_loss_gone(losses, step):
    readings = {n: SimpleNamespace(log_probs=np.full(3, -loss)) for n, loss in losses.items()}
    assert almost_learned_step(readings) == step
