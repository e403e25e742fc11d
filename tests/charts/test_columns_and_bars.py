"""Columns and bars: every number where it belongs, whatever the labels are."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from ui.charts.bars import bars
from ui.charts.columns import columns

ODD = ("the", "the", "<b>x</b>", "$x$", '"')


def _columns(**weights: np.ndarray):
    return columns(weights, labels=ODD, label_title="key", value_title="weight")


def _labels(axis: dict) -> list[str]:
    return json.loads(axis["labelExpr"].removesuffix("[floor(datum.value)]"))


def test_every_column_stands_over_its_token():
    weights = {
        "a": np.array([0.1, 0.2, 0.3, 0.4, 0.0]),
        "b": np.array([0.5, 0.25, 0.25, 0.0, 0.0]),
    }
    chart = _columns(**weights)
    rows = chart.data.to_dict("records")
    assert len(rows) == 10
    for row in rows:
        place = int(row["left"])
        assert place < row["left"] < row["right"] < place + 1
        assert row["label"] == ODD[place]
        assert row["value"] == weights[row["name"]][place]
    spans = sorted((row["left"], row["right"]) for row in rows)
    assert all(end <= begin + 1e-9 for (_, end), (begin, _) in pairwise(spans))


def test_columns_reach_from_zero_to_one_and_labels_stay_text():
    encoding = _columns(a=np.full(5, 0.2)).to_dict()["encoding"]
    assert encoding["y"]["scale"]["domain"] == [0, 1]
    assert _labels(encoding["x"]["axis"]) == list(ODD)


@pytest.mark.parametrize("weights", [np.full(4, 0.25), np.array([1.2, 0, 0, 0, 0]), -np.ones(5)])
def test_columns_that_cannot_be_weights_are_refused(weights):
    with pytest.raises(ValueError, match=r"labels|must lie"):
        _columns(a=weights)


def test_columns_of_other_measures_have_their_own_limit():
    chart = columns(
        {"norm": np.array([3.0, 4])}, labels="ab", label_title="", value_title="", limit=5
    )
    assert chart.to_dict()["encoding"]["y"]["scale"]["domain"] == [0, 5]


def test_bars_are_drawn_in_order_with_their_numbers():
    chart = bars({"dot": 1.0, "additive": 12.5, "<b>": 0.0}, title="time")
    rows = chart.data.to_dict("records")
    assert [(row["name"], row["value"]) for row in rows] == [
        ("dot", 1.0),
        ("additive", 12.5),
        ("<b>", 0.0),
    ]
    assert [int(row["middle"]) for row in rows] == [0, 1, 2]
    layer = chart.to_dict()["layer"][0]["encoding"]
    assert _labels(layer["y"]["axis"]) == ["dot", "additive", "<b>"]
    assert layer["y"]["scale"]["reverse"]
    assert layer["x"]["scale"]["domain"][0] == 0
    assert layer["x"]["scale"]["domain"][1] > 12.5


@pytest.mark.parametrize("values", [{}, {"a": -1.0}, {"a": float("nan")}, {"a": float("inf")}])
def test_bars_without_a_length_are_refused(values):
    with pytest.raises(ValueError, match="finite"):
        bars(values, title="time")


def test_all_bars_zero_can_be_drawn():
    assert bars({"a": 0.0}, title="time").to_dict()
