"""The files hold the shown numbers and say what they are."""

from __future__ import annotations

import csv
import io
import json

import numpy as np

from ui.download import as_csv, as_json

ABOUT = {"checkpoint": "en-fr", "sentence": "=1+1", "layer": 3, "head": "mean"}
MAP = np.array([[0.1, 0.9], [1 / 3, 2 / 3], [1, 0]], dtype=np.float32)
TOKENS = {"query_tokens": ["é", "=x", "<eos>"], "key_tokens": ["a", '"q",']}


def test_json_is_exact():
    content = json.loads(as_json(MAP, about=ABOUT, **TOKENS))
    assert np.array_equal(np.array(content["weights"], dtype=np.float32), MAP)
    assert content["query_tokens"] == TOKENS["query_tokens"]
    assert {name: content[name] for name in ABOUT} == ABOUT


def test_csv_has_its_tokens_on_both_sides_and_runs_no_formula():
    text = as_csv(MAP, about=ABOUT, **TOKENS).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[:4] == [
        ["checkpoint", "en-fr"],
        ["sentence", "'=1+1"],
        ["layer", "3"],
        ["head", "mean"],
    ]
    assert rows[4:6] == [[], ["", "a", '"q",']]
    assert [row[0] for row in rows[6:]] == ["é", "'=x", "<eos>"]
    assert np.array_equal(np.array([row[1:] for row in rows[6:]], dtype=np.float32), MAP)
