"""Curves on logarithmic axes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.charts.complete import complete, rows, value
from ui.charts.lines import lines


def test_a_log_axis_is_ruled_at_the_powers_of_ten_that_enclose_the_values():
    chart = lines(
        {"a": np.array([0.5, 30.0])}, np.array([1.0, 2]), x_title="x", y_title="y", log_y=True
    )
    assert complete(chart)["layer"][0]["encoding"]["y"]["axis"]["values"] == {"expr": "powers"}
    assert value(chart, "powers") == [0.1, 1.0, 10.0, 100.0]


def test_a_gap_does_not_move_the_rules():
    values = {"a": np.array([1.0, np.nan, 5.0])}
    chart = lines(values, np.arange(3.0), x_title="x", y_title="y", log_y=True)
    assert value(chart, "powers") == [1.0, 10.0]
    assert [row["y"] for row in rows(chart, "curves")] == [1, None, 5]


def test_many_powers_of_ten_become_a_few_ticks():
    values = {"a": np.array([1e-81, 1.0])}
    chart = lines(values, np.array([1.0, 2]), x_title="x", y_title="y", log_y=True)
    ticks = value(chart, "powers")
    assert 5 <= len(ticks) <= 11
    assert ticks[0] <= 1e-81


def test_whole_numbers_get_whole_ticks():
    whole, fractions = (
        lines({"a": np.ones(3)}, x, x_title="x", y_title="y")
        for x in (np.arange(3.0), np.array([0.5, 1.5, 2.0]))
    )
    assert complete(whole)["layer"][0]["encoding"]["x"]["axis"] == {"tickMinStep": 1}
    assert "tickMinStep" not in complete(fractions)["layer"][0]["encoding"]["x"]["axis"]


def test_a_single_curve_needs_no_legend():
    one, two = (
        lines({name: np.ones(2) for name in names}, np.arange(2.0), x_title="x", y_title="y")
        for names in ("a", "ab")
    )
    assert complete(one)["layer"][0]["encoding"]["color"]["legend"] is None
    colour = complete(two)["layer"][0]["encoding"]["color"]
    assert colour["legend"]["orient"] == "top"
    assert colour["scale"]["domain"] == {"expr": "names"}
    assert value(two, "names") == ["a", "b"]


def test_a_ring_stands_where_it_is_told():
    chart = lines({"a": np.ones(2)}, np.arange(2.0), x_title="x", y_title="y", ring=(0.5, 1.0))
    assert complete(chart)["layer"][-1]["data"] == {"name": "ring"}
    assert rows(chart, "ring") == [{"x": 0.5, "y": 1.0}]


def test_a_line_stands_where_it_is_told():
    chart = lines({"a": np.ones(2)}, np.arange(2.0), x_title="x", y_title="y", mark_x=0)
    assert complete(chart)["layer"][-1]["data"] == {"name": "mark"}
    assert rows(chart, "mark") == [{"x": 0}]
    chart = lines({"a": np.ones(2)}, np.arange(2.0), x_title="x", y_title="y", mark_x=[0, 0.5])
    assert rows(chart, "mark") == [{"x": 0}, {"x": 0.5}]


def test_curves_may_stand_at_places_of_their_own():
    curves = {"a": np.array([1.0, 2]), "b": np.array([3.0, 4, 5])}
    x = {"a": np.array([0.0, 9]), "b": np.array([1.0, 2, 3])}
    chart = lines(curves, x, x_title="x", y_title="y")
    drawn = [(row["curve"], row["x"], row["y"]) for row in rows(chart, "curves")]
    assert drawn == [("a", 0, 1), ("a", 9, 2), ("b", 1, 3), ("b", 2, 4), ("b", 3, 5)]
    with pytest.raises(ValueError, match="curve 'a' has shape"):
        lines(curves, x | {"a": np.arange(3.0)}, x_title="x", y_title="y")


def test_a_name_in_chinese_gets_the_room_of_its_wide_signs():
    room = {
        name: value(
            lines({name: np.ones(2), "b": np.ones(2)}, np.arange(2.0), x_title="x", y_title="y"),
            "room",
        )
        for name in ("梯度最小的先去掉", "gradient")
    }
    assert room["梯度最小的先去掉"] > 8 * 14 > room["gradient"]


def test_a_slider_below_goes_over_the_whole_numbers_and_shows_the_curves_there():
    x = np.arange(0, 5.25, 0.25)
    chart = lines({"a": x, "b": -x}, x, x_title="x", y_title="y", slider="position")
    whole = complete(chart)
    [bound] = [one for one in whole["params"] if one["name"] == "at"]
    assert bound["bind"] == {"input": "range", "name": "position", "max": 5}
    assert bound["value"] == 0
    moving = [layer for layer in whole["layer"] if "transform" in layer]
    assert [layer["mark"]["type"] for layer in moving] == ["rule", "point", "text"]
    assert all(layer["transform"][0] == {"filter": "datum.x == at"} for layer in moving)
    still = lines({"a": x}, x, x_title="x", y_title="y")
    assert "bind" not in str(complete(still))
