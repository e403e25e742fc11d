"""Columns and bars: their start, their largest height, and refused values."""

import json

import numpy as np
import pytest

from model.lessons.scaling import NAMES
from model.pictures.text import max_text_width, text_width
from tests.charts.complete import complete, domain, rows, value
from ui.charts.beam_tree import Branch, beam_tree_chart
from ui.charts.columns import bars, columns
from ui.text.translator import translator


def _columns(weights: dict, names="abcde", limit=1.0):
    return columns(weights, labels=names, label_title="key", value_title="weight", limit=limit)


RIGHT_TO_LEFT = pytest.mark.parametrize(("names", "from_right"), [("שלום", True), ("salut", False)])


@RIGHT_TO_LEFT
def test_columns_begin_at_the_right_if_their_labels_run_from_right_to_left(names, from_right):
    chart = _columns({"p": np.full(len(names), 1 / len(names), dtype=np.float32)}, names)
    assert value(chart, "from_right") is from_right
    assert '"reverse": {"expr": "from_right"}' in json.dumps(complete(chart))


@RIGHT_TO_LEFT
def test_a_beam_tree_begins_at_the_right_if_its_text_runs_from_right_to_left(names, from_right):
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
        (np.array([0.5, 0.5, 0, 0, -0.1]), "must lie"),
    ],
)
def test_columns_without_matching_labels_or_beyond_the_limit_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        _columns({"a": weights})


def test_the_axis_of_a_bar_of_length_0_is_not_empty():
    chart = bars({"a": 0.0}, title="time")
    start, end = domain(chart, complete(chart)["layer"][0]["encoding"]["x"])
    assert start < end


@pytest.mark.parametrize("values", [{}, *({"a": 1.0, "b": bad} for bad in (-1, np.nan, np.inf))])
def test_negative_or_infinite_bars_are_refused(values):
    with pytest.raises(ValueError, match="finite"):
        bars(values, title="time")


def test_the_columns_of_a_token_stand_side_by_side_in_the_middle_of_its_space():
    drawn = rows(_columns({"p": np.array([0.25, 0.5]), "q": np.array([0.75, 1])}, "ab"), "columns")
    # Two names share 0.8 of a token's width, so each column is 0.4 wide.
    expected = [(0.1, 0.5, 0.25), (1.1, 1.5, 0.5), (0.5, 0.9, 0.75), (1.5, 1.9, 1)]
    assert [(row["left"], row["right"], row["value"]) for row in drawn] == [
        pytest.approx(column) for column in expected
    ]
    assert [row["name"] for row in drawn] == ["p", "p", "q", "q"]
    assert [row["label"] for row in drawn] == ["a", "b", "a", "b"]


def test_columns_and_bars_begin_at_zero():
    column = complete(_columns({"p": np.array([0.5])}, "a"))["encoding"]
    assert column["y2"] == {"datum": 0}
    bar = complete(bars({"a": 2.0}, title="time"))["layer"][0]["encoding"]
    assert bar["x2"] == {"datum": 0}
    assert column["y"]["scale"]["clamp"] is True  # rounding may be a little above the limit


def test_a_number_that_rounding_puts_above_the_limit_is_drawn():
    _columns({"p": np.array([1 + 5e-5])}, "a")
    with pytest.raises(ValueError, match="must lie"):
        _columns({"p": np.array([1 + 2e-4])}, "a")
    with pytest.raises(ValueError, match="must lie"):
        _columns({"p": np.array([np.nan])}, "a")


def test_labels_that_do_not_fit_side_by_side_are_turned():
    chart = _columns({"p": np.array([0.5, 0.5])}, ["ab", "abcd"])
    axis = complete(chart)["encoding"]["x"]["axis"]
    assert value(chart, "room") == text_width("abcd", 13) + 8
    upright, slanted = "width / length(labels) < 22", "width / length(labels) < room"
    assert axis["labelAngle"] == {"expr": f"{upright} ? -90 : {slanted} ? -40 : 0"}
    assert axis["labelAlign"] == {"expr": f"{upright} || {slanted} ? 'right' : 'center'"}
    assert axis["labelBaseline"] == {"expr": f"{upright} ? 'middle' : 'top'"}


def test_every_label_is_in_the_middle_of_its_space_and_none_is_left_out():
    axis = complete(_columns({"p": np.array([0.5])}, "a"))["encoding"]["x"]["axis"]
    assert axis["values"] == {"expr": "sequence(0.5, length(labels))"}
    assert axis["labelExpr"] == "labels[floor(datum.value)]"
    assert axis["tickCount"] == {"expr": "length(labels)"}
    assert not any(axis[name] for name in ("labelOverlap", "grid", "ticks", "domain"))
    assert axis["labelLimit"] == 140


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_names_of_score_functions_beside_their_bars_are_whole(language):
    names = [translator(language)(f"scaling.name_{name}") for name in NAMES]
    axis = complete(bars(dict.fromkeys(names, 1.0), title="time"))["layer"][0]["encoding"]["y"]
    font, limit = (axis["axis"][name] for name in ("labelFontSize", "labelLimit"))
    assert all(max_text_width([name], font) < limit for name in names)


def test_bars_stand_below_each_other_with_room_for_the_number_of_the_longest():
    chart = bars({"a": 5.0, "b": 10.0}, title="time")
    assert [(row["top"], row["middle"], row["bottom"]) for row in rows(chart, "bars")] == [
        pytest.approx((0.15, 0.5, 0.85)),
        pytest.approx((1.15, 1.5, 1.85)),
    ]
    assert value(chart, "end") == pytest.approx(11.8)  # the longest bar and 18 % of it
    assert chart.height == 2 * 40 + 60
    bar, number = complete(chart)["layer"]
    from_top = {"domain": [0, {"expr": "length(names)"}], "nice": False, "reverse": True}
    assert bar["encoding"]["y"]["scale"] == number["encoding"]["y"]["scale"] == from_top
    assert number["encoding"]["text"]["format"] == ".3~f"
    assert number["mark"]["align"] == "left"
    assert number["mark"]["dx"] == 6


def test_the_legend_of_columns_has_a_line_for_each_name_on_a_phone():
    legend = complete(_columns({"p": np.array([0.5])}, "a"))["encoding"]["color"]["legend"]
    assert legend["columns"] == {"expr": "width < 420 ? 1 : 0"}
    assert legend["orient"] == "top"
    assert legend["labelLimit"] == 400
