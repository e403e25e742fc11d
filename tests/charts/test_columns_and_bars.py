"""Columns and bars: every number where it belongs, whatever the labels are."""

import json
from itertools import pairwise

import numpy as np
import pytest

from tests.charts.complete import complete, domain, labels, rows, value
from ui.charts.beam_tree import Branch, beam_tree_chart
from ui.charts.columns import bars, columns

ODD = ("the", "the", "<b>x</b>", "$x$", '"')


def _columns(weights: dict, names=ODD, **how):
    return columns(weights, labels=names, label_title="key", value_title="weight", **how)


def test_every_column_stands_over_its_token():
    weights = {"b": np.array([0.1, 0.2, 0.3, 0.4, 0.0]), "a": np.array([0.5, 0.25, 0.25, 0.0, 0.0])}
    chart = _columns(weights)
    drawn = rows(chart, "columns")
    assert len(drawn) == 10
    for row in drawn:
        place = int(row["left"])
        assert place < row["left"] < row["right"] < place + 1
        assert (row["label"], row["value"]) == (ODD[place], weights[row["name"]][place])
    spans = sorted((row["left"], row["right"]) for row in drawn)
    assert all(end <= begin + 1e-9 for (_, end), (begin, _) in pairwise(spans))
    encoding = complete(chart)["encoding"]
    assert (encoding["x"]["field"], encoding["y"]["field"]) == ("left", "value")
    assert (domain(chart, encoding["x"]), domain(chart, encoding["y"])) == ([0, 5], [0, 1])
    assert labels(chart, encoding["x"]["axis"]) == [*ODD]
    assert encoding["y"]["title"] == "weight"
    said = {one["field"]: one["title"] for one in encoding["tooltip"]}
    assert (said["label"], said["value"]) == ("key", "weight")
    assert encoding["color"]["field"] == "name"
    assert encoding["color"]["legend"]["orient"] == "top"
    assert value(chart, "names") == ["b", "a"]  # each has the colour of its place


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


def test_labels_turn_when_the_longest_has_no_room():
    wide, narrow = (_columns({"a": np.ones(2)}, ["a", "x" * n]) for n in (40, 2))
    angle = complete(wide)["encoding"]["x"]["axis"]["labelAngle"]
    assert angle == {"expr": "width / length(labels) < room ? -40 : 0"}
    assert value(wide, "room") > 10 * value(narrow, "room")


def test_other_measures_have_their_own_limit_and_what_cannot_be_is_refused():
    chart = _columns({"norm": np.array([3.0, 4])}, "ab", limit=5)
    assert domain(chart, complete(chart)["encoding"]["y"]) == [0, 5]
    for weights in (np.full(4, 0.25), np.array([1.2, 0, 0, 0, 0]), -np.ones(5)):
        with pytest.raises(ValueError, match=r"labels|must lie"):
            _columns({"a": weights})


def test_bars_are_drawn_in_order_with_their_numbers():
    values = {"dot": 1.0, "additive": 12.5, "<b>": 0.0}
    chart = bars(values, title="time")
    drawn = rows(chart, "bars")
    assert [(row["name"], row["value"]) for row in drawn] == [*values.items()]
    for n, row in enumerate(drawn):
        assert n < row["top"] < row["middle"] < row["bottom"] < n + 1
    layer = complete(chart)["layer"][0]["encoding"]
    assert labels(chart, layer["y"]["axis"]) == [*values]
    assert layer["y"]["scale"]["reverse"]
    assert domain(chart, layer["y"]) == [0, 3]
    assert layer["x"]["title"] == "time"
    assert domain(chart, layer["x"])[0] == 0
    assert domain(chart, layer["x"])[1] > 12.5
    zero = bars({"a": 0.0}, title="time")
    start, end = domain(zero, complete(zero)["layer"][0]["encoding"]["x"])
    assert start < end
    for broken in ({}, {"a": -1.0}, {"a": np.nan}, {"a": np.inf}):
        with pytest.raises(ValueError, match="finite"):
            bars(broken, title="time")
