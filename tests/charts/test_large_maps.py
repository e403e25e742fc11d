"""A large map with impossible numbers is not drawn."""

import numpy as np
import pytest

from ui.export.figure import Figure
from ui.export.tables import Labels
from ui.frame.picture import show_heatmap


@pytest.mark.parametrize(
    ("weights", "options", "message"),
    [
        (np.full((3, 2), 0.5), {}, "do not fit 2 query tokens and 3 key tokens"),
        (np.full((2, 3, 1), 1.0), {}, "do not fit"),
        (np.zeros((0, 0)), {}, "do not fit"),
        (np.full((2, 3), 0.5), {}, "sum to 1"),
        (np.array([[1.2, -0.1, -0.1], [1, 0, 0]]), {}, "must lie in"),
        (np.full((2, 3), np.nan), {}, "must lie in"),
        (np.array([[0.5, 0.5, 0], [0.5, 0.5, 0]]), {"causal": True}, "right of the diagonal"),
        (np.diag([0.5, 2.5, 0])[:2], {"normalised": False, "limit": 2.0}, "must lie in"),
        (np.full((2, 3), -1.5), {"signed": True}, "must lie in"),
    ],
)
def test_a_map_with_impossible_weights_is_refused(weights, options, message):
    shown = Figure("title", {}, as_table="")
    with pytest.raises(ValueError, match=message):
        show_heatmap(weights, shown, Labels("ab", "xyz"), weight_title="w", **options)
