"""Lesson 2 as Streamlit runs it."""

from __future__ import annotations

from html import escape
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model import load
from model.data.batches import make_batch
from model.decoding.custom_masks import greedy_masked, teacher_forced_loss
from model.lessons.masks.cheating_experiment import CheatingExperiment
from model.lessons.masks.padded_batch import padded_batch, padding_effect
from model.pictures.tokens import display
from model.transformer.masks import causal_mask, flip, no_mask
from tests.ui.app import finished, html_of, open_page, pictures_of, run, tables_of, text_of

ROOT = Path(__file__).parents[2]
SENTENCE = "I see a cat."

pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture
def t(checkpoints):
    return load(checkpoints / "en-fr")


def _lesson(view: str, **link: str) -> AppTest:
    return open_page(
        "pages/masks.py", **({"sentence": SENTENCE, "layer": "2", "show": view} | link)
    )


def _loss(t, mask) -> np.ndarray:
    trace = t.trace(SENTENCE)
    src = torch.tensor([[token.id for token in trace.src]])
    target = torch.tensor([trace.tgt_ids])
    return teacher_forced_loss(
        t.model, src, target, self_mask=mask(len(trace.tgt_tokens)), pad_id=t.tokenizer.pad_id
    ).numpy()


def test_the_three_attentions_carry_the_lengths_of_the_sentence(t):
    trace = t.trace(SENTENCE)
    html = html_of(_lesson("sources"))
    assert f"S<small>{len(trace.src)}</small>" in html
    assert f"T<small>{len(trace.tgt_tokens)}</small>" in html


@pytest.mark.parametrize("attention", ["encoder_self", "decoder_self", "cross"])
def test_scores_of_a_batch_are_the_models(t, attention):
    app = _lesson("batch", attention=attention, head="3")
    app.segmented_control(key="masks.row").set_value(2)
    app = run(app)
    batch = padded_batch(t, [SENTENCE, "I see.", "She does not sleep."])
    path = {
        "encoder_self": "encoder.1.self",
        "decoder_self": "decoder.1.self",
        "cross": "decoder.1.cross",
    }[attention]
    for stage in ("scores", "masked_scores", "weights"):
        np.testing.assert_allclose(
            pictures_of(app)[stage], batch.records[f"{path}.{stage}"][2, 2], atol=1e-6
        )


def test_other_sentences_change_the_batch_and_bad_ones_get_a_sentence(t):
    app = _lesson("batch")
    app.text_input(key="masks.other.2").set_value("Good evening, my friends!")
    app = run(app)
    batch = padded_batch(t, [SENTENCE, "Good evening, my friends!", "She does not sleep."])
    shown = pictures_of(app)["padding mask of the sources"]
    assert np.array_equal(~np.isnan(shown), batch.src_padding)
    app.text_input(key="masks.other.3").set_value(" ")
    assert 'role="alert"' in html_of(run(app))


def test_taking_the_mask_away_and_putting_it_back(t):
    app = _lesson("editor")
    own = -t.trace(SENTENCE).log_probs
    np.testing.assert_allclose(pictures_of(app)["−log p of each token"][0], own, atol=1e-5)
    app.button(key="masks.take_away").click()
    app = run(app)
    expected = _loss(t, no_mask)
    np.testing.assert_allclose(pictures_of(app)["−log p of each token"][1], expected, atol=1e-5)
    assert app.metric[1].value == f"{expected.mean():.3f}"
    app.button(key="masks.put_back").click()
    app = run(app)
    np.testing.assert_allclose(pictures_of(app)["−log p of each token"][1], own, atol=1e-4)


def test_an_edited_cell_reaches_the_model(t):
    app = _lesson("editor")
    tokens = t.trace(SENTENCE).tgt_tokens
    app.session_state["masks.flipped"] = (tokens, frozenset({(1, 2)}))
    app = run(app)

    def edited(size: int) -> torch.Tensor:
        return flip(causal_mask(size), {(1, 2)})

    expected = _loss(t, edited)
    np.testing.assert_allclose(pictures_of(app)["−log p of each token"][1], expected, atol=1e-5)
    assert any("Cells changed: 1" in caption.value for caption in app.caption)
    src = torch.tensor([[token.id for token in t.trace(SENTENCE).src]])
    free = greedy_masked(t.model, src, self_mask=edited, **t.tokenizer.special_ids)
    assert f"this mask: <bdi>{escape(t.decode(free))}</bdi>" in html_of(app)


def test_a_row_that_would_see_nothing_is_refused_in_words(t, monkeypatch):
    from ui.lessons.masks import editor

    app = _lesson("editor")
    text = t.trace(SENTENCE).target_text
    state = {"masks.flipped": (text, frozenset())}
    monkeypatch.setattr(editor.st, "session_state", state)
    editor._toggle(0, 0, 5)
    assert state["masks.flipped"] == (text, frozenset())
    assert state["masks.refused"]
    editor._toggle(0, 3, 5)  # the first row now sees a later token, but not while there is none
    state.pop("masks.refused")
    editor._toggle(0, 0, 5)
    assert state["masks.flipped"] == (text, frozenset({(0, 3)}))
    assert state["masks.refused"]
    monkeypatch.undo()
    app.session_state["masks.refused"] = True
    assert "must keep at least one visible cell" in html_of(run(app))


def test_padding_hidden_and_seen(t):
    app = _lesson("padding", head="3")
    app.slider(key="masks.n_padding").set_value(5)
    app = run(app)
    n = len(t.trace(SENTENCE).src)
    seen = padding_effect(t, SENTENCE, 5, hidden=())
    hidden = padding_effect(t, SENTENCE, 5, hidden=range(n, n + 5))
    assert [metric.value for metric in app.metric] == [
        f"{100 * seen.share[1, 2]:.1f} %",
        f"{seen.change:.2g}",
        f"{hidden.change:.2g}",
    ]
    least, most = (f"{100 * share:.1f} %" for share in (seen.share.min(), seen.share.max()))
    assert f"Over all heads: from {least} to {most}" in text_of(app)
    np.testing.assert_allclose(_columns(app), seen.weights[1, 2], atol=1e-6)
    app.button(key="masks.hide").click()
    app = run(app)
    np.testing.assert_allclose(_columns(app)[:, :n], hidden.weights[1, 2][:, :n], atol=1e-6)
    assert np.isnan(_columns(app)[:, n:]).all()
    assert [metric.value for metric in app.metric] == [
        "0.0 %",
        *[f"{hidden.change:.2g}"] * 2,
    ]
    app.button(key="masks.show").click()
    assert not np.isnan(_columns(run(app))).any()


def _columns(app: AppTest) -> np.ndarray:
    return pictures_of(app)["Weights of the encoder's self-attention"]


def test_a_hidden_column_reaches_the_model(t):
    app = _lesson("padding", head="3")
    app.session_state["masks.hidden_columns"] = (t.trace(SENTENCE).src_tokens, frozenset({2}))
    app = run(app)
    effect = padding_effect(t, SENTENCE, 8, hidden={2})
    assert np.isnan(_columns(app)[:, 2]).all()
    assert app.metric[1].value == f"{effect.change:.2g}"
    assert effect.change > 0.01
    app.text_input(key="choice.sentence").set_value("I see.")
    assert not np.isnan(_columns(run(app))).any()  # another sentence, other columns


def test_the_last_token_of_a_sentence_is_not_hidden_and_that_is_said(monkeypatch):
    from ui.lessons.masks import visible_padding as padding

    app = _lesson("padding")
    tokens = ("<bos>", " I", "<eos>")
    state = {"masks.hidden_columns": (tokens, frozenset({0}))}
    monkeypatch.setattr(padding.st, "session_state", state)
    padding._toggle(tokens, 2)
    assert state["masks.hidden_columns"] == (tokens, frozenset({0, 2}))
    padding._toggle(tokens, 1)  # padding may still be seen, but there may be none
    assert state["masks.hidden_columns"] == (tokens, frozenset({0, 2}))
    assert state.pop("masks.column_refused")
    padding._toggle(tokens, 2)
    assert state["masks.hidden_columns"] == (tokens, frozenset({0}))
    assert "masks.column_refused" not in state
    monkeypatch.undo()
    app.session_state["masks.column_refused"] = True
    assert "At least one token of the sentence must stay visible" in html_of(run(app))


def test_a_hidden_column_outlives_another_amount_of_padding():
    app = _lesson("padding")
    app.button(key="masks.hide").click()
    app = run(app)
    app.slider(key="masks.n_padding").set_value(0)
    assert not np.isnan(_columns(run(app))).any()
    app.slider(key="masks.n_padding").set_value(32)
    assert np.isnan(_columns(run(app))).sum() == 32 * len(_columns(app))


def test_the_rows_of_a_training_example(t):
    trace = t.trace(SENTENCE)
    pair = ([token.id for token in trace.src], list(trace.tgt_ids))
    batch = make_batch([pair], t.tokenizer.pad_id)
    rows = html_of(_lesson("forcing")).split("<tr>")[-3:]
    for row, ids in zip(rows, (batch.tgt, batch.labels), strict=False):
        cells = display([t.tokenizer.subword(id) for id in ids[0].tolist()])
        assert "".join(f"<td><bdi>{escape(cell)}</bdi></td>" for cell in cells) in row
    probabilities = [f"{p:.2f}" for p in np.exp(trace.log_probs)]
    assert "".join(f"<td><bdi>{p}</bdi></td>" for p in probabilities) in rows[2]


def test_both_models_can_be_trained_on_the_page(monkeypatch):
    """What the page proposes to try, in few steps."""
    monkeypatch.setattr("ui.lessons.masks.cheating._STEPS", 10)
    monkeypatch.setattr("ui.lessons.masks.cheating._ROWS", 2)
    app = _lesson("cheating")
    assert not app.get("vega_lite_chart")
    app.button(key="masks.train").click()
    app = finished(run(app))
    [losses] = tables_of(app, "curve")
    [shares] = tables_of(app, "name", "value")
    experiment = CheatingExperiment("sum", seed=0)  # running sums: sorting hides the cheat
    points = [point for point in experiment.train(10) if point]
    told = [point.loss[mask] for mask in ("causal", "none") for point in points]
    np.testing.assert_allclose(losses["y"], told, rtol=1e-6)
    rows = experiment.write(2)
    right = [
        sum(said.ljust(8)[place] == row.target[place] for said, row in both for place in range(8))
        for mask in ("causal", "none")
        for both in (
            [(row.told[mask], row) for row in rows],
            [(row.found[mask], row) for row in rows],
        )
    ]
    np.testing.assert_allclose(shares["value"], np.array(right) / 16)
    app.segmented_control(key="masks.task").set_value("sort")
    assert not run(app).get("vega_lite_chart")


def test_a_training_that_was_waited_for_is_not_run_again(monkeypatch):
    monkeypatch.setattr("ui.lessons.masks.cheating._STEPS", 20)
    monkeypatch.setattr("ui.lessons.masks.cheating._ROWS", 3)
    app = _lesson("cheating")
    app.button(key="masks.train").click()
    app = finished(run(app))
    [first] = app.dataframe
    monkeypatch.setattr(
        "ui.lessons.masks.cheating.CheatingExperiment",
        lambda *_, **__: pytest.fail("trained again"),
    )
    again = _lesson("cheating")
    assert again.dataframe[0].value.equals(first.value)


def test_a_long_sentence_without_a_mask_is_translated_when_asked(monkeypatch):
    monkeypatch.setattr("ui.lessons.masks.editor._UNASKED", 3)
    app = _lesson("editor")
    assert len(app.metric) == 2  # with the causal mask it is quick
    app.button(key="masks.take_away").click()
    assert not run(app).metric
    app.button(key="masks.run").click()
    app = finished(run(app))
    assert len(app.metric) == 2
    app.button(key="masks.put_back").click()
    assert len(run(app).metric) == 2
    app.button(key="masks.take_away").click()
    assert len(run(app).metric) == 2  # from memory: nothing is computed again
