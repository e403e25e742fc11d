"""Columns and bars: every number where it belongs, whatever the labels are."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.charts.complete import complete, domain, labels, rows, value
from ui.charts.bars import bars
from ui.charts.columns import columns

ODD = ("the", "the", "<b>x</b>", "$x$", '"')


def _columns(**weights: np.ndarray):
    return columns(weights, labels=ODD, label_title="key", value_title="weight")


def test_every_column_stands_over_its_token():
    weights = {
        "a": np.array([0.1, 0.2, 0.3, 0.4, 0.0]),
        "b": np.array([0.5, 0.25, 0.25, 0.0, 0.0]),
    }
    chart = _columns(**weights)
    drawn = rows(chart, "columns")
    assert len(drawn) == 10
    for row in drawn:
        place = int(row["left"])
        assert place < row["left"] < row["right"] < place + 1
        assert row["label"] == ODD[place]
        assert row["value"] == weights[row["name"]][place]
    spans = sorted((row["left"], row["right"]) for row in drawn)
    assert all(end <= begin + 1e-9 for (_, end), (begin, _) in pairwise(spans))


def test_columns_reach_from_zero_to_one_and_labels_stay_text():
    chart = _columns(a=np.full(5, 0.2))
    encoding = complete(chart)["encoding"]
    assert domain(chart, encoding["y"]) == [0, 1]
    assert domain(chart, encoding["x"]) == [0, len(ODD)]
    assert labels(chart, encoding["x"]["axis"]) == list(ODD)


def test_each_measure_has_the_colour_of_its_place():
    chart = _columns(second=np.full(5, 0.2), first=np.full(5, 0.1))
    assert complete(chart)["encoding"]["color"]["scale"]["domain"] == {"expr": "names"}
    assert value(chart, "names") == ["second", "first"]


def test_labels_turn_when_the_longest_has_no_room():
    wide, narrow = (
        columns({"a": np.ones(2)}, labels=["a", "x" * n], label_title="", value_title="")
        for n in (40, 2)
    )
    angle = complete(wide)["encoding"]["x"]["axis"]["labelAngle"]
    assert angle == {"expr": "width / length(labels) < room ? -40 : 0"}
    assert value(wide, "room") > 10 * value(narrow, "room")


@pytest.mark.parametrize("weights", [np.full(4, 0.25), np.array([1.2, 0, 0, 0, 0]), -np.ones(5)])
def test_columns_that_cannot_be_weights_are_refused(weights):
    with pytest.raises(ValueError, match=r"labels|must lie"):
        _columns(a=weights)


def test_columns_of_other_measures_have_their_own_limit():
    chart = columns(
        {"norm": np.array([3.0, 4])}, labels="ab", label_title="", value_title="", limit=5
    )
    assert domain(chart, complete(chart)["encoding"]["y"]) == [0, 5]


def test_bars_are_drawn_in_order_with_their_numbers():
    chart = bars({"dot": 1.0, "additive": 12.5, "<b>": 0.0}, title="time")
    drawn = rows(chart, "bars")
    assert [(row["name"], row["value"]) for row in drawn] == [
        ("dot", 1.0),
        ("additive", 12.5),
        ("<b>", 0.0),
    ]
    assert [int(row["middle"]) for row in drawn] == [0, 1, 2]
    layer = complete(chart)["layer"][0]["encoding"]
    assert labels(chart, layer["y"]["axis"]) == ["dot", "additive", "<b>"]
    assert layer["y"]["scale"]["reverse"]
    assert domain(chart, layer["y"]) == [0, 3]
    start, end = domain(chart, layer["x"])
    assert start == 0
    assert end > 12.5


@pytest.mark.parametrize("values", [{}, {"a": -1.0}, {"a": float("nan")}, {"a": float("inf")}])
def test_bars_without_a_length_are_refused(values):
    with pytest.raises(ValueError, match="finite"):
        bars(values, title="time")


def test_all_bars_zero_can_be_drawn():
    chart = bars({"a": 0.0}, title="time")
    start, end = domain(chart, complete(chart)["layer"][0]["encoding"]["x"])
    assert start < end
