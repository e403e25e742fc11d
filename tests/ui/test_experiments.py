"""The experiments as Streamlit runs them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load
from model.intervention import head_means, intervene, switches_for
from model.leave_one_out import kendall_tau, leave_one_out
from model.minimal_pair import common_places, map_difference
from model.sinks import column_mass
from model.trace import take_trace
from model.untrained import untrained
from tests.ui.app import open_page, pictures_of, run
from ui.examples import SENTENCES

ROOT = Path(__file__).parents[2]
SENTENCE = "I see a cat."
OFF = {("cross", 1, 2), ("encoder_self", 0, 0)}

pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture
def t(checkpoints):
    return load(checkpoints / "en-fr")


def _page(view: str, **link: str) -> AppTest:
    app = open_page(
        "pages/experiments.py", **({"sentence": SENTENCE, "layer": "2", "head": "3"} | link)
    )
    app.segmented_control(key="experiments.view").set_value(view)
    return run(app)


@pytest.mark.parametrize("mode", ["zero", "uniform", "mean"])
def test_switched_heads_reach_the_model(t, mode):
    app = _page("switches")
    assert not pictures_of(app)["Δ log p of each token"].any()
    app.session_state["experiments.off"] = OFF
    app.segmented_control(key="experiments.mode").set_value(mode)
    app = run(app)
    trace = t.trace(SENTENCE)
    means = head_means([t.trace(sentence) for sentence in SENTENCES])
    found = intervene(t, trace, switches_for(t.config, sorted(OFF), mode, means))
    shown = pictures_of(app)
    change = found.log_probs - trace.log_probs
    np.testing.assert_allclose(shown["Δ log p of each token"][0], change, atol=1e-5)
    np.testing.assert_allclose(shown["total variation at each token"][0], found.distance, atol=1e-5)
    assert app.metric[0].value == f"{change.sum():.2f}"
    assert np.isnan(shown["Heads"]).sum() == 2


def test_a_whole_layer_and_none():
    app = _page("switches", attention="decoder_self")
    app.button(key="experiments.layer").click()
    app = run(app)
    shown = pictures_of(app)["Heads"]
    assert np.isnan(shown).sum() == shown.shape[1]
    assert np.isnan(shown[3]).all()  # rows: encoder 1, 2, decoder 1, 2, cross 1, 2
    app.button(key="experiments.none").click()
    assert not np.isnan(pictures_of(run(app))["Heads"]).any()


def test_a_click_toggles_a_head(monkeypatch):
    from ui.experiments import switches

    state: dict = {}
    monkeypatch.setattr(switches.st, "session_state", state)
    switches._toggle(("cross", 0, 1))
    assert state["experiments.off"] == {("cross", 0, 1)}
    switches._toggle(("cross", 0, 1))
    assert state["experiments.off"] == set()


def test_heads_that_another_model_lacks_are_left_alone():
    app = _page("switches")
    app.session_state["experiments.off"] = {("cross", 9, 9)}
    assert not np.isnan(pictures_of(run(app))["Heads"]).any()


def test_a_token_left_out(t):
    app = _page("left_out")
    trace = t.trace(SENTENCE)
    found = leave_one_out(t.model, t.tokenizer, trace)
    mass = column_mass(trace.cross[1, 2])
    loss = (trace.log_probs - found.log_probs).sum(axis=1)
    shown = pictures_of(app)
    np.testing.assert_allclose(
        shown["attention it gets: mean of its column in this head"][0], mass, atol=1e-6
    )
    np.testing.assert_allclose(
        shown["log-probability lost without it, whole target"][0], loss, atol=1e-5
    )
    assert app.metric[0].value == f"{kendall_tau(mass, loss):.2f}"


@pytest.mark.parametrize(
    ("tau", "degree"),
    [
        (-1, "against"),
        (-0.1, "unrelated"),
        (0.3, "partly"),
        (0.9, "mostly"),
        (float("nan"), "none"),
    ],
)
def test_agreement_in_words(tau, degree):
    from ui.experiments.left_out import _degree

    assert _degree(tau) == degree


def test_a_minimal_pair(t):
    app = _page("pair", attention="encoder_self")
    app.text_input(key="experiments.second").set_value("I see a dog.")
    app = run(app)
    first, second = t.trace(SENTENCE), t.trace("I see a dog.")
    places = common_places(first.src_tokens, second.src_tokens)
    expected = map_difference(first.encoder_self[1, 2], second.encoder_self[1, 2], places, places)
    shown = pictures_of(app)["second minus first"]
    np.testing.assert_allclose(shown, expected, atol=1e-6)
    assert [m.value for m in app.metric] == [
        f"{one.log_probs.sum():.2f}" for one in (first, second)
    ]
    app.text_input(key="experiments.second").set_value(" ")
    app = run(app)
    assert any('role="alert"' in html.proto.body for html in app.get("html"))


def test_an_untrained_model_beside(t):
    app = _page("untrained", attention="encoder_self")
    app.number_input(key="experiments.seed").set_value(7)
    app = run(app)
    random = take_trace(
        untrained(t.config, seed=7), t.tokenizer, SENTENCE, target=t.trace(SENTENCE).target_text
    )
    shown = pictures_of(app)
    np.testing.assert_allclose(
        shown["same architecture, random weights"], random.encoder_self[1, 2], atol=1e-6
    )
    np.testing.assert_allclose(shown["this model"], t.trace(SENTENCE).encoder_self[1, 2], atol=1e-6)
