"""What is drawn in other ways than over two axes: dials, paths, a tree, a block."""

import numpy as np
import pytest

from model.pictures.text import text_width
from tests.charts.complete import complete, rows, value
from ui.charts.beam_tree import Branch, beam_tree_chart
from ui.charts.block_diagram import block_diagram
from ui.charts.dials import dials
from ui.charts.scenes import token_paths

TITLES = {"winner": "won", "kept": "stays", "pruned": "given up"}
PATHS = {"layer_titles": ["embedding", "layer 1", "layer 2"], "axis_titles": ["a", "b", "c"]}
PLACES = np.random.default_rng(1).normal(size=(3, 2, 3)).astype(np.float32)


def _dials(before, after, labels):
    names = {"before_title": "p", "after_title": "p + k", "dial_title": "wave"}
    return dials(np.array(before), np.array(after), labels=labels, **names)


def test_every_dial_has_two_hands_that_stand_where_the_angles_say():
    chart = _dials([0.5, 7.0], [1.5, 6.0], ["<b>", "2"])
    assert (value(chart, "n"), value(chart, "names")) == (2, ["p", "p + k"])
    columns = {name: [*column] for name, column in chart.numbers.items()}
    assert columns == {"wave": ["<b>", "2"], "p": [0.5, 7.0], "p + k": [1.5, 6.0]}
    hands = rows(chart, "hands")
    said = [(row["hand"], row["label"], row["place"]) for row in hands]
    assert said == [
        (hand, label, n + 0.5) for hand in ("p", "p + k") for n, label in enumerate(("<b>", "2"))
    ]
    angles = [row["angle"] for row in hands]
    assert angles == pytest.approx([0.5, 7.0 - 2 * np.pi, 1.5, 6.0])
    assert [row["to"] - row["from"] for row in hands] == pytest.approx([1, -1, 1, -1])
    assert [row["from"] for row in hands] == pytest.approx(angles[:2] * 2)
    for layer in complete(chart)["layer"][1:3]:
        assert layer["encoding"]["theta"]["scale"] is layer["encoding"]["theta"]["stack"] is None
    [row, _] = rows(_dials([0.0], [2 * np.pi + 0.25], ["a"]), "hands")  # more than a turn
    assert row["to"] - row["from"] == pytest.approx(0.25)


def test_paths_lead_through_the_places_up_to_the_layer_that_was_asked_for():
    spans = []
    for last in range(3):
        scene = token_paths(PLACES, ["<b>x</b>", "y"], **PATHS, last=last)
        lines, points = scene.data
        shown = PLACES[: last + 1].transpose(1, 0, 2).reshape(-1, 3)
        np.testing.assert_array_equal(np.stack((points.z, points.x, points.y), axis=1), shown)
        drawn = np.stack((lines.z, lines.x, lines.y), axis=1)
        np.testing.assert_array_equal(drawn[~np.isnan(drawn[:, 0])], shown)
        assert np.isnan(drawn[last + 1]).all()  # no line from one token to the next
        assert [text for text in points.text if text] == ["<b>x</b>", "y"]
        assert points.hovertext[0] == "&lt;b&gt;x&lt;/b&gt;<br>embedding"
        assert points.text[last]
        assert points.text[-1]
        axes = [scene.layout.scene[f"{axis}axis"] for axis in "zxy"]
        assert [axis.title.text for axis in axes] == ["a", "b", "c"]
        spans.append([axis.range for axis in axes])
    assert spans[0] == spans[1] == spans[2]  # the axes stay, whatever is drawn
    for (low, high), values in zip(spans[0], PLACES.reshape(-1, 3).T, strict=True):
        assert low < values.min()
        assert values.max() < high


def test_what_does_not_fit_is_refused():
    for last, tokens in ((-1, ["x", "y"]), (3, ["x", "y"]), (0, ["x"])):
        with pytest.raises(ValueError, match="do not fit"):
            token_paths(PLACES, tokens, **PATHS, last=last)


def test_every_branch_grows_from_its_parent():
    branches = [Branch(1, 0, 0, "a", -0.5, "winner"), Branch(1, 1, 0, "b", -1.5, "pruned")]
    branches += [Branch(2, 0, 1, "c", -2.5, "kept")]
    chart = beam_tree_chart(branches, titles=TITLES, score_title="score")
    drawn = rows(chart, "branches")
    assert [tuple(row[name] for name in Branch._fields) for row in drawn] == branches
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
