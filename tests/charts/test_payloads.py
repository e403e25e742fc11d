"""What the browser gets of all maps, and of matrices."""

import json

import numpy as np
import pytest

from ui.components.attention_grid import UNIT
from ui.components.attention_grid import pack as pack_maps
from ui.components.matrices import Matrix, pack


def unpack(blob: bytes, kind: str) -> tuple[dict, np.ndarray]:
    length = int.from_bytes(blob[:4], "little")
    assert (4 + length) % 4 == 0  # the numbers start on an even address
    return json.loads(blob[4 : 4 + length]), np.frombuffer(blob[4 + length :], dtype=kind)


def _maps(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).dirichlet(np.ones(shape[-1]), shape[:-1]).astype(np.float32)


def _pack(weights: np.ndarray, queries: str = "abcd", keys: str = "tuvwxyz", **how) -> bytes:
    given = {"layer": 2, "head": None, "texts": {"layer": "L"}} | how
    return pack_maps(weights, query_tokens=[*queries], key_tokens=[*keys], **given)


def test_maps_come_back_with_what_is_said_of_them():
    weights, marks = _maps(2, 3, 4, 7), [([("−1", "Previous <b>")], False), ([], True)] * 3
    for queries in ("abcd", "éßñ🙂"):
        header, cells = unpack(_pack(weights, queries, marks=marks), "<u2")
        assert np.abs(cells.reshape(header["shape"]) / UNIT - weights).max() <= 0.5 / UNIT + 1e-7
        assert header["shape"] == [2, 3, 4, 7]
        assert (header["queries"], header["keys"]) == ([*queries], [*"tuvwxyz"])
    assert (header["layer"], header["head"], header["texts"]) == (2, None, {"layer": "L"})
    assert header["marks"][:2] == [[[["−1", "Previous <b>"]], False], [[], True]]
    letters = [("A", 1, None), ("B", 1, 2)]
    header, _ = unpack(_pack(weights, letters=letters, seconds=True), "<u2")
    assert (header["letters"], header["seconds"]) == ([["A", 1, None], ["B", 1, 2]], True)
    assert len(_pack(_maps(4, 8, 24, 24), "q" * 24, "k" * 24)) < 40_000


def test_norms_come_back_in_units_of_their_limit_and_of_a_covered_row_nothing_is_sent():
    norms = np.array([[[[0.5, 2.0, 4.0]]]])
    header, cells = unpack(_pack(norms, "q", "abc", limit=4.0), "<u2")
    assert np.abs(cells / UNIT * 4 - norms.ravel()).max() < 4 / UNIT
    assert header["limit"] == 4
    weights = _maps(2, 3, 4, 7)
    header, cells = unpack(_pack(weights, covered=[1]), "<u2")
    cells = cells.reshape(header["shape"]) / UNIT
    assert header["covered"] == [1]
    assert not cells[:, :, 1].any()
    assert np.abs(cells - weights)[:, :, [0, 2, 3]].max() <= 0.5 / UNIT + 1e-7
    assert weights[:, :, 1].all()


@pytest.mark.parametrize(
    ("weights", "message"),
    [(np.ones((1, 1, 2, 1)), "fit"), (np.ones((1, 1)), "fit"), (np.full((1, 1, 1, 2), 1.5), "lie")],
)
def test_a_wrong_shape_or_weight_is_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        _pack(weights, "q", "ab")


def test_matrices_come_back_with_their_labels_and_the_limit_of_their_colours():
    first = np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5
    second = np.array([[1, -np.inf]], dtype=np.float32)
    labels = {"row_labels": ["a", "b"], "column_labels": ["x", "y", "z"]}
    shown = [Matrix(first, "é<b>", **labels, languages=("fr", None)), Matrix(second, "s", "(1, 2)")]
    blob = pack(shown, operators=["="], links=["i:"], picked=(1, 0, 0), pickable=True)
    header, numbers = unpack(blob, "<f4")
    np.testing.assert_array_equal(numbers, [*first.ravel(), *second.ravel()])
    one, other = header["matrices"]
    assert (one["rows"], one["columns"], other["rows"], other["columns"]) == (2, 3, 1, 2)
    assert (one["title"], one["rowLabels"], one["columnLabels"]) == ("é<b>", [*"ab"], [*"xyz"])
    assert (one["languages"], other["caption"]) == (["fr", ""], "(1, 2)")
    assert (header["operators"], header["links"], header["picked"]) == (["="], ["i:"], [1, 0, 0])
    assert header["pickable"] is True
    values = np.array([[-3, 2, -np.inf, np.nan]], dtype=np.float32)
    shown = [Matrix(values, "s"), Matrix(values, "s", limit=5.0), Matrix(np.zeros((1, 1)), "zero")]
    header, _ = unpack(pack(shown), "<f4")
    assert [matrix["limit"] for matrix in header["matrices"]] == [3, 5, 1]  # largest visible one


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (np.zeros(3), {}, "two axes"),
        (np.zeros((0, 3)), {}, "two axes"),
        (np.zeros((2, 3)), {"row_labels": ["a"]}, "1 labels for 2"),
        (np.zeros((2, 3)), {"column_labels": ["a", "b"]}, "2 labels for 3"),
        (np.zeros((2, 3)), {"column_groups": 2}, "do not divide"),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused(values, options, message):
    with pytest.raises(ValueError, match=message):
        Matrix(values, "m", **options)
