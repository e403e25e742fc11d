"""What the browser gets for all maps, and for matrices. tests/ui checks what it sends back."""

import json

import numpy as np
import pytest

from ui.components.attention_grid import pack as pack_maps
from ui.components.matrices import Matrix, pack
from ui.export.tables import Labels


@pytest.mark.parametrize(
    ("weights", "message"),
    [(np.ones((1, 1, 2, 1)), "fit"), (np.ones((1, 1)), "fit"), (np.full((1, 1, 1, 2), 1.5), "lie")],
)
def test_a_wrong_shape_or_weight_is_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        pack_maps(weights, Labels("q", "ab"), layer=2, head=None, texts={})


def test_the_largest_visible_number_is_the_end_of_the_colour_scale():
    values = np.array([[-3, 2, -np.inf, np.nan]], dtype=np.float32)
    shown = [Matrix(values, "é"), Matrix(values, "s", limit=5.0), Matrix(np.zeros((1, 1)), "zero")]
    packed = pack(shown)
    end = 4 + int.from_bytes(packed[:4], "little")
    assert end % 4 == 0  # the numbers begin at a multiple of 4 bytes
    assert [matrix["limit"] for matrix in json.loads(packed[4:end])["matrices"]] == [3, 5, 1]


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (np.zeros(3), {}, "two axes"),
        (np.zeros((0, 3)), {}, "two axes"),
        (np.zeros((2, 3)), {"labels": Labels(["a"])}, "1 labels for 2"),
        (np.zeros((2, 3)), {"labels": Labels((), ["a", "b"])}, "2 labels for 3"),
        (np.zeros((2, 3)), {"groups": 2}, "do not divide"),
    ],
)
def test_a_matrix_with_wrong_axes_labels_or_groups_is_refused(values, options, message):
    with pytest.raises(ValueError, match=message):
        Matrix(values, "m", **options)


def unpacked(packed: bytes) -> tuple[dict, bytes]:
    """Return the header and the numbers, as the browser reads them."""
    end = 4 + int.from_bytes(packed[:4], "little")
    return json.loads(packed[4:end]), packed[end:]


def test_a_weight_is_sent_in_units_of_the_limit_and_a_covered_row_is_empty():
    weights = np.array([[[[0.0, 2.0], [1.0, 4.0]]]])
    header, numbers = unpacked(pack_maps(weights, Labels("qr", "ab"), limit=4.0))
    assert header["shape"] == [1, 1, 2, 2]
    assert header["limit"] == 4.0
    # a half, a quarter and the whole of 65535, rounded
    assert np.frombuffer(numbers, "<u2").tolist() == [0, 32768, 16384, 65535]
    _, numbers = unpacked(pack_maps(weights, Labels("qr", "ab"), limit=4.0, covered=[1]))
    assert np.frombuffer(numbers, "<u2").tolist() == [0, 32768, 0, 0]
    assert weights[0, 0, 1].tolist() == [1.0, 4.0]  # the caller's own numbers stay


def test_a_header_of_any_length_is_followed_by_aligned_numbers():
    for n in range(5):
        packed = pack([Matrix(np.ones((1, 2), np.float32), "m" * n)])
        header, numbers = unpacked(packed)
        assert (len(packed) - len(numbers)) % 4 == 0
        assert header["matrices"][0]["title"] == "m" * n
        assert np.frombuffer(numbers, "<f4").tolist() == [1.0, 1.0]


def test_the_colours_of_weights_end_at_one_and_a_matrix_says_what_is_drawn():
    values = np.array([[0.25, 0.5]], dtype=np.float32)
    header, _ = unpacked(pack([Matrix(values, "w", scale="weights")]))
    [matrix] = header["matrices"]
    assert (matrix["limit"], matrix["rows"], matrix["columns"]) == (1.0, 1, 2)
    assert (matrix["groups"], matrix["group"]) == (1, None)
    off = ("spread", "large", "sparse", "numbered", "scaled", "notes", "frames", "covered")
    assert not any(matrix[name] for name in off)
