"""Lesson 3 as Streamlit runs it: every control changes what is drawn, to what the model says."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model import load
from model.lessons.positions.order_experiment import compare_orders
from model.lessons.positions.rotation import rotation
from model.lessons.positions.waves import bits, doubling_pairs, similarity, similarity_at
from model.pictures.tokens import display
from model.transformer.positional import frequencies, positional_encoding
from tests.ui.app import html_of, matrices_of, open_page, set_widget, tables_of, text_of
from ui.lessons.positions.word_order import FIRST, SECOND

ROOT = Path(__file__).parents[2]
SENTENCE, D_MODEL = "I see a cat.", 66

pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture
def model(checkpoints):
    return load(checkpoints / "en-fr")


def _lesson(view: str = "matrix", **link: str) -> AppTest:
    return open_page("pages/positions.py", **({"sentence": SENTENCE, "show": view} | link))


def test_the_matrix_is_the_models_and_its_rows_are_the_visitors_tokens(model):
    app = set_widget(_lesson(), "slider", "positions.count", 20)
    [(said, values)] = matrices_of(app)
    np.testing.assert_array_equal(values, model.model.src_embedding.positions[:20].numpy())
    tokens = display(model.trace(SENTENCE).src_tokens)
    assert said["rowLabels"][: len(tokens)] == [f"{p} {token}" for p, token in enumerate(tokens)]
    app = set_widget(app, "text_input", "choice.sentence", "You see")
    assert matrices_of(app)[0][0]["rowLabels"][1] != said["rowLabels"][1]


def test_waves_are_columns_of_the_matrix():
    app = set_widget(_lesson("waves"), "multiselect", "positions.dimensions", [4, 7])
    app = set_widget(app, "slider", "positions.wave_count", 30)
    waves, lengths = tables_of(app, "curve")
    expected = positional_encoding(30, D_MODEL)[:, [4, 7]].T.flatten()
    whole = waves[waves["x"] % 1 == 0]
    np.testing.assert_allclose(whole["y"], expected, atol=1e-6)
    assert (len(whole), len(waves)) == (2 * 30, 2 * (29 * 4 + 1))
    assert waves["x"].max() == 29
    assert len(lengths) == D_MODEL // 2
    assert lengths["y"][0] == pytest.approx(2 * np.pi)
    app = set_widget(app, "multiselect", "positions.dimensions", [])
    assert 'role="alert"' in html_of(app)


def test_the_helix_winds_through_a_wave_and_its_companion():
    app = set_widget(_lesson("helix"), "slider", "positions.helix_n", 20)
    [wave] = [w for w in app.segmented_control if w.key == "positions.helix_wave"]
    for pair in doubling_pairs(D_MODEL, 6):
        app = set_widget(app, "segmented_control", wave.key, pair)
        [chart] = app.get("plotly_chart")
        [curve] = json.loads(chart.proto.spec)["data"]
        expected = positional_encoding(20, D_MODEL)[:, [2 * pair, 2 * pair + 1]].T
        found = np.stack([_numbers(curve["x"]), _numbers(curve["y"])])
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(_numbers(curve["z"]), np.arange(20))


def _numbers(packed: dict[str, str]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])


def test_the_counter_counts():
    app = set_widget(_lesson("counter"), "slider", "positions.counter_count", 9)
    (_, counted), (_, waves) = matrices_of(app)
    np.testing.assert_array_equal(counted, bits(9, 6).flip(1))
    sines = [2 * pair for pair in reversed(doubling_pairs(D_MODEL, 6))]
    np.testing.assert_array_equal(waves, positional_encoding(9, D_MODEL)[:, sines])
    app = set_widget(app, "segmented_control", "positions.shown", "sign")
    np.testing.assert_array_equal(matrices_of(app)[1][1], np.sign(waves))


@pytest.mark.parametrize("p", [0, 33])
def test_the_curve_is_a_row_of_the_matrix(p):
    app = set_widget(_lesson("distance"), "slider", "positions.p", p)
    [(_, table)] = matrices_of(app)
    n = len(table)
    np.testing.assert_allclose(table, similarity(n, D_MODEL), rtol=1e-6)
    [curves] = tables_of(app, "curve")
    formula, row = np.split(curves["y"].to_numpy(), 2)
    np.testing.assert_allclose(row[~np.isnan(row)], table[p], rtol=1e-5)
    np.testing.assert_allclose(formula, similarity_at(torch.arange(1 - n, n), D_MODEL), rtol=1e-6)
    assert np.nanmax(np.abs(row - formula)) < 1e-4


@pytest.mark.parametrize(("p", "k"), [(3, 5), (60, -7)])
def test_the_dials_and_the_matrix_turn_by_k(p, k):
    app = set_widget(_lesson("rotation"), "slider", "positions.from", p)
    app = set_widget(app, "slider", "positions.k", k)
    pairs = doubling_pairs(D_MODEL, 8)
    angles = tables_of(app, "angle")[0]["angle"].to_numpy()
    w = frequencies(D_MODEL)[pairs].numpy()
    np.testing.assert_allclose(angles, np.concatenate([p * w, (p + k) * w]) % (2 * np.pi))
    (_, m_k), (_, before), (_, after) = matrices_of(app)
    shown = [dimension for pair in pairs for dimension in (2 * pair, 2 * pair + 1)]
    np.testing.assert_allclose(m_k, rotation(k, D_MODEL)[shown][:, shown], atol=1e-6)
    np.testing.assert_allclose(m_k @ before, after, atol=1e-5)
    assert "e-08**" in text_of(app)


def test_what_to_try_works(model):
    app = _lesson("order")
    without, with_ = (
        compare_orders(model, FIRST, SECOND, positions=positions) for positions in (False, True)
    )
    numbers = [metric.value for metric in app.metric]
    assert float(numbers[0]) < 1e-6
    assert float(numbers[1]) == pytest.approx(with_.largest, abs=0.005)
    assert with_.largest > 0.01
    for (said, values), result in zip(matrices_of(app), (without, with_), strict=True):
        np.testing.assert_allclose(values, result.distance, atol=1e-6)
        assert said["rowLabels"] == list(display(result.first))


def test_the_visitors_own_sentences_are_compared(model):
    app = set_widget(_lesson("order"), "text_input", "positions.first", "I see a cat")
    assert "same words" in html_of(app)
    assert not app.metric
    app = set_widget(app, "text_input", "positions.second", "a cat see I")
    expected = compare_orders(model, "I see a cat", "a cat see I", positions=True)
    np.testing.assert_allclose(matrices_of(app)[1][1], expected.distance, atol=1e-6)


@pytest.mark.parametrize("text", ["", "word " * 39])
def test_what_cannot_be_compared_gets_a_sentence(text):
    app = set_widget(_lesson("order"), "text_input", "positions.first", text)
    assert 'role="alert"' in html_of(app)
    assert not app.metric


def test_the_norms_are_those_of_the_visitors_sentence(model):
    app = _lesson("addition")
    records = model.trace(SENTENCE).records
    [table] = tables_of(app, "value")
    expected = [
        np.linalg.norm(records[f"encoder.{name}"], axis=-1)
        for name in ("token_embedding", "position", "embedded")
    ]
    np.testing.assert_allclose(table["value"], np.concatenate(expected), rtol=1e-5)
    assert f"**{np.sqrt(D_MODEL / 2):.2f}**" in text_of(app)
    app = set_widget(app, "text_input", "choice.sentence", "You see")
    assert len(tables_of(app, "value")[0]) != len(table)


def test_the_contrast_counts_the_models_table():
    assert f"**{61 * D_MODEL:,}**" in text_of(_lesson("contrast"))


def test_the_sentence_survives_views_without_it():
    app = set_widget(_lesson(), "text_input", "choice.sentence", "You see")
    app = set_widget(app, "segmented_control", "choice.show", "rotation")
    app = set_widget(app, "slider", "positions.k", 9)
    app = set_widget(app, "segmented_control", "choice.show", "addition")
    assert app.text_input(key="choice.sentence").value == "You see"
    assert app.query_params["sentence"] == "You see"


@pytest.mark.parametrize("sentence", ["", "word " * 300])
def test_bad_input_gets_its_sentence(sentence):
    app = set_widget(_lesson(), "text_input", "choice.sentence", sentence)
    assert 'role="alert"' in html_of(app)
    assert not matrices_of(app)


@pytest.mark.parametrize("view", ["matrix", "waves"])
def test_a_broken_checkpoint_says_so_once(view):
    app = _lesson(view, checkpoint="torn")
    assert html_of(app).count('role="alert"') == 1
