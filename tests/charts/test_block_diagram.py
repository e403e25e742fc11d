"""The drawing of one block: a box for the sublayer and a box for the norm."""

import json
from itertools import pairwise
from typing import Any

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
    # in the stream, or beside it
    assert {(box["x"] + box["x2"]) / 2 for box in boxes} <= {75, 215}
    assert all(box["x"] >= 0 and box["x2"] <= 290 for box in boxes)


def test_the_name_of_the_input_below_the_block_is_inside_the_drawing() -> None:
    chart = block_diagram(["attention"], norm="norm", pre_norm=True, enters="x")
    design = json.loads(chart.design)
    bottom, _ = design["encoding"]["y"]["scale"]["domain"]
    rows = [row for layer in design["layer"] for row in layer["data"]["values"]]
    [name] = [row for row in rows if "x" in row.values()]
    assert bottom < name["y"] - 10  # half the height of its letters


def drawing(*sublayers: str, pre_norm: bool) -> dict[str, Any]:
    """Return the design of a block, as Vega-Lite reads it."""
    chart = block_diagram(sublayers, norm="norm", pre_norm=pre_norm, enters="x")
    design: dict[str, Any] = json.loads(chart.design)
    return design


def rows_of(design: dict[str, Any], mark: str, **options: object) -> list[dict[str, Any]]:
    """Return the data of all layers with a mark that has these options."""
    layers = [layer for layer in design["layer"] if layer["mark"]["type"] == mark]
    chosen = [layer for layer in layers if options.items() <= layer["mark"].items()]
    return [row for layer in chosen for row in layer["data"]["values"]]


@pytest.mark.parametrize("pre_norm", [True, False])
def test_every_arrow_begins_at_the_stream_or_a_box_and_ends_at_a_box_or_a_sum(
    pre_norm: bool,
) -> None:
    design = drawing("attention", "feed-forward", pre_norm=pre_norm)
    pieces = rows_of(design, "rule", strokeWidth=1.5)
    boxes = rows_of(design, "rect")
    sums = rows_of(design, "point", filled=False)
    assert all(piece["x"] == piece["x2"] or piece["y"] == piece["y2"] for piece in pieces)
    beginnings = {(piece["x"], piece["y"]) for piece in pieces}
    ends = {(piece["x2"], piece["y2"]) for piece in pieces}
    tops = {((box["x"] + box["x2"]) / 2, box["y2"]) for box in boxes}
    bottoms = {((box["x"] + box["x2"]) / 2, box["y"]) for box in boxes}
    right_of_sums = {(circle["x"] + 12, circle["y"]) for circle in sums}
    from_stream = {(75, 8), (75, 158)}  # each sublayer takes its input a little above its bottom
    beside = {(x, y) for x, y in tops | bottoms if x == 215}
    assert beginnings - ends == from_stream | (beside & tops)
    assert ends - beginnings == right_of_sums | (beside & bottoms)
    [arrow_heads] = [
        layer["mark"] for layer in design["layer"] if layer["mark"].get("shape") == "triangle-up"
    ]
    assert (arrow_heads["size"], arrow_heads["opacity"]) == (60, 1)  # square pixels
    heads = {(row["x"], row["y"]): row["angle"] for row in rows_of(design, "point", filled=True)}
    assert heads == dict.fromkeys(beside & bottoms, 0) | dict.fromkeys(right_of_sums, 270) | {
        (75, 318): 0  # out of the block, upwards
    }


@pytest.mark.parametrize(
    ("pre_norm", "gaps"),
    [
        (True, []),
        (False, [(105, 139), (255, 289)]),  # the norms of both sublayers lie in the stream
    ],
)
def test_only_a_norm_after_the_sum_interrupts_the_stream(
    pre_norm: bool, gaps: list[tuple[int, int]]
) -> None:
    design = drawing("attention", "feed-forward", pre_norm=pre_norm)
    thick = rows_of(design, "rule", strokeWidth=4)
    stream = sorted((row["y"], row["y2"]) for row in thick if row["x"] == row["x2"])
    assert {row["x"] for row in thick if row["x"] == row["x2"]} == {75}
    assert stream[0][0] == 0
    assert stream[-1][1] == 316  # two sublayers of 150 pixels, and 16 above them
    between = [(end, start) for (_, end), (start, _) in pairwise(stream) if start > end]
    assert between == gaps
    norms = [row for row in rows_of(design, "rect") if row["kind"] == "norm"]
    assert [(row["y"], row["y2"]) for row in norms if row["x"] < 75 < row["x2"]] == gaps


@pytest.mark.parametrize("pre_norm", [True, False])
def test_a_sum_is_a_circle_in_the_stream_with_a_plus_as_wide_as_it(pre_norm: bool) -> None:
    design = drawing("attention", "feed-forward", pre_norm=pre_norm)
    sums = rows_of(design, "point", filled=False)
    assert [row["x"] for row in sums] == [75, 75]
    assert sums[1]["y"] - sums[0]["y"] == 150
    flat = [row for row in rows_of(design, "rule", strokeWidth=4) if row["y"] == row["y2"]]
    assert flat == [{"x": 63, "x2": 87, "y": row["y"], "y2": row["y"]} for row in sums]


def test_each_box_has_its_name_in_its_middle_and_the_first_sublayer_is_below() -> None:
    design = drawing("attention", "feed-forward", pre_norm=True)
    names = rows_of(design, "text", fontSize=14)
    middles = {
        ((box["x"] + box["x2"]) / 2, (box["y"] + box["y2"]) / 2): box["kind"]
        for box in rows_of(design, "rect")
    }
    assert {(row["x"], row["y"]) for row in names} == set(middles)
    for row in names:
        assert (row["label"] == "norm") == (middles[row["x"], row["y"]] == "norm")
    heights = {row["label"]: row["y"] for row in names}
    assert heights["attention"] < heights["feed-forward"]
    assert rows_of(design, "text", fontSize=15) == [{"x": 75, "y": -14, "label": "x"}]


@pytest.mark.parametrize("n_sublayers", [1, 2, 3])
def test_a_pixel_of_the_drawing_is_a_pixel_of_the_page(n_sublayers: int) -> None:
    sublayers = [f"sublayer {n}" for n in range(n_sublayers)]
    chart = block_diagram(sublayers, norm="norm", pre_norm=True, enters="x")
    encoding = json.loads(chart.design)["encoding"]
    bottom, top = encoding["y"]["scale"]["domain"]
    assert chart.height == top - bottom == 150 * n_sublayers + 2 * 26
    assert bottom == -26
    assert encoding["x"]["scale"]["domain"] == [0, 290]
    assert not encoding["x"]["scale"]["nice"]
    assert not encoding["y"]["scale"]["nice"]
