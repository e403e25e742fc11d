"""What the page "Learning" says of the trainings that are shipped."""

from __future__ import annotations

import re
from itertools import pairwise

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from model.checkpoint.checkpoint import read_history
from model.heads.timeline import NAMES
from model.training.runs import read_run, restarts
from tests.claims.conftest import CHECKPOINTS
from tests.ui.app import open_page, tables_of, text_of
from ui.text.translator import LANGUAGES, translator


def _dashed(app: AppTest) -> list[pd.DataFrame]:
    """Where vertical lines stand, of each chart that has some."""
    return [table for table in tables_of(app, "x") if list(table) == ["x"]]


def test_restarts_of_the_learning_rate_are_marked_where_a_longer_training_begins() -> None:
    """By hand: all where the rate came from nothing, among them the largest rises of the loss."""
    run = read_run(CHECKPOINTS / "en-fr")
    places = [4400, 10600, 16000, 18350, 19830, 21930, 23550, 24409, 25874, 26474]
    begun = [two for two in pairwise(run.history) if two[0]["step"] in places]
    rises = sorted(pairwise(run.history), key=lambda two: two[0]["loss"] - two[1]["loss"])[:5]
    assert all(rise in begun for rise in rises)
    longer = [
        later["from_step"]
        for earlier, later in pairwise(run.settings_history)
        if later["steps"] > earlier["steps"]
    ]
    assert set(places) <= set(longer)
    app = open_page("pages/learning.py", show="curves")
    assert [sorted(table["x"]) for table in _dashed(app)] == [places] * 4
    assert translator("en")("learning.restarts", name="en-fr", n=len(places)) in text_of(app)
    jumps = [[f"{b['step']:,}", f"{b['loss']:.2f}", f"{a['loss']:.2f}"] for b, a in begun]
    assert jumps in [table.value.to_numpy().tolist() for table in app.dataframe]
    for before, after in begun:
        assert after["learning_rate"] > 50 * before["learning_rate"]


def test_a_training_without_a_restart_has_no_such_line() -> None:
    """The rate of en-fr-small rises once, at its beginning, and falls once."""
    assert restarts(read_history(CHECKPOINTS / "en-fr-small")) == []
    app = open_page("pages/learning.py", show="curves", checkpoint="en-fr-small")
    assert "restarts" not in text_of(app)
    assert _dashed(app) == []
    assert read_run(CHECKPOINTS / "en-fr-small").settings_history[-1]["ema_decay"] > 0.9


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_names_that_count_are_all_told(language: str) -> None:
    told = translator(language)("learning.nothing_to_measure")
    assert set(re.findall(r"[A-Z][a-z]+", told)) - {"There"} == NAMES
