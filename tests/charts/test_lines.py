"""Curves over one axis, and the curves of all heads over the training steps."""

import numpy as np
import pytest

from model.pictures.text import text_width
from tests.charts.complete import complete, rows, value
from ui.charts.lines import head_curves, lines

STEPS = [0, 5, 60]
VALUES = np.arange(12).reshape(3, 2, 2) / 12


def _lines(curves: dict, x: object = None, **options: object):
    """Draw curves over x, or over 0, 1, 2, ..."""
    if x is None:
        n = len(next(iter(curves.values())))
        x = np.arange(float(n))
    return lines(curves, x, x_title="across", y_title="up", **options)


def test_each_curve_is_drawn_over_its_own_x():
    curves = {"a": np.array([1.0, 2]), "b": np.array([3.0, 4, 5])}
    x = {"a": np.array([0.0, 9]), "b": np.array([1.0, 2, 3])}
    chart = _lines(curves, x)
    drawn = [(row["curve"], row["x"], row["y"]) for row in rows(chart, "curves")]
    assert drawn == [("a", 0, 1), ("a", 9, 2), ("b", 1, 3), ("b", 2, 4), ("b", 3, 5)]
    with pytest.raises(ValueError, match="curve 'a' has shape"):
        _lines(curves, {"a": np.arange(3.0), "b": x["b"]})


@pytest.mark.parametrize(
    ("values", "powers"),
    [
        ([0.5, 30.0], [0.1, 1, 10, 100]),
        ([10.0, 10.0], [10]),
        ([1.0, np.nan, 5.0], [1, 10]),  # a gap does not change the grid lines
        ([1e-81, 1.0], [*10.0 ** np.arange(-81, 1, 9)]),  # a large range has only a few grid lines
    ],
)
def test_the_grid_lines_of_a_log_axis_are_powers_of_ten_that_enclose_the_values(values, powers):
    chart = _lines({"a": np.array(values)}, log_y=True)
    np.testing.assert_allclose(value(chart, "powers"), powers)
    drawn = [row["y"] for row in rows(chart, "curves")]
    assert drawn == [None if np.isnan(value) else value for value in values]


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([0.05, 1500.0], ["0.01", "0.1", "1", "10", "100", "1,000", "10,000"]),
        ([1e5, 2e6], ["10⁵", "10⁶", "10⁷"]),
        ([1e-12, 1e-11], ["10⁻¹²", "10⁻¹¹"]),
    ],
)
def test_the_labels_of_a_log_axis_are_short_powers_of_ten(values, labels):
    chart = _lines({"a": np.array(values)}, log_y=True)
    assert value(chart, "power_labels") == labels
    axis = complete(chart)["layer"][0]["encoding"]["y"]["axis"]
    assert axis["labelExpr"] == "power_labels[indexof(powers, datum.value)]"


def test_an_axis_below_a_text_that_names_its_values_has_no_title():
    y = complete(_lines({"a": np.ones(2)}, titled=False))["layer"][0]["encoding"]["y"]
    assert y["title"] is None


def test_the_axes_of_shares_that_are_still_measured_end_at_one_and_where_the_curve_will_end():
    chart = _lines({"a": np.array([0.2, 0.3])}, x_end=600, shares=True)
    encoding = complete(chart)["layer"][0]["encoding"]
    assert encoding["x"]["scale"] == {"domainMin": 0, "domainMax": {"expr": "x_end"}, "nice": False}
    assert value(chart, "x_end") == 600
    assert encoding["y"]["scale"]["domain"] == [0, 1]


@pytest.mark.parametrize("axis", ["log_x", "log_y"])
def test_a_log_axis_refuses_zero(axis):
    with pytest.raises(ValueError, match="positive"):
        _lines({"a": np.arange(2.0)}, **{axis: True})


def test_a_chinese_name_gets_room_for_its_wide_characters():
    wide = value(_lines({"梯度最小的先去掉": np.ones(2), "b": np.ones(2)}), "room")
    narrow = value(_lines({"gradient": np.ones(2), "b": np.ones(2)}), "room")
    assert wide > 8 * 14 > narrow  # 8 characters, each 14 pixels wide


def _heads(values=VALUES, steps=STEPS, layer_names=("L1", "L2")):
    return head_curves(
        values,
        steps,
        layer_names=layer_names,
        head_names=["H1", "H2"],
        chosen=(1, 0),
        x_title="step",
        y_title="share",
    )


def test_every_head_is_drawn_at_every_step_with_its_value():
    chart = _heads()
    drawn = {(row["step"], row["layer"], row["head"]): row for row in rows(chart, "curves")}
    assert len(drawn) == 12
    for n, layer, head in np.ndindex(3, 2, 2):
        row = drawn[STEPS[n], f"L{layer + 1}", f"H{head + 1}"]
        assert (row["value"], row["chosen"]) == (VALUES[n, layer, head], (layer, head) == (1, 0))
    assert chart.numbers["head"].tolist() == [1, 2] * 6
    assert chart.numbers["layer"].tolist() == [1, 1, 2, 2] * 3


def test_axes_of_head_curves_are_steps_and_shares_and_each_layer_has_a_colour():
    chart = _heads()
    encoding = complete(chart)["encoding"]
    scale = {"type": "symlog", "constant": {"expr": "linear"}, "nice": False}
    assert encoding["x"]["scale"] == scale  # the scale can show step 0
    assert (value(chart, "linear"), value(chart, "steps")) == (5, STEPS)
    assert encoding["y"]["scale"]["domain"] == [0, 1]
    titles = [(encoding[axis]["field"], encoding[axis]["title"]) for axis in "xy"]
    assert titles == [("step", "step"), ("value", "share")]
    assert encoding["color"]["field"] == "layer"
    assert value(chart, "layers") == ["L1", "L2"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"steps": [0, 5]}, "do not fit 2 steps"),
        ({"layer_names": ["L1"]}, "1 layers"),
        ({"values": VALUES * 2}, r"must lie in \[0, 1\]"),
        ({"values": VALUES - 0.01}, r"must lie in \[0, 1\]"),
        ({"values": VALUES * np.nan}, r"must lie in \[0, 1\]"),
    ],
)
def test_impossible_head_curves_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        _heads(**changed)


def test_equal_curves_alternate_in_stripes_so_that_all_are_visible():
    same = np.array([1.0, 1.0])
    curves = {"a": same, "b": np.array([1.0, 2.0]), "c": same, "d": same}
    chart = lines(curves, np.array([1, 2]), x_title="x", y_title="y")
    # In each 27 pixels, d covers the first 9, and c the first 18: the last 9 are those of a.
    assert value(chart, "dashes") == [[], [], [18, 9], [9, 18]]
    [curve] = _layers(chart, "line")
    assert curve["encoding"]["strokeDash"]["legend"] is None
    del curves["c"], curves["d"]
    [curve] = _layers(lines(curves, np.array([1, 2]), x_title="x", y_title="y"), "line")
    assert "strokeDash" not in curve["encoding"]


def test_a_chart_of_a_figure_that_has_a_legend_needs_none():
    curves = {"a": np.array([1.0, 1.0]), "b": np.array([1.0, 2.0])}
    chart = lines(curves, np.array([1, 2]), x_title="x", y_title="y", legend=False)
    [curve] = _layers(chart, "line")
    assert curve["encoding"]["color"]["legend"] is None


@pytest.mark.parametrize(("values", "domain"), [([0.0, 0.0], [0, 1]), ([0.0, 0.5], None)])
def test_curves_that_are_all_zero_have_a_readable_axis(values, domain):
    drawn = complete(_lines({"a": np.array(values)}))["layer"][0]["encoding"]["y"]
    assert drawn.get("scale", {}).get("domain") == domain


def _layers(chart, mark: str) -> list[dict]:
    """Return the layers of a chart that draw this kind of mark."""
    return [layer for layer in complete(chart)["layer"] if layer["mark"]["type"] == mark]


def test_a_vertical_line_and_a_ring_are_drawn_where_they_are_asked_for():
    chart = _lines({"a": np.array([1.0, 2])}, mark_x=0.5, ring=(1.0, 2.0))
    assert rows(chart, "mark") == [{"x": 0.5}]
    assert rows(chart, "ring") == [{"x": 1.0, "y": 2.0}]
    [rule] = _layers(chart, "rule")
    [circle] = _layers(chart, "point")
    assert rule["data"] == {"name": "mark"}
    assert circle["data"] == {"name": "ring"}
    assert circle["mark"]["opacity"] == 1
    plain = _lines({"a": np.array([1.0, 2])})
    assert not _layers(plain, "rule") + _layers(plain, "point")
    assert set(plain.tables) == {"curves"}


def test_a_slider_goes_to_the_last_x_and_shows_each_value_there_with_two_decimals():
    chart = _lines({"a": np.array([1.0, 2, 3])}, slider="position")
    assert chart.sliders == {"at": ("position", 2)}
    [rule], [dots], [numbers] = (_layers(chart, mark) for mark in ("rule", "point", "text"))
    at_slider = {"filter": "datum.x == at"}
    assert [layer["transform"] for layer in (rule, dots)] == [[at_slider], [at_slider]]
    assert numbers["transform"] == [at_slider, {"filter": "at > 0"}]
    assert (dots["mark"]["filled"], dots["mark"]["opacity"]) == (True, 1)
    assert numbers["encoding"]["text"] == {"field": "y", "format": ".2f", "type": "quantitative"}
    # At the right end, a value is to the left of its dot.
    assert numbers["mark"]["align"] == {"expr": "at > 0.8 * domain('x')[1] ? 'right' : 'left'"}
    assert numbers["mark"]["dx"] == {"expr": "at > 0.8 * domain('x')[1] ? -9 : 9"}
    assert numbers["mark"]["dy"] < 0  # above the dot
    assert not _lines({"a": np.ones(2)}).sliders


@pytest.mark.parametrize(
    ("x", "log_x", "axis"),
    [
        ([1.0, 2.0], False, {"tickMinStep": 1}),  # between whole numbers there is nothing to read
        ([1.0, 2.5], False, {}),
        ([1.0, 2.0], True, {}),
    ],
)
def test_whole_numbers_have_no_marks_between_them(x, log_x, axis):
    chart = _lines({"a": np.array([1.0, 2])}, np.array(x), log_x=log_x)
    encoding = complete(chart)["layer"][0]["encoding"]["x"]
    assert encoding["axis"] == axis
    scale = {"type": "log", "base": 2} if log_x else {"zero": False, "nice": False}
    assert encoding["scale"] == scale


def test_only_several_curves_have_a_legend_that_lets_the_chart_grow():
    one, two = _lines({"a": np.ones(2)}), _lines({"a": np.ones(2), "b": np.zeros(2)})
    legends = [complete(chart)["layer"][0]["encoding"]["color"]["legend"] for chart in (one, two)]
    assert legends[0] is None
    assert legends[1]["orient"] == "top"
    assert (one.grows, two.grows) == (False, True)
    # A chart that grows leaves 70 pixels for its axis and one line of legend.
    assert (complete(one)["height"], complete(two)["height"]) == (280, 210)


def test_a_legend_and_the_end_of_a_chart_leave_no_empty_band():
    chart = complete(_lines({"a": np.ones(2), "b": np.zeros(2)}))
    legend = chart["layer"][0]["encoding"]["color"]["legend"]
    # Streamlit's own style has 16 pixels on each side of a legend, and 20 below a chart.
    assert (legend["padding"], legend["offset"]) == (0, 8)
    # At the right is half of the last label of the axis, "65,536" at most.
    assert chart["padding"] == {"top": 8, "bottom": 4, "right": 24}


def test_each_name_in_the_legend_gets_the_width_of_the_longest_and_36_pixels_for_its_symbol():
    chart = _lines({"ab": np.ones(2), "abcd": np.zeros(2)})
    assert value(chart, "room") == text_width("abcd", 14) + 36


@pytest.mark.parametrize("points", [True, False])
def test_every_value_has_a_dot_if_asked(points):
    [curve] = _layers(_lines({"a": np.ones(2)}, points=points), "line")
    assert curve["mark"]["point"] is points


def test_a_curve_is_two_and_a_half_pixels_wide_and_has_stripes_only_over_an_equal_one():
    same = np.array([1.0, np.nan])
    chart = _lines({"a": same, "b": same, "c": same, "d": np.zeros(2)})
    assert value(chart, "dashes") == [[], [18, 9], [9, 18], []]
    [curve] = _layers(_lines({"a": same}), "line")
    assert curve["encoding"]["strokeWidth"] == {"value": 2.5}
    elsewhere = {"a": np.arange(2.0), "b": np.arange(2.0) + 1}
    [curve] = _layers(_lines({"a": same, "b": same}, elsewhere), "line")
    assert "strokeDash" not in curve["encoding"]


def test_the_chosen_head_is_a_thick_and_full_line_among_thin_and_pale_ones():
    chart = _heads()
    encoding = complete(chart)["encoding"]
    chosen, others = "datum.chosen", "value"
    assert encoding["strokeWidth"] == {"condition": {"test": chosen, others: 4}, others: 1.5}
    assert encoding["opacity"] == {"condition": {"test": chosen, others: 1}, others: 0.5}
    legend = encoding["color"]["legend"]
    assert (legend["orient"], legend["symbolOpacity"]) == ("top", 1)
    assert complete(chart)["mark"]["point"] is True
    assert chart.height == 300


@pytest.mark.parametrize(("steps", "linear"), [([0, 5, 60], 5), ([0], 1), ([0, 1, 2], 1)])
def test_the_axis_is_linear_up_to_the_first_step_after_the_start(steps, linear):
    assert value(_heads(np.zeros((len(steps), 2, 2)), steps), "linear") == linear
