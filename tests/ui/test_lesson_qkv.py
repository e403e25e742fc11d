"""Lesson 1 as Streamlit runs it: what it shows is what the model computed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load
from model.lessons.qkv.classroom import classroom_attention
from model.lessons.qkv.walkthrough import RESULTS, STEPS, attention_of, walk
from tests.ui.app import html_of, open_page, pictures_of, run, set_widget

ROOT = Path(__file__).parents[2]
SENTENCE = "I see a cat."

pytestmark = pytest.mark.usefixtures("checkpoints")


def _lesson(**link: str) -> AppTest:
    return open_page("pages/qkv.py", **({"sentence": SENTENCE, "layer": "2"} | link))


def _step(app: AppTest, step: str) -> AppTest:
    app.segmented_control(key="qkv.step").set_value(step)
    return run(app)


def _worksheet(app: AppTest) -> str:
    return app.code[-1].value


@pytest.fixture
def results(checkpoints):
    model = load(checkpoints / "en-fr")
    trace = model.trace(SENTENCE)
    return {
        kind: {
            name: tensor[0].numpy()
            for name, tensor in walk(attention_of(model.model, trace, kind, 1)).items()
        }
        for kind in ("encoder_self", "decoder_self", "cross")
    }


@pytest.mark.parametrize("kind", ["encoder_self", "decoder_self", "cross"])
def test_every_step_shows_the_models_numbers(results, kind):
    app = _lesson(attention=kind, head="2")
    expected = results[kind]
    last = {
        "input": ("keys_from", expected["keys_from"]),
        "project": ("q", expected["q_flat"]),
        "split": ("q", expected["q_flat"]),
        "transpose": ("q", expected["q"][1]),
        "merge": ("merged", expected["merged"]),
        "output": ("attn_out", expected["attn_out"]),
    } | {
        step: (name, expected[name][1])
        for step, name in (
            ("product", "product"),
            ("scale", "scores"),
            ("mask", "masked_scores"),
            ("softmax", "weights"),
            ("mix", "head_out"),
        )
    }
    assert set(last) == set(STEPS)
    for step in STEPS:
        app = _step(app, step)
        title, values = last[step]
        np.testing.assert_allclose(pictures_of(app)[title], values, atol=1e-5)


def test_shapes_and_code_are_shown(results):
    app = _step(_lesson(attention="cross"), "product")
    assert RESULTS["product"].code in [code.value for code in app.code]
    n_queries = len(results["cross"]["q_flat"])
    assert f"T<small>{n_queries}</small>" in html_of(app)


@pytest.mark.parametrize("part", ["k", "v"])
def test_keys_and_values_go_through_the_same_steps(results, part):
    app = _step(_lesson(), "project")
    app.segmented_control(key="qkv.part").set_value(part)
    app = run(app)
    np.testing.assert_allclose(pictures_of(app)[part], results["cross"][f"{part}_flat"], atol=1e-6)


def test_the_buttons_walk_through_the_steps():
    app = _lesson()
    app.button(key="qkv.on").click()
    app = run(app)
    assert app.segmented_control(key="qkv.step").value == STEPS[1]
    app.button(key="qkv.back").click()
    app = run(app)
    app.button(key="qkv.back").click()
    app = run(app)
    assert app.segmented_control(key="qkv.step").value == STEPS[0]


def test_the_classroom_can_be_checked_on_paper():
    """What the page proposes to try."""
    app = _lesson()
    app.segmented_control(key="qkv.source").set_value("classroom")
    app = _step(run(app), "product")
    assert pictures_of(app)["product"].tolist() == [[1, 0, 2], [5, 3, 1], [3, 0, 3]]
    assert "Σ_i q[0, 0, i] · k[0, 0, i]" in _worksheet(app)
    assert _worksheet(app).splitlines()[-1].strip() == "= 1"
    assert not app.get("text_input")


def test_the_lesson_begins_with_the_classroom_also_for_who_brings_a_sentence():
    app = run(AppTest.from_file(str(ROOT / "app.py"), default_timeout=60))
    app.text_input(key="choice.sentence").set_value(SENTENCE)
    app = run(app)
    app.query_params.clear()
    app = run(app.switch_page("pages/qkv.py"))
    assert app.segmented_control(key="qkv.source").value == "classroom"
    link = {name: app.query_params[name] for name in app.query_params}
    assert link["qkv.source"] == "classroom"  # this link has a sentence, too
    other = open_page("pages/qkv.py", **link)
    assert other.segmented_control(key="qkv.source").value == "classroom"
    other.button(key="reset").click()
    assert run(other).segmented_control(key="qkv.source").value == "classroom"


@pytest.mark.parametrize("link", [{"sentence": SENTENCE}, {"layer": "1"}, {"checkpoint": "torn"}])
def test_a_link_to_the_sentence_from_before_shows_the_sentence(link):
    app = open_page("pages/qkv.py", **link)
    assert app.segmented_control(key="qkv.source").value == "sentence"
    app.button(key="reset").click()
    assert run(app).segmented_control(key="qkv.source").value == "classroom"


def test_the_sentence_that_goes_without_saying_is_said_in_the_link():
    app = open_page("pages/qkv.py")
    app = set_widget(app, "segmented_control", "qkv.source", "sentence")
    link = {name: app.query_params[name] for name in app.query_params}
    other = open_page("pages/qkv.py", **link)
    assert other.segmented_control(key="qkv.source").value == "sentence"


def test_the_next_step_shows_the_same_query_and_key():
    app = _lesson(**{"head": "2", "qkv.step": "product", "qkv.picked": "product-1-3-2"})
    for step, name in (("scale", "product"), ("mask", "masked_scores"), ("softmax", "weights")):
        assert f"{name}[1, 3, 2]" in _worksheet(_step(app, step))


def test_an_edited_number_moves_the_softmax_and_can_be_put_back():
    app = _lesson()
    app.segmented_control(key="qkv.source").set_value("classroom")
    app = _step(run(app), "softmax")
    attention = classroom_attention("cross")
    before = walk(attention)["weights"][0, 0].numpy()
    np.testing.assert_allclose(pictures_of(app)["weights"], before, atol=1e-6)
    [value] = [n for n in app.number_input if n.key.startswith("qkv.value.q.0.0.0")]
    assert value.value == 1
    value.set_value(4.0)
    app = run(app)
    after = walk(attention, {("q", 0, 0, 0): 4.0})["weights"][0, 0].numpy()
    np.testing.assert_allclose(pictures_of(app)["weights"], after, atol=1e-6)
    assert any(f"{np.abs(after - before).max():.4f}" in c.value for c in app.caption)
    app.button(key="qkv.reset").click()
    app = run(app)
    np.testing.assert_allclose(pictures_of(app)["weights"], before, atol=1e-6)


def test_changed_numbers_are_in_the_link():
    app = _lesson()
    for key, number in (("qkv.value.q.0.0.0", 4.0), ("qkv.value.q.0.0.0", -1e-7)):
        [value] = [n for n in app.number_input if n.key.startswith(key)]
        value.set_value(number)
        app = run(app)
    app = set_widget(app, "number_input", "qkv.column.22", 3)
    [value] = [n for n in app.number_input if n.key.startswith("qkv.value.q.0.0.3")]
    value.set_value(12.5)
    app = run(app)
    assert app.query_params["qkv.edits"] == "q-0-0-0=-1e-07,q-0-0-3=12.5"
    link = {name: app.query_params[name] for name in app.query_params}
    other = open_page("pages/qkv.py", **link)
    assert not other.toast
    for here, there in zip(pictures_of(app).values(), pictures_of(other).values(), strict=True):
        np.testing.assert_array_equal(here, there)
    other.button(key="qkv.reset").click()
    assert "qkv.edits" not in run(other).query_params


@pytest.mark.parametrize(
    "junk", ["x", "q-0-0-0=", "v-0-0-0=1.0", "q-9-0-0=1.0", "q-0-0-0=1001.0", "q-0-0-0=1e400"]
)
def test_junk_in_the_place_of_a_changed_number_is_told(junk):
    app = open_page("pages/qkv.py", sentence=SENTENCE, **{"qkv.edits": junk})
    assert "qkv.edits" in app.toast[0].value
    assert "qkv.edits" not in app.query_params


def test_layer_and_head_come_along_from_the_explorer(results):
    app = run(AppTest.from_file(str(ROOT / "app.py"), default_timeout=60))
    app.text_input(key="choice.sentence").set_value(SENTENCE)
    app = run(app)
    app = run(app.switch_page("pages/explorer.py"))
    app.segmented_control(key="choice.attention").set_value("encoder_self")
    app = run(app)
    app.segmented_control(key="choice.layer").set_value(2)
    app = run(app)
    app.segmented_control(key="choice.head").set_value(3)
    app = run(app)
    app.query_params.clear()
    app = run(app.switch_page("pages/qkv.py"))
    app = _step(set_widget(app, "segmented_control", "qkv.source", "sentence"), "softmax")
    expected = results["encoder_self"]["weights"][2]
    np.testing.assert_allclose(pictures_of(app)["weights"], expected, atol=1e-6)


def test_an_empty_sentence_gets_a_sentence():
    app = _lesson()
    app.text_input(key="choice.sentence").set_value(" ")
    app = run(app)
    assert 'role="alert"' in html_of(app)
