"""Charts without two axes: dials, paths of tokens, a beam tree."""

import numpy as np
import pytest

from model.pictures.text import text_width
from tests.charts.complete import rows
from ui.charts.beam_tree import Branch, beam_tree_chart
from ui.charts.dials import dials
from ui.charts.scenes import token_paths

TITLES = {"winner": "won", "kept": "stays", "pruned": "given up"}
PATHS = {"layer_titles": ["embedding", "layer 1", "layer 2"], "axis_titles": ["a", "b", "c"]}
POINTS = np.random.default_rng(1).normal(size=(3, 2, 3)).astype(np.float32)


def _hands(before, after, labels):
    """Return two rows for each dial: first all hands before the turn, then all after it."""
    chart = dials(
        np.array(before),
        np.array(after),
        labels=labels,
        before_title="p",
        after_title="p + k",
        dial_title="wave",
    )
    return rows(chart, "hands")


def test_every_dial_has_two_hands_at_its_two_angles():
    hands = _hands([0.5, 7.0], [1.5, 6.0], ["<b>", "2"])
    angles = [row["angle"] for row in hands]
    assert angles == pytest.approx([0.5, 7.0 - 2 * np.pi, 1.5, 6.0])
    assert [row["from"] for row in hands] == pytest.approx(angles[:2] * 2)
    assert [row["to"] - row["from"] for row in hands] == pytest.approx([1, -1, 1, -1])


def test_a_dial_shades_no_full_turn():
    [row, _] = _hands([0.0], [2 * np.pi + 0.25], ["a"])
    assert row["to"] - row["from"] == pytest.approx(0.25)


@pytest.mark.parametrize(("last", "tokens"), [(-1, ["x", "y"]), (3, ["x", "y"]), (0, ["x"])])
def test_token_paths_that_do_not_fit_are_refused(last, tokens):
    with pytest.raises(ValueError, match="do not fit"):
        token_paths(POINTS, tokens, **PATHS, last=last)


@pytest.mark.parametrize("size", [0.01, 1.0, 300.0])
def test_a_step_is_equally_long_along_all_axes_whatever_the_vectors_size(size):
    scene = token_paths(size * POINTS, ["x", "y"], **PATHS, last=2).layout.scene
    ratio = scene.aspectratio
    lengths = np.array([ratio.x, ratio.y, ratio.z])
    ends = np.array([scene.xaxis.range, scene.yaxis.range, scene.zaxis.range])
    units_of_length = np.ptp(ends, axis=1) / lengths
    assert units_of_length == pytest.approx(units_of_length[0])
    assert lengths.max() == pytest.approx(1.6)


@pytest.mark.parametrize("token", ["a", "demandé", "·professionnellement", "未经许可的行为"])
def test_a_token_has_its_room_and_ten_pixels_between_the_lines(token: str):
    """Lines leave free 0.72 of a step; twelve steps of common words fit on 1440 pixels."""
    branches = [Branch(n, 0, 0, token, 0.0, "winner") for n in range(1, 13)]
    step = beam_tree_chart(branches, titles=TITLES, score_title="score").width / 12
    assert 0.72 * step >= text_width(token, 14) + 10
    assert step == 72 or 0.72 * (step - 1) < text_width(token, 14) + 10
    assert step * 12 <= 1344 or token not in ("a", "demandé")
