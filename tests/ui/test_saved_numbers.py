"""The files hold the numbers that are shown, and programs can read them."""

import json
from io import BytesIO

import numpy as np
import pandas as pd
import pytest

from ui.export.tables import Labels, Table, as_csv, as_json, map_table

SIGNS = ["-vous", "=1+1", "+1 a", "@x", "'s", ' "', "a,b", "a\r\nb", " c ", "\t=x", "#", "Łódź 🙂"]


@pytest.mark.parametrize("sign", SIGNS)
def test_a_text_is_read_back_unchanged(sign):
    table = Table.of(**{sign: [sign, "other"], "n": [-np.inf, -1.5]})
    frame = pd.read_csv(BytesIO(as_csv(table)))
    assert list(frame.columns) == [sign, "n"]
    assert list(frame[sign]) == [sign, "other"]
    assert list(frame["n"]) == [-np.inf, -1.5]


def test_json_has_only_digits_that_float32_can_represent():
    table = map_table(np.array([[0.1]], dtype=np.float32), Labels(["é"], ["a"]))
    [row] = json.loads(as_json({"weights": table}, about={}))["tables"]["weights"]["rows"]
    assert row == ["é", 0.1]
