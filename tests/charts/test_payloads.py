"""What the browser gets of all maps, and of matrices; that it comes back: tests/ui."""

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


def test_the_limit_of_the_colours_is_the_largest_visible_number():
    values = np.array([[-3, 2, -np.inf, np.nan]], dtype=np.float32)
    shown = [Matrix(values, "é"), Matrix(values, "s", limit=5.0), Matrix(np.zeros((1, 1)), "zero")]
    packed = pack(shown)
    end = 4 + int.from_bytes(packed[:4], "little")
    assert end % 4 == 0  # the numbers start on an even address
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
def test_a_matrix_that_does_not_fit_is_refused(values, options, message):
    with pytest.raises(ValueError, match=message):
        Matrix(values, "m", **options)
