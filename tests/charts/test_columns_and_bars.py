"""Columns and bars: where they begin, how high they may be, and which are refused."""

import json

import numpy as np
import pytest

from tests.charts.complete import complete, domain, value
from ui.charts.beam_tree import Branch, beam_tree_chart
from ui.charts.columns import bars, columns


def _columns(weights: dict, names="abcde", limit=1.0):
    return columns(weights, labels=names, label_title="key", value_title="weight", limit=limit)


RIGHT_TO_LEFT = pytest.mark.parametrize(("names", "from_right"), [("שלום", True), ("salut", False)])


@RIGHT_TO_LEFT
def test_columns_begin_at_the_right_where_their_labels_do(names, from_right):
    chart = _columns({"p": np.full(len(names), 1 / len(names), dtype=np.float32)}, names)
    assert value(chart, "from_right") is from_right
    assert '"reverse": {"expr": "from_right"}' in json.dumps(complete(chart))


@RIGHT_TO_LEFT
def test_a_beam_tree_begins_at_the_right_where_its_text_does(names, from_right):
    branches = [Branch(n, 0, 0, name, 0.0, "kept") for n, name in enumerate(names, 1)]
    titles = {"kept": "", "winner": "", "pruned": ""}
    chart = beam_tree_chart(branches, titles=titles, score_title="s")
    assert value(chart, "from_right") is from_right
    assert '"reverse": {"expr": "from_right"}' in json.dumps(complete(chart))


def test_the_axis_of_columns_ends_at_their_limit():
    chart = _columns({"norm": np.array([3.0, 4])}, "ab", limit=5)
    assert domain(chart, complete(chart)["encoding"]["y"]) == [0, 5]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.full(4, 0.25), "for 5 labels"),
        (np.array([1.2, 0, 0, 0, 0]), "must lie"),
        (-np.ones(5), "must lie"),
    ],
)
def test_columns_that_do_not_fit_or_lie_outside_the_limit_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        _columns({"a": weights})


def test_a_bar_of_length_0_has_an_axis():
    chart = bars({"a": 0.0}, title="time")
    start, end = domain(chart, complete(chart)["layer"][0]["encoding"]["x"])
    assert start < end


@pytest.mark.parametrize("values", [{}, {"a": -1.0}, {"a": np.nan}, {"a": np.inf}])
def test_bars_that_are_negative_or_not_finite_are_refused(values):
    with pytest.raises(ValueError, match="finite"):
        bars(values, title="time")
