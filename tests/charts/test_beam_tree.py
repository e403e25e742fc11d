"""The beam as a tree: as wide as its tokens need, and no wider."""

from __future__ import annotations

import pytest

from model.pictures.text_width import text_width
from tests.charts.complete import complete, rows, value
from ui.charts.beam_tree import Branch, beam_tree_chart

TITLES = {"winner": "won", "kept": "stays", "pruned": "given up"}


def test_every_branch_grows_from_its_parent():
    branches = [Branch(1, 0, 0, "a", -0.5, "winner"), Branch(1, 1, 0, "b", -1.5, "pruned")]
    branches += [Branch(2, 0, 1, "c", -2.5, "kept")]
    chart = beam_tree_chart(branches, titles=TITLES, score_title="score")
    drawn = rows(chart, "branches")
    names = "step", "rank", "parent", "token", "score", "kind"
    assert [[row[name] for name in names] for row in drawn] == [
        [getattr(branch, name) for name in names] for branch in branches
    ]
    assert [row["name"] for row in drawn] == ["won", "given up", "stays"]
    assert all(row["step"] - 1 < row["start"] < row["from"] < row["step"] for row in drawn)
    assert (value(chart, "steps"), value(chart, "ranks")) == (2, 2)
    edges, tokens = (layer["encoding"] for layer in complete(chart)["layer"])
    fields = [edges[name]["field"] for name in ("x", "x2", "y", "y2")]
    assert fields == ["start", "from", "parent", "rank"]
    assert [tokens[name]["field"] for name in ("x", "y", "text")] == ["step", "rank", "token"]
    assert tokens["y"]["scale"]["reverse"] is True
    assert tokens["color"]["sort"] == [*TITLES.values()]
    assert [*chart.numbers["continues_rank"]] == [1, 1, 2]


@pytest.mark.parametrize("token", ["a", "demandé", "·professionnellement", "未经许可的行为"])
def test_a_token_has_its_room_and_ten_pixels_between_the_lines(token: str):
    """Lines leave free 0.72 of a step; twelve steps of common words fit on 1440 pixels."""
    branches = [Branch(n, 0, 0, token, 0.0, "winner") for n in range(1, 13)]
    step = beam_tree_chart(branches, titles=TITLES, score_title="score").width / 12
    assert 0.72 * step >= text_width(token, 14) + 10
    assert step == 72 or 0.72 * (step - 1) < text_width(token, 14) + 10
    assert step * 12 <= 1344 or token not in ("a", "demandé")
