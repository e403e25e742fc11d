"""Where the norms stand in the drawing of a block."""

from __future__ import annotations

import pytest

from tests.charts.complete import complete
from ui.charts.block_diagram import block_diagram


def _drawing(*, pre_norm: bool) -> dict:
    chart = block_diagram(["attention", "<b>ffn</b>"], norm="norm", pre_norm=pre_norm, enters="x")
    return complete(chart)


def _rows(drawing: dict, *columns: str) -> list[dict]:
    """The data of all layers that have just these columns."""
    return [
        row
        for layer in drawing["layer"]
        for row in layer["data"]["values"]
        if set(row) == set(columns)
    ]


@pytest.mark.parametrize("pre_norm", [True, False])
def test_every_box_is_named_and_text_stays_text(pre_norm):
    texts = _rows(_drawing(pre_norm=pre_norm), "x", "y", "label")
    assert sorted(row["label"] for row in texts) == ["<b>ffn</b>", "attention", "norm", "norm", "x"]


@pytest.mark.parametrize("pre_norm", [True, False])
def test_only_post_norm_stands_in_the_stream(pre_norm):
    drawing = _drawing(pre_norm=pre_norm)
    [stream] = {row["x"] for row in _rows(drawing, "x", "y")}  # the sums stand in it
    norms = [row for row in _rows(drawing, "x", "x2", "y", "y2", "kind") if row["kind"] == "norm"]
    assert [row["x"] < stream < row["x2"] for row in norms] == [not pre_norm] * 2


def test_the_sum_comes_after_the_sublayer_and_before_a_post_norm():
    drawing = _drawing(pre_norm=False)
    sums = sorted(row["y"] for row in _rows(drawing, "x", "y"))
    boxes = _rows(drawing, "x", "x2", "y", "y2", "kind")
    norms = sorted(row["y"] for row in boxes if row["kind"] == "norm")
    sublayers = sorted(row["y2"] for row in boxes if row["kind"] == "sublayer")
    for sublayer, total, norm in zip(sublayers, sums, norms, strict=True):
        assert sublayer < total < norm
