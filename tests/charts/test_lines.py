"""Curves over one axis, and those of all heads over the steps of a training."""

import numpy as np
import pytest

from tests.charts.complete import complete, rows, value
from ui.charts.lines import head_curves, lines

STEPS = [0, 5, 60]
VALUES = np.arange(12).reshape(3, 2, 2) / 12


def _lines(curves: dict, x: object = None, **how: object):
    n = len(next(iter(curves.values())))
    titles = {"x_title": "across", "y_title": "up"}
    return lines(curves, np.arange(float(n)) if x is None else x, **titles, **how)


def _encoding(chart, layer: int = 0) -> dict:
    return complete(chart)["layer"][layer]["encoding"]


def test_curves_stand_at_their_places_under_their_titles():
    curves = {"a": np.array([1.0, 2]), "b": np.array([3.0, 4, 5])}
    x = {"a": np.array([0.0, 9]), "b": np.array([1.0, 2, 3])}
    chart = _lines(curves, x)
    drawn = [(row["curve"], row["x"], row["y"]) for row in rows(chart, "curves")]
    assert drawn == [("a", 0, 1), ("a", 9, 2), ("b", 1, 3), ("b", 2, 4), ("b", 3, 5)]
    encoding = _encoding(chart)
    said = [(encoding[axis]["field"], encoding[axis]["title"]) for axis in "xy"]
    assert said == [("x", "across"), ("y", "up")]
    said = [(one["field"], one["title"]) for one in encoding["tooltip"]]
    assert said == [("curve", " "), ("x", "across"), ("y", "up")]
    assert encoding["color"]["field"] == "curve"
    assert encoding["color"]["legend"]["orient"] == "top"
    assert value(chart, "names") == ["a", "b"]
    assert [[*column] for column in chart.numbers.values()] == [
        [*column] for column in zip(*drawn, strict=True)
    ]
    assert [*chart.numbers] == ["curve", "across", "up"]
    assert _encoding(_lines({"a": np.ones(2)}))["color"]["legend"] is None
    with pytest.raises(ValueError, match="curve 'a' has shape"):
        _lines(curves, x | {"a": np.arange(3.0)})


@pytest.mark.parametrize(
    ("values", "powers"),
    [
        ([0.5, 30.0], [0.1, 1, 10, 100]),
        ([1.0, np.nan, 5.0], [1, 10]),  # a gap does not move the rules
        ([1e-81, 1.0], [*10.0 ** np.arange(-81, 1, 9)]),  # many become a few
    ],
)
def test_a_log_axis_is_ruled_at_powers_of_ten_that_enclose_the_values(values, powers):
    chart = _lines({"a": np.array(values)}, log_y=True)
    assert _encoding(chart)["y"]["scale"]["type"] == "log"
    assert _encoding(chart)["y"]["axis"]["values"] == {"expr": "powers"}
    np.testing.assert_allclose(value(chart, "powers"), powers)
    drawn = [row["y"] for row in rows(chart, "curves")]
    assert drawn == [None if np.isnan(one) else one for one in values]


def test_what_has_no_logarithm_is_refused_x_has_base_two_and_whole_numbers_whole_ticks():
    chart = _lines({"a": np.ones(2)}, np.array([1.0, 2]), log_x=True)
    assert _encoding(chart)["x"]["scale"] == {"base": 2, "type": "log"}
    for how in ({"log_x": True}, {"log_y": True}):
        with pytest.raises(ValueError, match="positive"):
            _lines({"a": np.arange(2.0)}, **how)
    for x, step in ((np.arange(3.0), 1), (np.array([0.5, 1.5, 2]), None)):
        assert _encoding(_lines({"a": np.ones(3)}, x))["x"]["axis"].get("tickMinStep") == step


def test_a_ring_and_a_line_stand_where_they_are_told():
    for how, table, drawn in (
        ({"ring": (0.5, 1.0)}, "ring", [{"x": 0.5, "y": 1.0}]),
        ({"mark_x": 0}, "mark", [{"x": 0}]),
    ):
        chart = _lines({"a": np.ones(2)}, **how)
        layer = complete(chart)["layer"][-1]
        assert layer["data"] == {"name": table}
        assert [layer["encoding"][axis]["field"] for axis in drawn[0]] == [*drawn[0]]
        assert rows(chart, table) == drawn


def test_a_name_in_chinese_gets_the_room_of_its_wide_signs():
    names = "梯度最小的先去掉", "gradient"
    wide, narrow = (value(_lines({name: np.ones(2), "b": np.ones(2)}), "room") for name in names)
    assert wide > 8 * 14 > narrow


def test_a_slider_below_goes_over_the_whole_numbers_and_shows_the_curves_there():
    x = np.arange(0, 5.25, 0.25)
    whole = complete(_lines({"a": x, "b": -x}, x, slider="position"))
    [bound] = [one for one in whole["params"] if one["name"] == "at"]
    assert bound["bind"] == {"input": "range", "name": "position", "max": 5}
    assert bound["value"] == 0
    moving = [layer for layer in whole["layer"] if "transform" in layer]
    assert [layer["mark"]["type"] for layer in moving] == ["rule", "point", "text"]
    assert all(layer["transform"][0] == {"filter": "datum.x == at"} for layer in moving)
    assert "bind" not in str(complete(_lines({"a": x}, x)))


def _heads(**changed):
    given = {"layer_names": ["L1", "L2"], "head_names": ["H1", "H2"], "chosen": (1, 0)}
    given |= {"values": VALUES, "steps": STEPS, "x_title": "step", "y_title": "share"} | changed
    return head_curves(given.pop("values"), given.pop("steps"), **given)


def test_every_head_stands_at_every_step_with_its_value():
    chart = _heads()
    drawn = {(row["step"], row["layer"], row["head"]): row for row in rows(chart, "curves")}
    assert len(drawn) == 12
    for n, layer, head in np.ndindex(3, 2, 2):
        row = drawn[STEPS[n], f"L{layer + 1}", f"H{head + 1}"]
        assert (row["value"], row["chosen"]) == (VALUES[n, layer, head], (layer, head) == (1, 0))
    encoding = complete(chart)["encoding"]
    scale = {"type": "symlog", "constant": {"expr": "linear"}, "nice": False}
    assert encoding["x"]["scale"] == scale  # step 0 has a place
    assert (value(chart, "linear"), value(chart, "steps")) == (5, STEPS)
    assert encoding["y"]["scale"]["domain"] == [0, 1]
    titles = [(encoding[axis]["field"], encoding[axis]["title"]) for axis in "xy"]
    assert titles == [("step", "step"), ("value", "share")]
    assert encoding["color"]["field"] == "layer"
    assert value(chart, "layers") == ["L1", "L2"]
    assert chart.numbers["head"].tolist() == [1, 2] * 6
    assert chart.numbers["layer"].tolist() == [1, 1, 2, 2] * 3


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"steps": [0, 5]}, "do not fit 2 steps"),
        ({"layer_names": ["L1"]}, "1 layers"),
        ({"values": VALUES * 2}, r"must lie in \[0, 1\]"),
        ({"values": VALUES * np.nan}, r"must lie in \[0, 1\]"),
    ],
)
def test_what_cannot_be_drawn(changed, complaint):
    with pytest.raises(ValueError, match=complaint):
        _heads(**changed)
