"""What the browser gets of matrices."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ui.components.matrices import _cell
from ui.components.matrices.payload import Matrix, pack


def _unpack(blob: bytes) -> tuple[dict, list[np.ndarray]]:
    length = int.from_bytes(blob[:4], "little")
    header = json.loads(blob[4 : 4 + length])
    numbers = np.frombuffer(blob[4 + length :], dtype="<f4")
    matrices = []
    for matrix in header["matrices"]:
        size = matrix["rows"] * matrix["columns"]
        matrices.append(numbers[:size].reshape(matrix["rows"], matrix["columns"]))
        numbers = numbers[size:]
    assert numbers.size == 0
    return header, matrices


def test_numbers_and_labels_come_back():
    first = np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5
    second = np.array([[1, -np.inf]], dtype=np.float32)
    labelled = Matrix(first, "é<b>", row_labels=["a", "b"], column_labels=["x", "y", "z"])
    header, matrices = _unpack(
        pack([labelled, Matrix(second, "s")], operators=["="], links=["i:"], picked=(1, 0, 0))
    )
    assert np.array_equal(matrices[0], first)
    assert np.array_equal(matrices[1], second)
    assert header["matrices"][0]["title"] == "é<b>"
    assert header["matrices"][0]["columnLabels"] == ["x", "y", "z"]
    assert (header["operators"], header["links"], header["picked"]) == (["="], ["i:"], [1, 0, 0])


def test_the_strongest_colour_is_the_largest_visible_number():
    values = np.array([[-3, 2, -np.inf, np.nan]], dtype=np.float32)
    header, _ = _unpack(pack([Matrix(values, "s"), Matrix(values, "s", limit=5.0)]))
    assert [matrix["limit"] for matrix in header["matrices"]] == [3, 5]
    header, _ = _unpack(pack([Matrix(np.zeros((1, 1)), "zero")]))
    assert header["matrices"][0]["limit"] == 1


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


def test_whatever_a_browser_sends_a_cell_that_is_there_or_none_comes_out():
    matrices = [Matrix(np.zeros((2, 3)), "a"), Matrix(np.zeros((1, 1)), "b")]
    assert _cell([0, 1, 2], matrices) == (0, 1, 2)
    for junk in ([1, 9, -4], [1, 0, 1], [7, 0, 0], [-1, 0, 0], ["0", 0, 0], "x", None, [0]):
        assert _cell(junk, matrices) is None
