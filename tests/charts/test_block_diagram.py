"""The drawing of one block: a box for the sublayer and one for the norm."""

import json

import pytest

from ui.charts.block_diagram import block_diagram


@pytest.mark.parametrize("pre_norm", [True, False])
def test_every_box_has_the_same_size_and_lies_in_the_drawing(pre_norm: bool) -> None:
    chart = block_diagram(["attention"], norm="norm", pre_norm=pre_norm, enters="x")
    design = json.loads(chart.design)
    tables = [layer["data"]["values"] for layer in design["layer"]]
    boxes = [row for rows in tables for row in rows if "x2" in row and "kind" in row]
    assert len(boxes) == 2
    for box in boxes:
        assert (box["x2"] - box["x"], box["y2"] - box["y"]) == (130, 34)
    assert {(box["x"] + box["x2"]) / 2 for box in boxes} <= {75, 215}
    assert all(box["x"] >= 0 and box["x2"] <= 290 for box in boxes)


def test_the_name_of_the_input_below_the_block_is_inside_the_drawing() -> None:
    chart = block_diagram(["attention"], norm="norm", pre_norm=True, enters="x")
    design = json.loads(chart.design)
    bottom, _ = design["encoding"]["y"]["scale"]["domain"]
    rows = [row for layer in design["layer"] for row in layer["data"]["values"]]
    [name] = [row for row in rows if "x" in row.values()]
    assert bottom < name["y"] - 10  # half the height of its letters
