"""The files hold the shown numbers and say what they are."""

from __future__ import annotations

import csv
import io
import json

import numpy as np

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


def test_csv_has_its_tokens_on_both_sides_and_runs_no_formula():
    text = as_csv(TABLES, about=ABOUT).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[:4] == [
        ["checkpoint", "en-fr"],
        ["sentence", "'=1+1"],
        ["layer", "3"],
        ["head", "mean, max"],
    ]
    first, second = TABLES
    assert rows[4:7] == [[], [first], ["weights", "a", '"q",']]
    assert [row[0] for row in rows[7:10]] == ["é", "'=x", "<eos>"]
    numbers = [[float(cell or "nan") for cell in row[1:]] for row in rows[7:10]]
    np.testing.assert_array_equal(np.array(numbers, dtype=np.float32), MAP)
    assert rows[10:] == [[], [second], ["token", "score"], ["'-x", "-0.5"]]
