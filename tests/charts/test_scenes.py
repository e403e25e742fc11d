"""What is drawn in other ways than over two axes: dials, paths, a tree."""

import numpy as np
import pytest

from model.pictures.text import text_width
from tests.charts.complete import rows
from ui.charts.beam_tree import Branch, beam_tree_chart
from ui.charts.dials import dials
from ui.charts.scenes import token_paths

TITLES = {"winner": "won", "kept": "stays", "pruned": "given up"}
PATHS = {"layer_titles": ["embedding", "layer 1", "layer 2"], "axis_titles": ["a", "b", "c"]}
PLACES = np.random.default_rng(1).normal(size=(3, 2, 3)).astype(np.float32)


def _dials(before, after, labels):
    names = {"before_title": "p", "after_title": "p + k", "dial_title": "wave"}
    return dials(np.array(before), np.array(after), labels=labels, **names)


def test_every_dial_has_two_hands_that_stand_where_the_angles_say():
    chart = _dials([0.5, 7.0], [1.5, 6.0], ["<b>", "2"])
    hands = rows(chart, "hands")
    angles = [row["angle"] for row in hands]
    assert angles == pytest.approx([0.5, 7.0 - 2 * np.pi, 1.5, 6.0])
    assert [row["to"] - row["from"] for row in hands] == pytest.approx([1, -1, 1, -1])
    assert [row["from"] for row in hands] == pytest.approx(angles[:2] * 2)
    [row, _] = rows(_dials([0.0], [2 * np.pi + 0.25], ["a"]), "hands")  # more than a turn
    assert row["to"] - row["from"] == pytest.approx(0.25)


def test_what_does_not_fit_is_refused():
    for last, tokens in ((-1, ["x", "y"]), (3, ["x", "y"]), (0, ["x"])):
        with pytest.raises(ValueError, match="do not fit"):
            token_paths(PLACES, tokens, **PATHS, last=last)


@pytest.mark.parametrize("token", ["a", "demandé", "·professionnellement", "未经许可的行为"])
def test_a_token_has_its_room_and_ten_pixels_between_the_lines(token: str):
    """Lines leave free 0.72 of a step; twelve steps of common words fit on 1440 pixels."""
    branches = [Branch(n, 0, 0, token, 0.0, "winner") for n in range(1, 13)]
    step = beam_tree_chart(branches, titles=TITLES, score_title="score").width / 12
    assert 0.72 * step >= text_width(token, 14) + 10
    assert step == 72 or 0.72 * (step - 1) < text_width(token, 14) + 10
    assert step * 12 <= 1344 or token not in ("a", "demandé")
