"""Experiments begin with a question: a head is guessed, then all are measured."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load
from model.heads.ablation import ablation_effect, ablations_of
from model.heads.importance import all_heads
from tests.ui.app import finished, matrices_of, open_page, pictures_of, run, set_widget, text_of
from ui.experiments import question
from ui.state.memory import memory
from ui.text.translator import translator

SENTENCE = "I see a cat."
ANSWER = "Δ log-probability of the translation without each head"
ASKED = {"experiments.guess": "cross-2-3"}
REVEALED = ASKED | {"experiments.revealed": "1"}

pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture
def t(checkpoints):
    return load(checkpoints / "en-fr")


@pytest.fixture
def measured(t) -> np.ndarray:
    trace = t.trace(SENTENCE)
    off = [ablations_of(t.config, [head], "zero") for head in all_heads(t.config)]
    after = [ablation_effect(t, trace, ablations).log_probs for ablations in off]
    return np.array([(one - trace.log_probs).sum() for one in after])


def _page(**link: str) -> AppTest:
    return open_page("pages/experiments.py", sentence=SENTENCE, **link)


def _order(app: AppTest) -> list[str]:
    return [header.value for header in app.header]


def test_a_question_before_any_number():
    app = _page()
    assert _order(app) == [
        "Which head will hurt this translation most?",
        "Switch heads off yourself",
    ]
    assert np.isnan(pictures_of(app)["Not measured yet"]).all()
    assert ANSWER not in pictures_of(app)
    assert app.button(key="experiments.reveal").disabled
    assert "none yet" in text_of(app)


def test_a_guess_is_in_the_link_and_reveals_nothing():
    app = _page(**ASKED)
    assert "Your guess: **Cross 2, head 3**" in text_of(app)
    assert ANSWER not in pictures_of(app)
    [asked] = [matrix for matrix, _ in matrices_of(app) if matrix["title"] == "Not measured yet"]
    assert asked["rows"] == 6
    assert not app.button(key="experiments.reveal").disabled
    assert ASKED.items() <= app.query_params.items()
    assert "experiments.revealed" not in app.query_params


def test_what_is_revealed_is_what_was_measured(measured):
    app = _page(**ASKED)
    app.button(key="experiments.reveal").click()
    app = run(app)
    np.testing.assert_allclose(pictures_of(app)[ANSWER].ravel(), measured, atol=1e-5)
    place = measured.size - 3 + 2  # cross, layer 2, head 3: the last row's last column
    rank = 1 + (measured < measured[place]).sum()
    said = text_of(app)
    assert f"number {rank} of {measured.size}" in said or "Your guess is right" in said
    assert f"{measured.min():+.2f}".replace("-", "−") in said
    assert f"{(np.abs(measured) < 0.1).sum()} of the {measured.size} heads" in said
    assert app.query_params["experiments.revealed"] == "1"
    app.button(key="experiments.ask_again").click()
    app = run(app)
    assert ANSWER not in pictures_of(app)
    assert not [name for name in app.query_params if name.startswith("experiments.")]


def test_another_sentence_is_another_question(measured):
    app = _page(**REVEALED)
    assert pictures_of(app)[ANSWER].size == measured.size
    app = set_widget(app, "text_input", "choice.sentence", "You see a dog.")
    assert ANSWER not in pictures_of(app)
    assert "experiments.revealed" not in app.query_params
    assert "Your guess: **Cross 2, head 3**" in text_of(app)
    app.button(key="experiments.reveal").click()
    assert ANSWER in pictures_of(run(app))


def test_a_click_guesses_and_later_opens(monkeypatch):
    clicks, chosen = [], {}
    show = question.show_matrices

    def watched(*args, on_pick=None, **how):
        clicks.append(on_pick)
        return show(*args, on_pick=on_pick, **how)

    monkeypatch.setattr(question, "show_matrices", watched)
    monkeypatch.setattr(question, "change", chosen.update)
    app = _page()
    clicks[-1](0, 4, 1)  # rows: encoder 1, 2, decoder 1, 2, cross 1, 2
    assert chosen == {}
    app = _page(**REVEALED)
    clicks[-1](0, 2, 0)
    assert chosen == {"ablated": "d1.1", "mode": "zero"}
    assert ANSWER in pictures_of(app)


def test_heads_that_are_off_are_not_hidden_behind_the_question():
    app = _page(ablated="c2.3")
    assert _order(app)[0] == "Switch heads off yourself"
    assert pictures_of(app)["Δ log p of each token"].any()


@pytest.mark.parametrize("junk", ["cross-9-9", "cross-0-1", "x-1-1", "cross-2", "<b>", "none-0-0"])
def test_a_guess_that_is_no_head_is_none(junk):
    app = _page(**{"experiments.guess": junk, "experiments.revealed": "1"})
    assert "none yet" in text_of(app)
    assert ANSWER in pictures_of(app)
    assert "experiments.guess" not in app.query_params


def _said(changes: list[float], guess: int | None, aligner: int | None) -> str:
    heads = [("cross", 0, n) for n in range(len(changes))]
    pick = [None if n is None else heads[n] for n in (guess, aligner)]
    return " ".join(question._verdict(np.array(changes), *pick, heads, translator("en")))


@pytest.mark.parametrize(
    ("changes", "guess", "aligner", "says", "says_not"),
    [
        ([-1, -0.5, 0.2], 0, 1, ["guess is right", "head 2, is missed here"], ["Such"]),
        ([-1, -0.5, 0.2], 1, 0, ["number 2 of 3", "head 1 is also", "36.8 % of"], ["surprise"]),
        ([-1, -0.01, 0.02], 2, 1, ["number 3 of 3", "hardly missed: −0.01", "Such"], []),
        ([-1, -0.5, 0.02], None, 2, ["not missed at all: +0.02"], ["guess"]),
        ([0.1, 0.5, 0.2], 0, 2, ["No head alone", "number 1 of 3"], ["right", "is lost without"]),
        ([-0.05, -0.01, 0.0], 0, 0, ["right", "hardly missed"], ["is also"]),
        ([-1, -1, 0.2], 1, None, ["guess is right"], ["most is lost without **"]),
    ],
)  # fmt: skip
def test_every_sentence_is_true_of_what_was_measured(changes, guess, aligner, says, says_not):
    said = _said(changes, guess, aligner)
    for part in says:
        assert part in said
    for part in says_not:
        assert part not in said


def test_a_long_sentence_is_measured_when_asked(monkeypatch):
    memory.cache_clear()
    monkeypatch.setattr(question, "_UNASKED", 10)
    monkeypatch.setattr("model.heads.leave_one_out.BATCH_BYTES", 1)
    app = _page(**REVEALED)
    assert ANSWER not in pictures_of(app)
    app.button(key="experiments.measure_heads").click()
    app = finished(run(app))
    assert ANSWER in pictures_of(app)


def test_reset_asks_anew():
    app = _page(**REVEALED)
    app.button(key="reset").click()
    app = run(app)
    assert "none yet" in text_of(app)
    assert ANSWER not in pictures_of(app)
    assert not REVEALED.keys() & app.query_params.keys()
