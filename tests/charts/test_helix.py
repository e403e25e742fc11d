"""The curve in space: its points are those that were given."""

from __future__ import annotations

import numpy as np
import pytest

from ui.charts.helix import helix

TITLES = {"sine_title": "sine", "cosine_title": "cosine", "position_title": "p"}


def test_points_are_sine_cosine_and_position():
    sine, cosine = np.sin(np.arange(5)), np.cos(np.arange(5))
    [curve] = helix(sine, cosine, **TITLES).data
    np.testing.assert_array_equal(curve.z, range(5))
    np.testing.assert_allclose(curve.x, sine, atol=1e-7)
    np.testing.assert_allclose(curve.y, cosine, atol=1e-7)


@pytest.mark.parametrize("shapes", [((3,), (4,)), ((0,), (0,)), ((2, 2), (2, 2))])
def test_rows_that_do_not_belong_together_are_refused(shapes):
    with pytest.raises(ValueError, match="two equal rows"):
        helix(np.zeros(shapes[0]), np.zeros(shapes[1]), **TITLES)
