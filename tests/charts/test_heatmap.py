"""The large map: right cell in the right place, whatever the tokens are."""

from __future__ import annotations

import numpy as np
import pytest

from tests.charts.complete import complete, domain, labels, rows, value
from ui.charts.heatmap import heatmap

ODD = ("the", "the", "1", '"', "\\", "<b>x</b>", "$x$", "`c`", "שלום", "🙂", "'", "\u2028", "]")


def _map(n_queries: int, n_keys: int) -> np.ndarray:
    return np.random.default_rng(0).dirichlet(np.ones(n_keys), n_queries).astype(np.float32)


def _axes(chart) -> dict[str, dict]:
    cells, sums = complete(chart)["layer"]
    encoding = cells["encoding"]
    return {
        "columns": encoding["x"],
        "rows": encoding["y"],
        "sums": sums["encoding"]["y"],
    }


def _labels(chart, axis: str) -> list[str]:
    return labels(chart, _axes(chart)[axis]["axis"])


def test_query_is_the_row_and_key_the_column():
    weights = np.zeros((2, 3), dtype=np.float32)
    weights[0, 2] = weights[1, 0] = 1
    chart = heatmap(weights, query_tokens=("le", "chat"), key_tokens=("a", "black", "cat"))
    [cell] = [row for row in rows(chart, "cells") if row["query"] == "le" and row["weight"] == 1]
    assert (cell["top"], cell["bottom"], cell["left"], cell["right"]) == (0, 1, 2, 3)
    assert cell["key"] == "cat"


def test_first_row_is_at_the_top_and_first_column_at_the_left():
    chart = heatmap(_map(2, 3), query_tokens="ab", key_tokens="xyz")
    axes = _axes(chart)
    assert domain(chart, axes["rows"]) == [0, 2]
    assert domain(chart, axes["columns"]) == [0, 3]
    assert {**axes["rows"]["scale"], "domain": ...} == {
        "domain": ...,
        "nice": False,
        "reverse": True,
        "zero": False,
    }
    assert {**axes["columns"]["scale"], "domain": ...} == {
        "domain": ...,
        "nice": False,
        "zero": False,
    }
    assert _labels(chart, "rows") == ["a", "b"]
    assert _labels(chart, "columns") == ["x", "y", "z"]


def test_another_map_of_the_same_tokens_is_drawn_in_the_same_picture():
    """The browser begins a picture anew where anything but its tables has changed."""
    first, second = (
        heatmap(weights, query_tokens="abcde", key_tokens="tuvwxyz", row_notes=list(notes))
        for weights, notes in ((_map(5, 7), "12345"), (_map(5, 7)[::-1], "67890"))
    )
    assert _labels(first, "sums") != _labels(second, "sums")
    for chart in (first, second):
        chart.tables.clear()
    assert first == second


def test_of_a_covered_row_nothing_is_drawn():
    weights = _map(5, 7)
    covered = weights.copy()
    covered[2] = np.nan
    chart = heatmap(covered, query_tokens="abcde", key_tokens="tuvwxyz", covered=[2])
    whole = heatmap(weights, query_tokens="abcde", key_tokens="tuvwxyz")
    others = [cell for cell in rows(whole, "cells") if cell["top"] != 2]
    assert rows(chart, "cells") == others
    assert [row["total"] for row in rows(chart, "rows")] == ["Σ 1.00"] * 2 + ["?"] + ["Σ 1.00"] * 2
    assert rows(chart, "covers") == [{"top": 2, "bottom": 3, "left": 0, "right": 7}]
    assert len(complete(chart)["layer"]) == len(complete(whole)["layer"]) + 1
    assert np.isnan(chart.numbers["weight"].reshape(5, 7)).all(axis=1).tolist() == [
        row == 2 for row in range(5)
    ]


def test_every_weight_is_drawn_exactly():
    weights = _map(5, 7)
    chart = heatmap(weights, query_tokens="abcde", key_tokens="tuvwxyz")
    assert len(rows(chart, "cells")) == 35
    for cell in rows(chart, "cells"):
        assert np.float32(cell["weight"]) == weights[cell["top"], cell["left"]]
        assert (cell["query"], cell["key"]) == ("abcde"[cell["top"]], "tuvwxyz"[cell["left"]])


def test_equal_tokens_keep_their_own_cells():
    chart = heatmap(_map(3, 3), query_tokens=("the",) * 3, key_tokens=("the",) * 3)
    assert len({(row["top"], row["left"]) for row in rows(chart, "cells")}) == 9


def test_odd_tokens_stay_text():
    n = len(ODD)
    chart = heatmap(_map(n, n), query_tokens=ODD, key_tokens=ODD)
    assert _labels(chart, "rows") == list(ODD)
    assert _labels(chart, "columns") == list(ODD)
    assert not any(token in chart.design for token in ODD if len(token) > 1 and token != "the")
    assert {row["query"] for row in rows(chart, "cells")} == set(ODD)


def test_colours_span_zero_to_one_whatever_the_weights():
    chart = heatmap(np.full((1, 4), 0.25), query_tokens="a", key_tokens="wxyz")
    colour = complete(chart)["layer"][0]["encoding"]["color"]
    assert colour["scale"]["clamp"] is True
    assert domain(chart, colour) == [0, 1]


def test_row_sums_are_shown():
    weights = np.array([[0.5, 0.25], [0.25, 0.125]], dtype=np.float32)
    chart = heatmap(weights, query_tokens="ab", key_tokens="xy", normalised=False)
    assert _labels(chart, "sums") == ["Σ 0.75", "Σ 0.38"]


def test_norms_have_a_scale_of_their_own_and_no_sums():
    norms = np.array([[3.0, 1.5]])
    chart = heatmap(norms, query_tokens="a", key_tokens="xy", normalised=False, limit=3.0)
    assert domain(chart, complete(chart)["layer"][0]["encoding"]["color"]) == [0, 3]
    assert _labels(chart, "sums") == [""]
    with pytest.raises(ValueError, match="must lie in"):
        heatmap(norms, query_tokens="a", key_tokens="xy", normalised=False, limit=2.0)


def test_hidden_cells_of_a_causal_map_are_not_drawn():
    weights = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.25, 0.25, 0.5]], dtype=np.float32)
    chart = heatmap(weights, query_tokens="abc", key_tokens="abc", causal=True)
    assert {(row["top"], row["left"]) for row in rows(chart, "cells")} == {
        (0, 0),
        (1, 0),
        (1, 1),
        (2, 0),
        (2, 1),
        (2, 2),
    }


@pytest.mark.parametrize(
    ("weights", "options", "message"),
    [
        (np.full((3, 2), 0.5), {}, "do not fit 2 query tokens and 3 key tokens"),
        (np.full((2, 3, 1), 1.0), {}, "do not fit"),
        (np.full((2, 3), 0.5), {}, "sum to 1"),
        (np.array([[1.2, -0.1, -0.1], [1, 0, 0]]), {}, "must lie in"),
        (np.full((2, 3), np.nan), {}, "must lie in"),
        (np.full((2, 3), 1 / 3), {"causal": True}, "right of the diagonal"),
    ],
)
def test_a_map_that_cannot_be_true_is_refused(weights, options, message):
    with pytest.raises(ValueError, match=message):
        heatmap(weights, query_tokens="ab", key_tokens="xyz", **options)


def test_an_empty_map_is_refused():
    with pytest.raises(ValueError, match="do not fit"):
        heatmap(np.zeros((0, 0)), query_tokens=(), key_tokens=())


def test_marked_cells_get_a_frame_and_no_others():
    chart = heatmap(_map(3, 4), query_tokens="abc", key_tokens="wxyz", marked=[(2, 0), (0, 3)])
    assert rows(chart, "marks") == [
        {"top": 0, "bottom": 1, "left": 3, "right": 4},
        {"top": 2, "bottom": 3, "left": 0, "right": 1},
    ]
    cells, _, frames = complete(chart)["layer"]
    assert frames["mark"]["filled"] is False
    for axis in ("x", "y"):
        assert frames["encoding"][axis]["scale"] == cells["encoding"][axis]["scale"]
    assert len(complete(heatmap(_map(2, 2), query_tokens="ab", key_tokens="cd"))["layer"]) == 2


def test_a_place_for_frames_changes_nothing_but_the_frames():
    """The chart is the same with and without an open cell: the browser draws on, in place."""
    how = {"query_tokens": "ab", "key_tokens": "xyz"}
    none, one = (heatmap(_map(2, 3), **how, marked=marked) for marked in ([], [(1, 2)]))
    assert none.design == one.design
    assert rows(none, "marks") == []
    [mark] = rows(one, "marks")
    assert (mark["top"], mark["bottom"], mark["left"], mark["right"]) == (1, 2, 2, 3)


def test_differences_have_a_scale_that_is_as_long_on_both_sides():
    differences = np.array([[-0.5, 0.25], [0, 1]], dtype=np.float32)
    chart = heatmap(differences, query_tokens="ab", key_tokens="xy", signed=True)
    scale = complete(chart)["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == [{"expr": "-limit"}, {"expr": "limit"}]
    assert scale["range"] == "diverging"
    assert value(chart, "limit") == 1
    assert [row["weight"] for row in rows(chart, "cells")] == [-0.5, 0.25, 0, 1]
    assert _labels(chart, "sums") == ["", ""]  # such a sum says nothing
    with pytest.raises(ValueError, match="must lie in"):
        heatmap(-1.1 * differences, query_tokens="ab", key_tokens="xy", signed=True)


def test_a_narrow_map_has_upright_labels_and_notes_in_place_of_sums():
    how = {"query_tokens": "ab", "key_tokens": "xyz", "row_notes": ["m", "n"]}
    narrow, wide = (heatmap(_map(2, 3), **how, narrow=narrow) for narrow in (True, False))
    assert _labels(narrow, "sums") == ["m", "n"]
    assert _labels(wide, "sums") == ["Σ 1.00 m", "Σ 1.00 n"]
    assert (value(narrow, "upright"), value(wide, "upright")) == (True, False)
    turned = _axes(narrow)["columns"]["axis"]["labelAngle"]["expr"]
    assert turned.startswith("upright || ")
