"""The large map: right cell in the right place, whatever the tokens are."""

import numpy as np
import pytest

from tests.charts.complete import complete, domain, labels, rows, value
from ui.charts.heatmap import heatmap

ODD = ("the", "the", "1", '"', "\\", "<b>x</b>", "$x$", "`c`", "שלום", "🙂", "'", "\u2028", "]")


def _map(n_queries: int, n_keys: int) -> np.ndarray:
    return np.random.default_rng(0).dirichlet(np.ones(n_keys), n_queries).astype(np.float32)


def _encodings(chart) -> tuple[dict, dict]:
    """Of the cells, and of the sums beside them."""
    cells, sums, *_ = complete(chart)["layer"]
    return cells["encoding"], sums["encoding"]


def _sums(chart) -> list[str]:
    return labels(chart, _encodings(chart)[1]["y"]["axis"])


def test_every_weight_stands_in_the_row_of_its_query_and_the_column_of_its_key():
    weights = _map(5, 7)
    titles = {"query_title": "Q", "key_title": "K", "weight_title": "W"}
    chart = heatmap(weights, query_tokens="abcde", key_tokens="tuvwxyz", **titles)
    cells = rows(chart, "cells")
    assert len(cells) == 35
    for cell in cells:
        row, column = cell["top"], cell["left"]
        assert np.float32(cell["weight"]) == weights[row, column]
        assert (cell["query"], cell["key"]) == ("abcde"[row], "tuvwxyz"[column])
        assert (cell["bottom"], cell["right"]) == (row + 1, column + 1)
    encoding, _ = _encodings(chart)
    said = [(one["field"], one["title"]) for one in encoding["tooltip"]]
    assert said == [("query", "Q"), ("key", "K"), ("weight", "W")]
    assert encoding["color"]["legend"]["title"] == "W"
    scale = {"domain": ..., "nice": False, "zero": False}
    for axis, field, more, names in (
        ("x", "left", {"reverse": {"expr": "from_right"}}, "tuvwxyz"),
        ("y", "top", {"reverse": True}, "abcde"),
    ):
        assert encoding[axis]["field"] == field
        assert domain(chart, encoding[axis]) == [0, len(names)]
        assert encoding[axis]["scale"] | {"domain": ...} == scale | more
        assert labels(chart, encoding[axis]["axis"]) == [*names]
    assert [*chart.numbers] == ["Q", "K", "W"]
    saved = [*zip(*chart.numbers.values(), strict=True)]
    assert saved == [
        ("abcde"[q], "tuvwxyz"[k], weight) for (q, k), weight in np.ndenumerate(weights)
    ]


def test_another_map_of_the_same_tokens_is_drawn_in_the_same_picture():
    """The browser begins a picture anew where anything but its tables has changed."""
    first, second = (
        heatmap(weights, query_tokens="abcde", key_tokens="tuvwxyz", row_notes=list(notes))
        for weights, notes in ((_map(5, 7), "12345"), (_map(5, 7)[::-1], "67890"))
    )
    assert _sums(first) != _sums(second)
    for chart in (first, second):
        chart.tables.clear()
    assert first == second


def test_of_a_covered_row_nothing_is_drawn():
    weights = _map(5, 7)
    covered = weights.copy()
    covered[2] = np.nan
    chart = heatmap(covered, query_tokens="abcde", key_tokens="tuvwxyz", covered=[2])
    whole = heatmap(weights, query_tokens="abcde", key_tokens="tuvwxyz")
    assert rows(chart, "cells") == [cell for cell in rows(whole, "cells") if cell["top"] != 2]
    assert [row["total"] for row in rows(chart, "rows")] == ["Σ 1.00"] * 2 + ["?"] + ["Σ 1.00"] * 2
    assert rows(chart, "covers") == [{"top": 2, "bottom": 3, "left": 0, "right": 7}]
    assert len(complete(chart)["layer"]) == len(complete(whole)["layer"]) + 1
    hidden = np.isnan(chart.numbers["weight"].reshape(5, 7)).all(axis=1)
    assert hidden.tolist() == [row == 2 for row in range(5)]


def test_odd_and_equal_tokens_stay_text_and_keep_their_own_cells_but_hidden_ones():
    n = len(ODD)
    weights = np.tri(n) / np.arange(1, n + 1)[:, None]
    chart = heatmap(weights, query_tokens=ODD, key_tokens=ODD, causal=True)
    encoding, _ = _encodings(chart)
    for axis in "xy":
        assert labels(chart, encoding[axis]["axis"]) == [*ODD]
    assert not any(token in chart.design for token in ODD if len(token) > 1 and token != "the")
    drawn = [(cell["top"], cell["left"], cell["query"]) for cell in rows(chart, "cells")]
    assert drawn == [(i, j, ODD[i]) for i in range(n) for j in range(i + 1)]


def test_colours_span_zero_to_one_or_to_the_limit():
    quarters = np.full((1, 4), 0.25)
    norms = np.array([[3.0, 1.5, 0, 0]])
    for values, how, end, total in (
        (quarters, {}, 1, "Σ 1.00"),
        (quarters[:, :3].repeat(2, axis=1)[:, :4] * 0.5, {"normalised": False}, 1, "Σ 0.50"),
        (norms, {"normalised": False, "limit": 3.0}, 3, ""),
    ):
        chart = heatmap(values, query_tokens="a", key_tokens="wxyz", **how)
        colour = _encodings(chart)[0]["color"]
        assert colour["scale"]["clamp"] is True
        assert domain(chart, colour) == [0, end]
        assert _sums(chart) == [total]
    with pytest.raises(ValueError, match="must lie in"):
        heatmap(norms, query_tokens="a", key_tokens="wxyz", normalised=False, limit=2.0)


@pytest.mark.parametrize(
    ("weights", "options", "message"),
    [
        (np.full((3, 2), 0.5), {}, "do not fit 2 query tokens and 3 key tokens"),
        (np.full((2, 3, 1), 1.0), {}, "do not fit"),
        (np.zeros((0, 0)), {}, "do not fit"),
        (np.full((2, 3), 0.5), {}, "sum to 1"),
        (np.array([[1.2, -0.1, -0.1], [1, 0, 0]]), {}, "must lie in"),
        (np.full((2, 3), np.nan), {}, "must lie in"),
        (np.full((2, 3), 1 / 3), {"causal": True}, "right of the diagonal"),
    ],
)
def test_a_map_that_cannot_be_true_is_refused(weights, options, message):
    with pytest.raises(ValueError, match=message):
        heatmap(weights, query_tokens="ab", key_tokens="xyz", **options)


def test_marked_cells_get_a_frame_in_a_place_that_is_there_without_them_too():
    how = {"query_tokens": "abc", "key_tokens": "wxyz"}
    chart = heatmap(_map(3, 4), **how, marked=[(2, 0), (0, 3)])
    assert rows(chart, "marks") == [
        {"top": 0, "bottom": 1, "left": 3, "right": 4},
        {"top": 2, "bottom": 3, "left": 0, "right": 1},
    ]
    cells, _, frames = complete(chart)["layer"]
    assert frames["mark"]["filled"] is False
    for axis, field in (("x", "left"), ("y", "top")):
        assert frames["encoding"][axis]["scale"] == cells["encoding"][axis]["scale"]
        assert frames["encoding"][axis]["field"] == field
    none = heatmap(_map(3, 4), **how, marked=[])
    assert (none.design, rows(none, "marks")) == (chart.design, [])  # the browser draws on
    assert len(complete(heatmap(_map(3, 4), **how))["layer"]) == 2


def test_differences_have_a_scale_that_is_as_long_on_both_sides():
    differences = np.array([[-0.5, 0.25], [0, 1]], dtype=np.float32)
    chart = heatmap(differences, query_tokens="ab", key_tokens="xy", signed=True)
    scale = _encodings(chart)[0]["color"]["scale"]
    assert scale["domain"] == [{"expr": "-limit"}, {"expr": "limit"}]
    assert scale["range"] == "diverging"
    assert value(chart, "limit") == 1
    assert [row["weight"] for row in rows(chart, "cells")] == [-0.5, 0.25, 0, 1]
    assert _sums(chart) == ["", ""]  # such a sum says nothing
    with pytest.raises(ValueError, match="must lie in"):
        heatmap(-1.1 * differences, query_tokens="ab", key_tokens="xy", signed=True)


def test_a_narrow_map_has_upright_labels_and_notes_in_place_of_sums():
    how = {"query_tokens": "ab", "key_tokens": "xyz", "row_notes": ["m", "n"]}
    for narrow, notes in ((True, ["m", "n"]), (False, ["Σ 1.00 m", "Σ 1.00 n"])):
        chart = heatmap(_map(2, 3), **how, narrow=narrow)
        assert _sums(chart) == notes
        assert value(chart, "upright") is narrow
    turned = _encodings(chart)[0]["x"]["axis"]["labelAngle"]["expr"]
    assert turned.startswith("upright || ")


def test_long_column_labels_have_room_above_the_rows():
    height, taller = (
        heatmap(_map(2, 2), query_tokens="ab", key_tokens=keys).height
        for keys in (("x", "y"), ("x", "constitutional"))
    )
    assert taller > height + 30
