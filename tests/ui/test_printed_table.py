"""The text of a table's cell on paper."""

import numpy as np
import pytest

from ui.frame.picture import _cell_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (57.34, "57.34"),
        (np.float32(0.1), "0.1"),
        (-0.00001, "0"),
        (1200.0, "1200"),
        (0.12345, "0.1235"),
        (float("nan"), ""),
        (None, ""),
        (0, "0"),
        ("a < b", "a < b"),
    ],
)
def test_a_number_has_at_most_four_decimals_and_a_missing_value_is_empty(value, text):
    assert _cell_text(value) == text
