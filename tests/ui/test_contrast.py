"""Why this word and not that one, as Streamlit runs it."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model import load
from model.experiments.contrast import words_of
from model.heads.ablation import ablations_of
from model.heads.importance import all_heads
from model.trace.next_tokens import candidates
from model.transformer.masks import padding_mask
from tests.ui.app import finished, html_of, open_page, pictures_of, run, set_widget, text_of
from ui.experiments import contrast
from ui.state.memory import memory

SENTENCE = "I see a cat."
TOKENS = "change of the difference without each source token"
HEADS = "change of the difference without each head"

pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture
def t(checkpoints):
    return load(checkpoints / "en-fr")


def _page(**link: str) -> AppTest:
    return open_page("pages/experiments.py", **{"sentence": SENTENCE, "show": "contrast"} | link)


@torch.inference_mode()
def _difference(t, trace, step: int, pair: tuple[int, int], *, hidden=None, off=()) -> float:
    src = torch.tensor([[token.id for token in trace.src]])
    mask = padding_mask(src, t.tokenizer.pad_id).clone()
    if hidden is not None:
        mask[..., hidden] = False
    tgt = torch.tensor([trace.tgt_ids[:-1]])
    logits = t.model(src, tgt, mask, ablations=ablations_of(t.config, off, "zero"))
    row = logits[0, step].log_softmax(dim=-1)
    return float(row[pair[0]] - row[pair[1]])


def test_the_numbers_are_those_of_runs_without_each_thing(t, files):
    app = _page(**{"experiments.word": "2", "experiments.rival": "3"})
    trace = t.trace(SENTENCE)
    step = words_of(t.tokenizer, trace)[1].start
    others = [one.id for one in candidates(trace, t.tokenizer, step) if not one.chosen]
    pair = trace.tgt_ids[step + 1], others[2]
    before = _difference(t, trace, step, pair)
    tokens = [_difference(t, trace, step, pair, hidden=n) - before for n in range(len(trace.src))]
    heads = [_difference(t, trace, step, pair, off=[one]) - before for one in all_heads(t.config)]
    shown = pictures_of(app)
    np.testing.assert_allclose(shown[TOKENS][0], tokens, atol=1e-4)
    np.testing.assert_allclose(shown[HEADS].ravel(), heads, atol=1e-4)
    assert app.metric[2].value == f"{before:+.2f}".replace("-", "−")
    assert app.metric[0].value == f"{math.exp(trace.log_probs[step]):.2g}"
    saved = json.loads(files.write["contrast.json"]())
    assert saved["log_prob_difference"] == pytest.approx(before, abs=1e-5)
    rows = saved["tables"]["heads"]["rows"]
    assert [row[3] for row in rows] == pytest.approx(heads, abs=1e-4)
    assert rows[0][:3] == ["encoder_self", 1, 1]
    assert [row[1] for row in saved["tables"]["tokens"]["rows"]] == pytest.approx(tokens, abs=1e-4)


def test_the_word_that_the_model_was_least_sure_of_comes_first(t):
    app = _page()
    trace = t.trace(SENTENCE)
    words = words_of(t.tokenizer, trace)
    unsure = min(words, key=lambda word: trace.log_probs[word.start])
    assert app.segmented_control(key="experiments.word").value == words.index(unsure) + 1
    assert "experiments.word" not in app.query_params


def test_words_that_stand_there_again_are_told_apart(t):
    app = _page()
    labels = app.segmented_control(key="experiments.word").options
    assert len({*labels}) == len(labels) == len(words_of(t.tokenizer, t.trace(SENTENCE)))
    assert any(label.endswith(r"\(2\)") for label in labels)
    app = set_widget(app, "segmented_control", "experiments.word", 2)
    assert app.query_params["experiments.word"] == "2"
    assert run(app).segmented_control(key="experiments.word").value == 2


def test_a_word_of_ones_own_goes_before_and_is_in_the_link():
    app = set_widget(_page(), "text_input", "experiments.own_rival", "chien")
    assert app.query_params["experiments.own_rival"] == "chien"
    assert "or **“" in text_of(app)
    shown = pictures_of(app)[TOKENS]
    again = _page(**{"experiments.own_rival": "chien"})
    np.testing.assert_array_equal(pictures_of(again)[TOKENS], shown)
    assert not np.array_equal(pictures_of(_page())[TOKENS], shown)


def test_what_cannot_be_compared_is_said_in_one_sentence(t):
    trace = t.trace(SENTENCE)
    words = words_of(t.tokenizer, trace)
    spelt = [t.tokenizer.decode(trace.tgt_ids[w.start + 1 : w.stop + 1]).strip() for w in words]
    n = next(n for n, text in enumerate(spelt) if text.isalpha())
    app = _page(**{"experiments.word": str(n + 1), "experiments.own_rival": spelt[n]})
    assert f"the word “{spelt[n]}” itself" in html_of(app)
    assert TOKENS not in pictures_of(app)
    app = _page(**{"experiments.own_rival": "mot " * 240})
    assert html_of(app).count('role="alert"') == 1
    assert TOKENS not in pictures_of(app)
    app = _page(**{"experiments.own_rival": "狐狸"})
    assert "no subword" in html_of(app)
    assert TOKENS in pictures_of(app)
    assert TOKENS in pictures_of(_page(**{"experiments.own_rival": "   "}))  # none was given


@pytest.mark.parametrize("junk", ["0", "99", "x", "-1", "<b>"])
def test_a_word_or_rival_that_is_not_there_is_the_first_one(junk):
    plain = pictures_of(_page())[TOKENS]
    shown = pictures_of(_page(**{"experiments.word": junk, "experiments.rival": junk}))[TOKENS]
    np.testing.assert_array_equal(shown, plain)


def test_a_click_opens_a_head_where_heads_are_switched_off(monkeypatch):
    clicks, chosen = [], {}
    monkeypatch.setattr(
        contrast, "show_matrices", lambda *_, on_pick=None, **__: clicks.append(on_pick)
    )
    monkeypatch.setattr(contrast, "change", chosen.update)
    _page()
    clicks[-1](0, 5, 2)
    assert chosen == {"show": "", "ablated": "c2.3", "mode": "zero"}


def test_a_long_sentence_is_measured_when_asked(monkeypatch):
    at_once = pictures_of(_page())
    memory.cache_clear()
    monkeypatch.setattr(contrast, "_UNASKED", 10)
    monkeypatch.setattr("model.heads.leave_one_out.BATCH_BYTES", 1)
    app = _page()
    assert TOKENS not in pictures_of(app)
    app.button(key="experiments.contrast").click()
    app = finished(run(app))
    for name in (TOKENS, HEADS):
        np.testing.assert_allclose(pictures_of(app)[name], at_once[name], atol=1e-4)


def test_signs_of_the_strongest_are_true():
    from ui.text.translator import translator

    said = []
    tr = translator("en")
    for changes in ([0.5, -2.0, 1.0], [0.5, 0.1, 1.0]):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(contrast.st, "markdown", said.append)
            contrast._say_strongest(
                "token", np.array(changes), ["a", "b", "c"], {"word": "w", "rival": "r"}, tr
            )
    assert "**b** raises “w” over “r” most" in said[0]
    assert "−2.00" in said[0]
    assert "No source token raises “w”" in said[1]
