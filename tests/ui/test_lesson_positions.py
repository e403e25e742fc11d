"""Lesson 3 as Streamlit runs it: every control changes what is drawn, to what the model says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model import load
from model.order_experiment import compare_orders
from model.positional import frequencies, positional_encoding
from model.rotation import rotation
from model.waves import bits, doubling_pairs, similarity, similarity_at
from ui.positions.order import FIRST, SECOND
from ui.tokens import display

ROOT = Path(__file__).parents[2]
SENTENCE, D_MODEL = "I see a cat.", 66

pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture
def model(checkpoints):
    return load(checkpoints / "en-fr")


def _run(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception, app.exception
    return app


def _lesson(view: str = "matrix", **link: str) -> AppTest:
    app = _run(AppTest.from_file(str(ROOT / "app.py"), default_timeout=60))
    for name, value in ({"sentence": SENTENCE} | link).items():
        app.query_params[name] = value
    app = _run(app.switch_page("pages/positions.py"))
    return app if view == "matrix" else _set(app, "segmented_control", "positions.view", view)


def _set(app: AppTest, kind: str, key: str, value: object) -> AppTest:
    getattr(app, kind)(key=key).set_value(value)
    return _run(app)


def _matrices(app: AppTest) -> list[tuple[dict, np.ndarray]]:
    """All matrices on the page: what is said of each, and its numbers as the browser gets them."""
    found = []
    for component in app.get("bidi_component"):
        blob = component.proto.bytes
        header, _ = json.JSONDecoder().raw_decode(blob[blob.index(b"{") :].decode("latin-1"))
        total = sum(matrix["rows"] * matrix["columns"] for matrix in header["matrices"])
        numbers = np.frombuffer(blob[-4 * total :], dtype="<f4")
        for matrix in header["matrices"]:
            size = matrix["rows"] * matrix["columns"]
            found.append((matrix, numbers[:size].reshape(matrix["rows"], matrix["columns"])))
            numbers = numbers[size:]
    return found


def _tables(app: AppTest, column: str) -> list[pd.DataFrame]:
    tables = [
        pa.ipc.open_stream(data.data.data).read_pandas()
        for chart in app.get("vega_lite_chart")
        for data in chart.proto.datasets
    ]
    return [table for table in tables if column in table]


def _html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def _text(app: AppTest) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption])


def test_the_matrix_is_the_models_and_its_rows_are_the_visitors_tokens(model):
    app = _set(_lesson(), "slider", "positions.count", 20)
    [(said, values)] = _matrices(app)
    np.testing.assert_array_equal(values, model.model.src_embedding.positions[:20].numpy())
    tokens = display(model.trace(SENTENCE).src_tokens)
    assert said["rowLabels"][: len(tokens)] == [f"{p} {token}" for p, token in enumerate(tokens)]
    app = _set(app, "text_input", "choice.sentence", "You see")
    assert _matrices(app)[0][0]["rowLabels"][1] != said["rowLabels"][1]


def test_waves_are_columns_of_the_matrix():
    app = _set(_lesson("waves"), "multiselect", "positions.dimensions", [4, 7])
    app = _set(app, "slider", "positions.wave_count", 30)
    waves, lengths = _tables(app, "curve")
    expected = positional_encoding(30, D_MODEL)[:, [4, 7]].T.flatten()
    np.testing.assert_allclose(waves["y"], expected, atol=1e-6)
    assert len(lengths) == D_MODEL // 2
    assert lengths["y"][0] == pytest.approx(2 * np.pi)
    app = _set(app, "multiselect", "positions.dimensions", [])
    assert 'role="alert"' in _html(app)


def test_the_counter_counts():
    app = _set(_lesson("counter"), "slider", "positions.counter_count", 9)
    (_, counted), (_, waves) = _matrices(app)
    np.testing.assert_array_equal(counted, bits(9, 6).flip(1))
    sines = [2 * pair for pair in reversed(doubling_pairs(D_MODEL, 6))]
    np.testing.assert_array_equal(waves, positional_encoding(9, D_MODEL)[:, sines])
    app = _set(app, "segmented_control", "positions.shown", "sign")
    np.testing.assert_array_equal(_matrices(app)[1][1], np.sign(waves))


@pytest.mark.parametrize("p", [0, 33])
def test_the_curve_is_a_row_of_the_matrix(p):
    app = _set(_lesson("distance"), "slider", "positions.p", p)
    [(_, table)] = _matrices(app)
    n = len(table)
    np.testing.assert_allclose(table, similarity(n, D_MODEL), rtol=1e-6)
    [curves] = _tables(app, "curve")
    formula, row = np.split(curves["y"].to_numpy(), 2)
    np.testing.assert_allclose(row[~np.isnan(row)], table[p], rtol=1e-5)
    np.testing.assert_allclose(formula, similarity_at(torch.arange(1 - n, n), D_MODEL), rtol=1e-6)
    assert np.nanmax(np.abs(row - formula)) < 1e-4


@pytest.mark.parametrize(("p", "k"), [(3, 5), (60, -7)])
def test_the_dials_and_the_matrix_turn_by_k(p, k):
    app = _set(_lesson("rotation"), "slider", "positions.from", p)
    app = _set(app, "slider", "positions.k", k)
    pairs = doubling_pairs(D_MODEL, 8)
    angles = _tables(app, "angle")[0]["angle"].to_numpy()
    w = frequencies(D_MODEL)[pairs].numpy()
    np.testing.assert_allclose(angles, np.concatenate([p * w, (p + k) * w]) % (2 * np.pi))
    (_, m_k), (_, before), (_, after) = _matrices(app)
    shown = [dimension for pair in pairs for dimension in (2 * pair, 2 * pair + 1)]
    np.testing.assert_allclose(m_k, rotation(k, D_MODEL)[shown][:, shown], atol=1e-6)
    np.testing.assert_allclose(m_k @ before, after, atol=1e-5)
    assert "e-08**" in _text(app)


def test_what_to_try_works(model):
    app = _lesson("order")
    without, with_ = (
        compare_orders(model, FIRST, SECOND, positions=positions) for positions in (False, True)
    )
    numbers = [metric.value for metric in app.metric]
    assert float(numbers[0]) < 1e-6
    assert float(numbers[1]) == pytest.approx(with_.largest, abs=0.005)
    assert with_.largest > 0.01
    for (said, values), result in zip(_matrices(app), (without, with_), strict=True):
        np.testing.assert_allclose(values, result.distance, atol=1e-6)
        assert said["rowLabels"] == list(display(result.first))


def test_the_visitors_own_sentences_are_compared(model):
    app = _set(_lesson("order"), "text_input", "positions.first", "I see a cat")
    assert "same words" in _html(app)
    assert not app.metric
    app = _set(app, "text_input", "positions.second", "a cat see I")
    expected = compare_orders(model, "I see a cat", "a cat see I", positions=True)
    np.testing.assert_allclose(_matrices(app)[1][1], expected.distance, atol=1e-6)


@pytest.mark.parametrize("text", ["", "word " * 39])
def test_what_cannot_be_compared_gets_a_sentence(text):
    app = _set(_lesson("order"), "text_input", "positions.first", text)
    assert 'role="alert"' in _html(app)
    assert not app.metric


def test_the_norms_are_those_of_the_visitors_sentence(model):
    app = _lesson("addition")
    records = model.trace(SENTENCE).records
    [table] = _tables(app, "value")
    expected = [
        np.linalg.norm(records[f"encoder.{name}"], axis=-1)
        for name in ("token_embedding", "position", "embedded")
    ]
    np.testing.assert_allclose(table["value"], np.concatenate(expected), rtol=1e-5)
    assert f"**{np.sqrt(D_MODEL / 2):.2f}**" in _text(app)
    app = _set(app, "text_input", "choice.sentence", "You see")
    assert len(_tables(app, "value")[0]) != len(table)


def test_the_contrast_counts_the_models_table():
    assert f"**{61 * D_MODEL:,}**" in _text(_lesson("contrast"))


def test_the_sentence_survives_views_without_it():
    app = _set(_lesson(), "text_input", "choice.sentence", "You see")
    app = _set(app, "segmented_control", "positions.view", "rotation")
    app = _set(app, "slider", "positions.k", 9)
    app = _set(app, "segmented_control", "positions.view", "addition")
    assert app.text_input(key="choice.sentence").value == "You see"
    assert app.query_params["sentence"] == "You see"


@pytest.mark.parametrize("sentence", ["", "word " * 300])
def test_bad_input_gets_its_sentence(sentence):
    app = _set(_lesson(), "text_input", "choice.sentence", sentence)
    assert 'role="alert"' in _html(app)
    assert not _matrices(app)


@pytest.mark.parametrize("view", ["matrix", "waves"])
def test_a_broken_checkpoint_says_so_once(view):
    app = _lesson(view, checkpoint="torn")
    assert _html(app).count('role="alert"') == 1
