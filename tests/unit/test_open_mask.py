"""The decoder without its mask."""

import numpy as np
import pytest

from model.lessons.masks.open_mask import share_of_later, weights_without_mask


def test_without_the_mask_later_tokens_are_seen_and_rows_sum_to_one(t, trace):
    masked = trace.attention("decoder_self").weights
    opened = weights_without_mask(t, trace)
    assert opened.shape == masked.shape
    np.testing.assert_allclose(opened.sum(axis=-1), 1, atol=1e-5)
    assert share_of_later(masked) == 0 < share_of_later(opened)
    # The last query sees the same keys with and without the mask; in layer 1 their vectors are
    # equal.
    np.testing.assert_allclose(opened[0, :, -1], masked[0, :, -1], atol=1e-5)


def test_the_share_of_later_tokens_leaves_out_the_last_query():
    weights = np.array([[0.25, 0.5, 0.25], [0.5, 0.25, 0.25], [1, 0, 0]])
    assert share_of_later(weights) == pytest.approx((0.75 + 0.25) / 2)
