"""The experiments as Streamlit runs them."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load
from model.heads.ablation import ablation_effect, ablations_of
from model.heads.leave_one_out import chance_tau, kendall_tau, leave_one_out
from model.heads.means import head_means, read_head_means, save_head_means
from model.maps.minimal_pair import common_places, map_difference
from model.maps.sinks import column_mass
from model.trace.base import trace_pair
from model.trace.transformer import Trace
from model.transformer.transformer import untrained
from tests.ui.app import finished, html_of, open_page, pictures_of, run, set_widget, text_of
from ui.experiments import ablations
from ui.state.address import spell_heads
from ui.state.memory import memory

ROOT = Path(__file__).parents[2]
SENTENCE = "I see a cat."
OFF = {("cross", 1, 2), ("encoder_self", 0, 0)}

pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture
def t(checkpoints):
    return load(checkpoints / "en-fr")


def _page(view: str, **link: str) -> AppTest:
    chosen = {"sentence": SENTENCE, "layer": "2", "head": "3", "show": view}
    return open_page("pages/experiments.py", **(chosen | link))


@pytest.mark.parametrize("mode", ["zero", "uniform", "mean"])
def test_switched_heads_reach_the_model(t, mode):
    save_head_means(t, head_means([t.trace("Good evening!")]))
    app = _page("ablations")
    assert "Δ log p of each token" not in pictures_of(app)  # no zeros before a head is off
    app.session_state["choice.ablated"] = spell_heads(OFF)
    app.segmented_control(key="choice.mode").set_value(mode)
    app = run(app)
    trace, stored = t.trace(SENTENCE), read_head_means(t)
    found = ablation_effect(t, trace, ablations_of(t.config, sorted(OFF), mode, stored.means))
    shown = pictures_of(app)
    change = found.log_probs - trace.log_probs
    np.testing.assert_allclose(shown["Δ log p of each token"][0], change, atol=1e-5)
    np.testing.assert_allclose(shown["total variation at each token"][0], found.distance, atol=1e-5)
    assert app.metric[0].value == f"{change.sum():.2f}"
    assert np.isnan(shown["Heads"]).sum() == 2


def test_a_whole_layer_and_none():
    app = _page("ablations", attention="decoder_self")
    app.button(key="experiments.layer").click()
    app = run(app)
    shown = pictures_of(app)["Heads"]
    assert np.isnan(shown).sum() == shown.shape[1]
    assert np.isnan(shown[3]).all()  # rows: encoder 1, 2, decoder 1, 2, cross 1, 2
    app.button(key="experiments.none").click()
    assert not np.isnan(pictures_of(run(app))["Heads"]).any()


def test_a_click_toggles_a_head(monkeypatch):
    clicks, chosen = [], {}

    def watched(*_, on_pick=None, **__):
        clicks.append(on_pick)

    monkeypatch.setattr(ablations, "show_matrices", watched)
    monkeypatch.setattr(ablations, "change", chosen.update)
    _page("ablations", ablated="c1.2-e1.1")
    click = clicks[0]
    click(0, 4, 1)  # rows: encoder 1, 2, decoder 1, 2, cross 1, 2
    assert chosen == {"ablated": "e1.1"}
    click(0, 2, 0)
    assert chosen == {"ablated": "c1.2-d1.1-e1.1"}


def test_means_that_were_never_measured_are_asked_for_with_the_command(t):
    app = _page("ablations", ablated="c2.3", mode="mean")
    command = (
        "run python -m model.analyse --checkpoint checkpoints/en-fr --pairs FILE.tsv --means-only"
    )
    assert command in html_of(app)
    assert "Δ log p of each token" not in pictures_of(app)
    path = save_head_means(t, head_means([t.trace("Good evening!"), t.trace("Hello.")]))
    app = run(app)
    assert pictures_of(app)["Δ log p of each token"].any()
    assert "over all positions of 2 sentences of the corpus" in text_of(app)
    path.write_bytes(b"{")
    assert "is damaged" in html_of(run(app))


def test_a_link_opens_the_same_experiment():
    app = _page("ablations", ablated="e1.1-c2.3-x1.1-c0.1", mode="uniform")
    assert np.argwhere(np.isnan(pictures_of(app)["Heads"])).tolist() == [[0, 0], [5, 2]]
    assert app.segmented_control(key="choice.mode").value == "uniform"
    assert app.query_params["ablated"] == "c2.3-e1.1"
    app = _page("pair", second="I see a dog.")
    assert app.text_input(key="choice.second").value == "I see a dog."
    assert app.query_params["show"] == "pair"
    assert app.query_params["second"] == "I see a dog."
    app = set_widget(app, "segmented_control", "choice.show", "")
    assert "show" not in app.query_params
    assert "Heads" in pictures_of(app)
    assert "Heads" in pictures_of(_page("<b>no such view</b>"))


def test_heads_and_sentence_survive_a_look_at_another_experiment():
    app = _page("ablations", ablated="c2.3", mode="uniform")
    app = set_widget(app, "segmented_control", "choice.show", "pair")
    app = set_widget(app, "text_input", "choice.second", "I see a dog.")
    app = set_widget(app, "segmented_control", "choice.show", "")
    assert np.isnan(pictures_of(app)["Heads"]).sum() == 1
    assert app.segmented_control(key="choice.mode").value == "uniform"
    app = set_widget(app, "segmented_control", "choice.show", "pair")
    assert app.text_input(key="choice.second").value == "I see a dog."


def test_heads_that_another_model_lacks_are_left_alone():
    assert not np.isnan(pictures_of(_page("ablations", ablated="c9.9"))["Heads"]).any()


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
        shown["change of log-probability without it, whole target"][0], -loss, atol=1e-5
    )
    assert app.metric[0].value == f"{kendall_tau(mass, loss):.2f}"


@pytest.mark.parametrize(
    ("tau", "degree"),
    [
        (-1, "against"),
        (-0.3, "chance"),
        (0.31, "chance"),
        (0.5, "agree"),
        (float("nan"), "none"),
    ],
)
def test_agreement_in_words(tau, degree):
    from ui.experiments.left_out import _degree

    assert _degree(tau, chance_tau(13)) == degree


def test_chance_is_that_of_all_orders():
    """Of 7 things, all 5,040 orders."""
    taus = [abs(kendall_tau(range(7), order)) for order in permutations(range(7))]
    within = np.mean([tau <= chance_tau(7) for tau in taus])
    assert 0.93 < within < 0.97


def test_a_minimal_pair(t):
    app = _page("pair", attention="encoder_self")
    app.text_input(key="choice.second").set_value("I see a dog.")
    app = run(app)
    first, second = t.trace(SENTENCE), t.trace("I see a dog.")
    places = common_places(first.src_tokens, second.src_tokens)
    expected = map_difference(first.encoder_self[1, 2], second.encoder_self[1, 2], places, places)
    shown = pictures_of(app)["second minus first"]
    np.testing.assert_allclose(shown, expected, atol=1e-6)
    assert [m.value for m in app.metric] == [
        f"{one.log_probs.sum():.2f}" for one in (first, second)
    ]
    app.text_input(key="choice.second").set_value(" ")
    app = run(app)
    assert any('role="alert"' in html.proto.body for html in app.get("html"))


def test_an_untrained_model_beside(t):
    app = _page("untrained", attention="encoder_self")
    app.number_input(key="experiments.seed").set_value(7)
    app = run(app)
    random = trace_pair(
        Trace, untrained(t.config, seed=7), t.tokenizer, SENTENCE, target=t.trace(SENTENCE).tgt_ids
    )
    shown = pictures_of(app)
    np.testing.assert_allclose(
        shown["same architecture, random weights"], random.encoder_self[1, 2], atol=1e-6
    )
    np.testing.assert_allclose(shown["this model"], t.trace(SENTENCE).encoder_self[1, 2], atol=1e-6)


def test_many_tokens_are_left_out_when_asked(t, monkeypatch):
    unasked = pictures_of(_page("left_out"))
    memory.cache_clear()
    monkeypatch.setattr("ui.experiments.left_out._UNASKED", 10)
    monkeypatch.setattr("model.heads.leave_one_out.BATCH_BYTES", 1)
    app = _page("left_out")
    assert not pictures_of(app)
    app.button(key="experiments.leave_out").click()
    app = finished(run(app))
    found = pictures_of(app)
    assert found.keys() == unasked.keys()
    for name, drawn in found.items():
        np.testing.assert_allclose(drawn, unasked[name], atol=1e-4)
    trace = t.trace(app.session_state["address"].sentence)
    [job] = app.session_state["work.panels"].values()
    assert len(job.results) == len(trace.src)
    assert pictures_of(_page("left_out")).keys() == unasked.keys()  # nobody waits for it again


def test_a_translation_cut_at_the_length_limit_is_read_by_the_untrained_model_too(t):
    sentence = " ".join([SENTENCE] * 4)
    wrote = t.trace(sentence)
    assert wrote.truncated
    app = open_page("pages/experiments.py", show="untrained", sentence=sentence, layer="1")
    assert pictures_of(app)["this model"].shape == wrote.cross.shape[2:]
