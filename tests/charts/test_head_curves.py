"""Curves of all heads over the steps of a training."""

from __future__ import annotations

import numpy as np
import pytest

from tests.charts.complete import complete, rows, value
from ui.charts.head_curves import head_curves

STEPS = [0, 5, 60]
VALUES = np.arange(12).reshape(3, 2, 2) / 12
TEXTS = {"layer_names": ["L1", "L2"], "head_names": ["H1", "H2"]} | {
    "x_title": "step",
    "y_title": "share",
}


def drawn(**changed):
    options = TEXTS | {"chosen": (1, 0)} | changed
    return head_curves(options.pop("values", VALUES), options.pop("steps", STEPS), **options)


def test_every_head_stands_at_every_step_with_its_value():
    points = rows(drawn(), "curves")
    assert len(points) == 12
    for n, layer, head in np.ndindex(3, 2, 2):
        [row] = [
            row
            for row in points
            if (row["step"], row["layer"], row["head"])
            == (STEPS[n], f"L{layer + 1}", f"H{head + 1}")
        ]
        assert row["value"] == VALUES[n, layer, head]
        assert row["chosen"] == ((layer, head) == (1, 0))


def test_step_0_has_a_place_and_shares_their_whole_range():
    chart = drawn()
    encoding = complete(chart)["encoding"]
    scale = {"type": "symlog", "constant": {"expr": "linear"}, "nice": False}
    assert encoding["x"]["scale"] == scale
    assert value(chart, "linear") == 5
    assert encoding["x"]["axis"]["values"] == {"expr": "steps"}
    assert value(chart, "steps") == STEPS
    assert encoding["y"]["scale"]["domain"] == [0, 1]


def test_each_layer_has_the_colour_of_its_place():
    chart = drawn()
    assert complete(chart)["encoding"]["color"]["scale"]["domain"] == {"expr": "layers"}
    assert value(chart, "layers") == ["L1", "L2"]


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
        drawn(**changed)
