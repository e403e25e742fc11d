"""What the laboratory promises, with the settings that it begins with."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from model.lessons.learning.laboratory import Settings, ToyTraining
from model.lessons.learning.toy_tasks import TASKS
from tests.ui.app import open_page

STEPS = 600
OPENING = Settings(task="reverse", n_layers=1, n_heads=2, d_model=64, learning_rate=1e-3)


@pytest.mark.slow
def test_reverse_is_solved_and_its_cross_attention_is_the_anti_diagonal():
    """The run that a visitor gets by pressing the button."""
    points = list(ToyTraining(OPENING).train(STEPS))
    assert np.mean([point.accuracy for point in points[-5:]]) >= 0.95
    assert points[-1].written == TASKS["reverse"].example[::-1]
    weights = points[-1].maps["cross"][0]  # (heads, T, S)
    n = len(TASKS["reverse"].example)
    places = n - np.arange(n)  # the letter that row i writes; BOS stands before them all
    on_it = weights[:, np.arange(n), places].mean(axis=1)  # (heads,)
    assert on_it.max() > 0.7
    assert (weights[on_it.argmax(), :n].argmax(axis=1) == places).mean() >= 0.85


@pytest.mark.slow
def test_without_positions_it_finds_the_letters_but_not_their_order():
    last = list(ToyTraining(replace(OPENING, positions=False)).train(STEPS))[-1]
    wanted = Counter(TASKS["reverse"].example)
    assert last.accuracy < 0.1
    assert (Counter(last.written) & wanted).total() >= len(TASKS["reverse"].example) - 1


def test_these_are_the_settings_the_page_begins_with():
    app = open_page("pages/learning.py", show="laboratory")
    for name in ("task", "n_layers", "n_heads", "d_model", "learning_rate", "positions",
                 "causal_mask", "norm", "label_smoothing"):  # fmt: skip
        chosen = app.button_group(key=f"laboratory.{name}").value
        assert chosen == getattr(OPENING, name), name
    assert app.number_input(key="laboratory.seed").value == OPENING.seed
