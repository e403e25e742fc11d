"""The files hold the shown numbers; programs read them as they are."""

import json
from io import BytesIO

import numpy as np
import pandas as pd
import pytest

from ui.export.tables import Table, as_csv, as_json, map_table

ABOUT = {"checkpoint": "en-fr", "sentence": "=1+1", "layer": 3, "head": ["mean", "max"]}
MAP = np.array([[0.1, 0.9], [1 / 3, 2 / 3], [1, np.nan]], dtype=np.float32)
QUERIES, KEYS = ["é", "=x", "<eos>"], ["a", '"q",']
TABLES = {
    "weights": map_table(MAP, corner="weights", query_tokens=QUERIES, key_tokens=KEYS),
    "nodes": Table(["token", "score"], [["-x", -0.5]]),
}


def test_json_has_no_digits_that_float32_does_not_have():
    [first, *_] = json.loads(as_json(TABLES, about=ABOUT))["tables"]["weights"]["rows"]
    assert first[:2] == ["é", 0.1]


SIGNS = ["-vous", "=1+1", "+1 a", "@x", "'s", ' "', "a,b", "a\r\nb", " c ", "\t=x", "#", "Łódź 🙂"]


@pytest.mark.parametrize("sign", SIGNS)
def test_a_text_comes_back_as_it_is(sign):
    table = Table.of(**{sign: [sign, "other"], "n": [-np.inf, -1.5]})
    frame = pd.read_csv(BytesIO(as_csv({"one": table})))
    assert list(frame.columns) == [sign, "n"]
    assert list(frame[sign]) == [sign, "other"]
    assert list(frame["n"]) == [-np.inf, -1.5]


def test_columns_of_one_name_stay_apart():
    maps = {
        name: map_table(MAP[:2, :2] * n, corner="query", query_tokens=["a", "a"], key_tokens="aa")
        for n, name in enumerate(("first", "second"), 1)
    }
    frame = pd.read_csv(BytesIO(as_csv(maps)))
    assert list(frame.columns) == ["table", "query", "a", "a.1"]  # pandas numbers what is repeated
    np.testing.assert_allclose(frame[["a", "a.1"]], np.vstack([MAP[:2], MAP[:2] * 2]), rtol=1e-6)


def test_what_is_said_of_all_rows_stands_in_each():
    table = Table.of(line=[1, 2]).of_all_rows({"checkpoint": "en-fr", "bleu": 41.5})
    frame = pd.read_csv(BytesIO(as_csv({"one": table})))
    assert frame.to_dict("list") == {
        "line": [1, 2],
        "checkpoint": ["en-fr", "en-fr"],
        "bleu": [41.5, 41.5],
    }
