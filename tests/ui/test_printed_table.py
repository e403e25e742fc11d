"""The columns and cells of a table on paper."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from ui.frame.picture import _cell_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (57.34, "57.34"),
        (np.float32(0.1), "0.1"),
        (-0.00001, "0"),
        (-1.5, "−1.5"),
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


def _table_with_an_empty_column():
    import pandas as pd

    from ui.frame.picture import show_table

    table = {"number": [1, 2], "empty": [None, ""], "text": ["", "x"]}
    show_table(pd.DataFrame(table), key="table")


def test_a_column_without_any_text_is_not_printed():
    [printed] = AppTest.from_function(_table_with_an_empty_column).run().get("html")
    cells = re.findall("<t[hd](?: .*?)?>(.*?)</t[hd]>", printed.proto.body)
    assert cells == ["number", "text", "1", "", "2", "x"]
