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


def test_curves_stand_at_their_places():
    curves = {"a": np.array([1.0, 2]), "b": np.array([3.0, 4, 5])}
    x = {"a": np.array([0.0, 9]), "b": np.array([1.0, 2, 3])}
    chart = _lines(curves, x)
    drawn = [(row["curve"], row["x"], row["y"]) for row in rows(chart, "curves")]
    assert drawn == [("a", 0, 1), ("a", 9, 2), ("b", 1, 3), ("b", 2, 4), ("b", 3, 5)]
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
    np.testing.assert_allclose(value(chart, "powers"), powers)
    drawn = [row["y"] for row in rows(chart, "curves")]
    assert drawn == [None if np.isnan(one) else one for one in values]


def test_what_has_no_logarithm_is_refused():
    for how in ({"log_x": True}, {"log_y": True}):
        with pytest.raises(ValueError, match="positive"):
            _lines({"a": np.arange(2.0)}, **how)


def test_a_name_in_chinese_gets_the_room_of_its_wide_signs():
    names = "梯度最小的先去掉", "gradient"
    wide, narrow = (value(_lines({name: np.ones(2), "b": np.ones(2)}), "room") for name in names)
    assert wide > 8 * 14 > narrow


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
