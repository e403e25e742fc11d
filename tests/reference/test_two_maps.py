"""Two maps beside each other, computed once more with PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.maps.two_maps import differing_axis, jensen_shannon, largest_cell, signed_difference


def _maps(*shape: int) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(5)
    first, second = (draw.dirichlet(np.full(shape[1], 0.3), shape[0]) for _ in range(2))
    return first.astype(np.float32), second.astype(np.float32)


def test_the_difference_is_positive_where_the_first_has_more():
    first, second = _maps(5, 7)
    found = signed_difference(first, second)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, torch.sub(*map(torch.tensor, (first, second))), atol=0)
    assert signed_difference(np.eye(2), np.ones((2, 2)) / 2)[0].tolist() == [0.5, -0.5]


def test_the_divergence_is_the_mean_of_two_relative_entropies_to_the_middle():
    first, second = _maps(11, 7)
    p, q = (torch.tensor(one, dtype=torch.float64) for one in (first, second))
    middle = ((p + q) / 2).log()
    to_middle = [
        torch.nn.functional.kl_div(middle, one, reduction="none").sum(-1) for one in (p, q)
    ]
    expected = sum(to_middle) / 2 / np.log(2)
    np.testing.assert_allclose(jensen_shannon(first, second), expected, atol=1e-10)
    np.testing.assert_array_equal(jensen_shannon(first, second), jensen_shannon(second, first))
    same, other = np.eye(3), np.roll(np.eye(3), 1, axis=1)
    assert jensen_shannon(same, same).tolist() == [0, 0, 0]
    np.testing.assert_allclose(jensen_shannon(same, other), 1)


def test_different_shapes_have_no_difference():
    wide, narrow = np.ones((2, 4)) / 4, np.ones((2, 1))  # NumPy would stretch the second
    for function in (signed_difference, jensen_shannon):
        with pytest.raises(ValueError, match="no common cells"):
            function(wide, narrow)


@pytest.mark.parametrize("rows", [[[0.5, 0.6]], [[-0.5, 1.5]]])
def test_what_is_no_distribution_has_no_divergence(rows):
    with pytest.raises(ValueError, match="distribution"):
        jensen_shannon(np.array(rows), np.array([[0.5, 0.5]]))


def test_the_largest_cell_is_that_of_the_largest_size():
    first, second = _maps(5, 7)
    row, column = largest_cell(signed_difference(first, second))
    assert np.abs(first - second)[row, column] == np.abs(first - second).max()


@pytest.mark.parametrize(
    ("second", "axis"),
    [
        (("ab", "xyz"), None),
        (("ab", "xyw"), "keys"),
        (("ab", "xy"), "keys"),
        (("ac", "xyz"), "queries"),
        (("abb", "xyz"), "queries"),
        (("ac", "xy"), "keys"),
    ],
)
def test_maps_are_compared_where_their_tokens_are_the_same(second, axis):
    queries, keys = second
    assert differing_axis((("a", "b"), ["x", "y", "z"]), (list(queries), tuple(keys))) == axis
