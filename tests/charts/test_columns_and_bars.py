"""Columns and bars: where they begin, how high they may be, and what is none."""

import json

import numpy as np
import pytest

from tests.charts.complete import complete, domain, value
from ui.charts.beam_tree import Branch, beam_tree_chart
from ui.charts.columns import bars, columns


def _columns(weights: dict, names="abcde", **how):
    return columns(weights, labels=names, label_title="key", value_title="weight", **how)


@pytest.mark.parametrize(("names", "from_right"), [("שלום", True), ("salut", False)])
def test_what_is_read_from_the_right_begins_there(names, from_right):
    row = np.full(len(names), 1 / len(names), dtype=np.float32)
    branches = [Branch(n, 0, 0, name, 0.0, "kept") for n, name in enumerate(names, 1)]
    titles = {"kept": "", "winner": "", "pruned": ""}
    for chart in (
        columns({"p": row}, labels=names, label_title="k", value_title="p"),
        beam_tree_chart(branches, titles=titles, score_title="s"),
    ):
        assert value(chart, "from_right") is from_right
        assert '"reverse": {"expr": "from_right"}' in json.dumps(complete(chart))


def test_other_measures_have_their_own_limit_and_what_cannot_be_is_refused():
    chart = _columns({"norm": np.array([3.0, 4])}, "ab", limit=5)
    assert domain(chart, complete(chart)["encoding"]["y"]) == [0, 5]
    for weights in (np.full(4, 0.25), np.array([1.2, 0, 0, 0, 0]), -np.ones(5)):
        with pytest.raises(ValueError, match=r"labels|must lie"):
            _columns({"a": weights})


def test_no_bar_is_drawn_of_what_has_no_length_and_a_bar_of_nothing_has_an_axis():
    zero = bars({"a": 0.0}, title="time")
    start, end = domain(zero, complete(zero)["layer"][0]["encoding"]["x"])
    assert start < end
    for broken in ({}, {"a": -1.0}, {"a": np.nan}, {"a": np.inf}):
        with pytest.raises(ValueError, match="finite"):
            bars(broken, title="time")
