"""Lesson 4 as Streamlit runs it: every control changes what is drawn, to what the model says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model import load
from model.lessons.scaling.score_functions import NAMES, answer, draw_score_functions, window
from model.lessons.scaling.softmax_experiments import dot_products, draw_vectors, sweep
from model.maps.entropy import entropy
from model.pictures.tokens import display
from tests.ui.app import (
    canvases,
    finished,
    html_of,
    labels_of,
    open_page,
    run,
    set_widget,
    tables_of,
    text_of,
)
from ui.lessons.scaling.dimension import D_KS

ROOT = Path(__file__).parents[2]
SENTENCE = "I see a cat."

pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture
def trace(checkpoints):
    return load(checkpoints / "en-fr").trace(SENTENCE)


def _lesson(view: str = "dimension", **link: str) -> AppTest:
    return open_page("pages/scaling.py", **({"sentence": SENTENCE, "show": view} | link))


def _columns(app: AppTest) -> dict[str, np.ndarray]:
    """Name to weights of the chart of columns."""
    [table] = [t for t in tables_of(app, "value") if "left" in t]
    return {name: rows["value"].to_numpy() for name, rows in table.groupby("name", sort=False)}


def _heatmap(app: AppTest) -> np.ndarray:
    [cells] = [t for t in tables_of(app, "weight") if "top" in t]
    return cells.sort_values(["top", "left"])["weight"].to_numpy().reshape(len(NAMES), -1)


def _bars(app: AppTest) -> list[np.ndarray]:
    return [table["value"].to_numpy() for table in tables_of(app, "value") if "middle" in table]


@pytest.mark.parametrize("d_k", [1, 512])
def test_the_row_follows_d_k(d_k):
    app = set_widget(_lesson(), "select_slider", "scaling.d_k", d_k)
    q, k = draw_vectors(1, n_draws=1, n_keys=16, d_k=1024)
    for (name, row), divide in zip(_columns(app).items(), (False, True), strict=True):
        assert ("√" in name) == divide
        expected = dot_products(q, k, d_k, divide=divide)[0].softmax(-1)
        np.testing.assert_allclose(row, expected, atol=1e-6)


def test_what_to_try_works():
    app = set_widget(_lesson(), "select_slider", "scaling.d_k", 1)
    before = [row.max() for row in _columns(app).values()]
    app = set_widget(app, "select_slider", "scaling.d_k", 1024)
    plain, divided = (row.max() for row in _columns(app).values())
    assert before[0] == before[1] < 0.5
    assert plain > 0.99
    assert divided < 0.5


@pytest.mark.parametrize("seed", [1, 7])
def test_the_curves_are_those_of_the_draw(seed):
    app = set_widget(_lesson(), "number_input", "scaling.seed", seed)
    q, k = draw_vectors(seed, n_draws=200, n_keys=16, d_k=1024)
    plain, divided = (sweep(q, k, D_KS, divide=divide) for divide in (False, True))
    for table, measure in zip(
        tables_of(app, "curve"), ("variance", "entropy", "gradient"), strict=True
    ):
        expected = torch.cat([getattr(plain, measure), getattr(divided, measure)])
        np.testing.assert_allclose(table["y"], expected, rtol=1e-5)
    assert f"Variance of the scores: **{plain.variance[6]:,.2f}**" in text_of(app)


def _vectors(trace, path: str, head: int, place: int):
    q, k, v = (torch.tensor(trace.records[f"{path}.{name}"][head]) for name in "qkv")
    return q[place], k, v


@pytest.mark.parametrize("attention", ["encoder_self", "decoder_self", "cross"])
def test_at_temperature_1_the_row_is_the_models(trace, attention):
    app = _lesson("temperature", attention=attention, layer="2", head="3")
    app = set_widget(app, "selectbox", "scaling.query", 2)
    app = set_widget(app, "select_slider", "scaling.temperature", 1.0)
    expected = getattr(trace, attention)[1, 2, 2]
    expected = expected[:3] if attention == "decoder_self" else expected
    for row in _columns(app).values():
        np.testing.assert_allclose(row, expected, atol=1e-6)


def test_the_row_follows_layer_head_and_temperature(trace):
    app = _lesson("temperature", attention="encoder_self", layer="1", head="1")
    app = set_widget(app, "segmented_control", "choice.layer", 2)
    app = set_widget(app, "segmented_control", "choice.head", 2)
    app = set_widget(app, "select_slider", "scaling.temperature", 0.125)
    model, cold = _columns(app).values()
    np.testing.assert_allclose(model, trace.encoder_self[1, 1, 1], atol=1e-6)
    scores = torch.tensor(trace.records["encoder.1.self.scores"][1, 1])
    weights = (scores / 0.125).softmax(-1)
    np.testing.assert_allclose(cold, weights, atol=1e-5)
    assert f"**{float(entropy(weights.numpy())):.3f}** nats" in text_of(app)
    assert app.query_params["layer"] == "2"
    assert "1/√22 = 0.213" in text_of(app)


def test_what_was_chosen_survives_a_look_at_the_drawn_vectors():
    app = _lesson("temperature", attention="encoder_self", layer="1", head="1")
    app = set_widget(app, "segmented_control", "choice.layer", 2)
    app = set_widget(app, "text_input", "choice.sentence", "You see a cat.")
    app = set_widget(app, "segmented_control", "choice.show", "")
    app = set_widget(app, "select_slider", "scaling.d_k", 4)
    app = set_widget(app, "segmented_control", "choice.show", "bench")
    assert app.text_input(key="choice.sentence").value == "You see a cat."
    assert app.segmented_control(key="choice.layer").value == 2
    assert app.query_params["layer"] == "2"


def test_a_shorter_sentence_keeps_the_page_alive():
    app = _lesson("temperature", attention="encoder_self")
    last = len(app.selectbox(key="scaling.query").options) - 1
    app = set_widget(app, "selectbox", "scaling.query", last)
    app = set_widget(app, "text_input", "choice.sentence", "I")
    assert all(len(row) < last for row in _columns(app).values())


def test_the_bench_shows_what_each_score_gives(trace):
    app = _lesson("bench", attention="cross", layer="2", head="3")
    app = set_widget(app, "number_input", "scaling.parameters", 5)
    q, k, v = _vectors(trace, "decoder.1.cross", 2, 1)
    functions = draw_score_functions(5, d_k=len(q), n_positions=len(k))
    everything = window(len(k), 1, len(k))
    answers = [answer(functions[name], q, k, v, everything, hard=False) for name in NAMES]
    np.testing.assert_allclose(_heatmap(app), [a.weights for a in answers], atol=1e-6)
    np.testing.assert_allclose(_bars(app)[0], [a.gradient for a in answers], rtol=1e-4)
    outputs = torch.stack([a.output for a in answers]).numpy()
    assert outputs.astype("<f4").tobytes() in canvases(app)[0].proto.bytes
    [weights, *_] = app.get("vega_lite_chart")
    assert labels_of(weights, "x") == list(display(trace.src_tokens))


def test_hard_and_local_change_the_weights():
    app = _lesson("bench", attention="encoder_self", layer="2", head="3")
    app = set_widget(app, "segmented_control", "scaling.choice", "hard")
    assert set(np.unique(_heatmap(app))) == {0, 1}
    assert _bars(app)[0].max() == 0
    app = set_widget(app, "segmented_control", "scaling.choice", "soft")
    app = set_widget(app, "segmented_control", "scaling.scope", "local")
    app = set_widget(app, "number_input", "scaling.reach", 1)
    assert (_heatmap(app)[:, :3] > 0).all()
    assert _heatmap(app)[:, 3:].max() == 0


def test_the_cost_is_measured_when_asked():
    app = _lesson("bench")
    assert len(_bars(app)) == 1
    app.button(key="scaling.measure").click()
    ratios = _bars(finished(run(app)))[1]
    assert ratios[0] == 1
    assert ratios[NAMES.index("additive")] == ratios.max() > 2


@pytest.mark.parametrize(("view", "sentence"), [("temperature", ""), ("bench", "word " * 300)])
def test_bad_input_gets_its_sentence(view, sentence):
    app = set_widget(_lesson(view), "text_input", "choice.sentence", sentence)
    assert re.search(r'role="alert"', html_of(app))
    assert not app.get("vega_lite_chart")


def test_odd_sentences_stay_text():
    app = set_widget(_lesson("bench"), "text_input", "choice.sentence", "<b>x</b> $y$ **z**")
    assert "<b>x" not in html_of(app)
    assert app.get("vega_lite_chart")
