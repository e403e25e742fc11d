"""In class a row of the map is hidden, and then revealed."""

from __future__ import annotations

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load
from tests.ui.app import blob, canvases, open_page, run, set_widget, tables_of

SENTENCE = "I see a cat."
HEAD = {"layer": "2", "head": "3", "view": "head"}
HIDDEN = {"map.hidden_row": "3"}

pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture
def weights(checkpoints) -> np.ndarray:
    return load(checkpoints / "en-fr").trace(SENTENCE).cross


def _page(**link: str) -> AppTest:
    return open_page("pages/explorer.py", **{"sentence": SENTENCE} | HEAD | link)


def _cells(app: AppTest, shape: tuple[int, int]) -> np.ndarray:
    """The map as it is drawn; NaN where nothing is."""
    [table] = tables_of(app, "weight", "query")
    found = np.full(shape, np.nan)
    found[table["top"], table["left"]] = table["weight"]
    return found


def _notes(app: AppTest) -> list[str]:
    [table] = tables_of(app, "total")
    return table["total"].tolist()


def _grid(app: AppTest, shape: tuple[int, ...]) -> tuple[dict, np.ndarray]:
    [(header, data)] = [blob(one.proto) for one in canvases(app)]
    return header, np.frombuffer(data, "<u2").reshape(shape) / 65535


def _saved(files, name: str) -> dict[str, list]:
    tables = json.loads(files.write[f"{name}.json"]())["tables"]
    return {key: [row[1:] for row in table["rows"]] for key, table in tables.items()}


def test_nothing_of_a_hidden_row_reaches_the_browser(weights, files):
    app = _page(**HIDDEN)
    expected = weights.copy()
    expected[:, :, 2] = np.nan
    np.testing.assert_allclose(_cells(app, weights.shape[2:]), expected[1, 2], atol=1e-6)
    assert _notes(app)[2] == "?"
    assert all("Σ 1.00 H" in note for n, note in enumerate(_notes(app)) if n != 2)
    header, grid = _grid(app, weights.shape)
    assert header["covered"] == [2]
    np.testing.assert_allclose(grid, np.nan_to_num(expected), atol=1e-4)
    [rows] = _saved(files, "map").values()
    assert rows[2] == [None] * weights.shape[3]
    assert rows[1] == pytest.approx(weights[1, 2, 1].tolist(), abs=1e-6)
    assert all(rows[2] == [None] * weights.shape[3] for rows in _saved(files, "grid").values())
    frames_and_covers = [t for t in tables_of(app, "top", "left") if "weight" not in t]
    [cover] = [table for table in frames_and_covers if len(table)]  # no cell is framed
    assert cover.to_dict("records") == [{"top": 2, "bottom": 3, "left": 0, "right": len(rows[2])}]
    assert app.query_params["map.hidden_row"] == "3"


def test_the_list_of_rows_names_tokens_as_they_are(weights):  # noqa: ARG001
    [rows] = [one for one in _page(target="Je vois !").selectbox if one.key == "map.hidden_row"]
    assert rows.options[-1].endswith("<eos>")
    assert not [row for row in rows.options if "\\" in row]


def test_it_is_revealed_and_covered_again(weights):
    app = _page(**HIDDEN)
    app.button(key="map.reveal").click()
    app = run(app)
    np.testing.assert_allclose(_cells(app, weights.shape[2:]), weights[1, 2], atol=1e-6)
    [marks] = [t for t in tables_of(app, "top", "left") if "weight" not in t]
    assert {*marks["top"]} == {2}  # it has a frame
    assert len(marks) == weights.shape[3]
    assert app.query_params["map.revealed"] == "1"
    again = _page(**HIDDEN, **{"map.revealed": "1"})
    np.testing.assert_array_equal(_cells(again, weights.shape[2:]), _cells(app, weights.shape[2:]))
    app.button(key="map.reveal").click()
    assert np.isnan(_cells(run(app), weights.shape[2:])[2]).all()


def test_another_row_is_covered_at_first(weights):
    app = _page(**HIDDEN, **{"map.revealed": "1"})
    app = set_widget(app, "selectbox", "map.hidden_row", 1)
    assert np.isnan(_cells(app, weights.shape[2:])[0]).all()
    assert "map.revealed" not in app.query_params
    app = set_widget(app, "selectbox", "map.hidden_row", 0)
    np.testing.assert_allclose(_cells(app, weights.shape[2:]), weights[1, 2], atol=1e-6)


def test_the_row_of_another_sentence_is_covered_at_first(weights):
    app = _page(**HIDDEN, **{"map.revealed": "1"})
    app = set_widget(app, "text_input", "choice.sentence", "You see a dog.")
    [cells] = tables_of(app, "weight", "query")
    assert 2 not in set(cells["top"])
    assert 1 in set(cells["top"])
    assert "map.revealed" not in app.query_params
    app = set_widget(app, "text_input", "choice.sentence", SENTENCE)
    assert np.isnan(_cells(app, weights.shape[2:])[2]).all()


@pytest.mark.parametrize(
    "link",
    [
        {"map.hidden_row": "99"},
        {"map.hidden_row": "x"},
        {"map.revealed": "1"},
        {"map.hidden_row": "2", "map.revealed": "7"},
        {"cells": "value_norms", "map.hidden_row": "1"},
        {"attention": "decoder_self", "map.hidden_row": "1"},
        {"view": "mean", "unit": "words", "special": "hidden", "map.hidden_row": "1"},
        {"attention": "encoder_self", "view": "rollout", "map.hidden_row": "2"},
    ],
)
def test_any_view_and_any_junk_can_be_shown(link):
    assert tables_of(_page(**link), "weight", "query")
