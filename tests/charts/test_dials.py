"""Dials: the hands stand where the angles say."""

from __future__ import annotations

import numpy as np
import pytest

from tests.charts.complete import complete, rows, value
from ui.charts.dials import dials


def _dials(before, after, labels):
    return dials(
        np.array(before),
        np.array(after),
        labels=labels,
        before_title="p",
        after_title="p + k",
        dial_title="wave",
    )


def test_every_dial_has_two_hands_and_the_way_between():
    chart = _dials([0.5, 7.0], [1.5, 6.0], ["<b>", "2"])
    assert value(chart, "n") == 2
    assert value(chart, "names") == ["p", "p + k"]
    hands = rows(chart, "hands")
    assert [(row["hand"], row["label"], row["place"]) for row in hands] == [
        ("p", "<b>", 0.5),
        ("p", "2", 1.5),
        ("p + k", "<b>", 0.5),
        ("p + k", "2", 1.5),
    ]
    angles = [row["angle"] for row in hands]
    assert angles == pytest.approx([0.5, 7.0 - 2 * np.pi, 1.5, 6.0])
    assert [row["to"] - row["from"] for row in hands] == pytest.approx([1, -1, 1, -1])


def test_more_than_a_turn_is_shaded_as_what_is_over():
    [row, _] = rows(_dials([0.0], [2 * np.pi + 0.25], ["a"]), "hands")
    assert row["to"] - row["from"] == pytest.approx(0.25)


def test_angles_are_drawn_as_they_are():
    chart = complete(_dials([0.5], [1.0], ["a"]))
    for layer in chart["layer"][1:3]:
        assert layer["encoding"]["theta"]["scale"] is None
        assert layer["encoding"]["theta"]["stack"] is None


@pytest.mark.parametrize(("before", "after", "labels"), [([], [], []), ([1], [1, 2], ["a"])])
def test_what_does_not_fit_is_refused(before, after, labels):
    with pytest.raises(ValueError, match="labels"):
        _dials(before, after, labels)
