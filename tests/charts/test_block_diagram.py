"""Where the norms stand in the drawing of a block."""

from __future__ import annotations

import pytest

from tests.charts.complete import complete
from ui.charts.block_diagram import block_diagram


def _rows(drawing: dict, *columns: str) -> list[dict]:
    """The data of all layers that have just these columns, from below."""
    found = [row for layer in drawing["layer"] for row in layer["data"]["values"]]
    return sorted((row for row in found if set(row) == set(columns)), key=lambda row: row["y"])


@pytest.mark.parametrize("pre_norm", [True, False])
def test_norm_sublayer_and_sum_stand_in_their_order(pre_norm):
    chart = block_diagram(["attention", "<b>ffn</b>"], norm="norm", pre_norm=pre_norm, enters="x")
    drawing = complete(chart)
    texts = [row["label"] for row in _rows(drawing, "x", "y", "label")]
    part = ["norm", "{}"] if pre_norm else ["{}", "norm"]
    names = [name.format(of) for of in ("attention", "<b>ffn</b>") for name in part]
    assert texts == ["x", *names]  # and text stays text
    sums = _rows(drawing, "x", "y")
    [stream] = {row["x"] for row in sums}  # the sums stand in it
    boxes = _rows(drawing, "x", "x2", "y", "y2", "kind")
    norms = [box for box in boxes if box["kind"] == "norm"]
    sublayers = [box for box in boxes if box["kind"] == "sublayer"]
    assert [box["x"] < stream < box["x2"] for box in norms] == [not pre_norm] * 2
    for norm, sublayer, total in zip(norms, sublayers, sums, strict=True):
        places = [norm["y2"], sublayer["y"], sublayer["y2"], total["y"]]
        if not pre_norm:
            places = [sublayer["y2"], total["y"], norm["y"]]
        assert places == sorted(places)
