"""What the page "Learning" says about the shipped trainings.

The snapshots of the small training lead from an untrained model to the finished one.
"""

import math
import re

import numpy as np
import pytest

from model import load
from model.checkpoint.snapshots import SNAPSHOTS, list_snapshots, load_snapshot
from model.heads.timeline import NAMES, SENTENCES, read_snapshots, timeline
from model.trace.next_tokens import perplexity
from model.training.runs import read_run
from tests.claims.conftest import CHECKPOINTS
from tests.ui.app import open_page, text_of
from ui.text.examples import DEFAULT_SENTENCE
from ui.text.translator import LANGUAGES, translator

SMALL = CHECKPOINTS / "en-fr-small"
STEPS = list_snapshots(SMALL)


@pytest.mark.parametrize(("name", "n_entries"), [("en-fr", 3), ("en-fr-small", 1), ("en-zh", 5)])
def test_the_learning_rate_of_each_training_rises_once_and_falls_once(name, n_entries) -> None:
    run = read_run(CHECKPOINTS / name)
    # one entry for each training; the third training of en-zh has two, because it was resumed with
    # fewer steps
    assert len(run.settings_history) == n_entries
    begins = [settings["from_step"] for settings in run.settings_history]
    for settings, next_begin in zip(run.settings_history, [*begins[1:], math.inf], strict=True):
        rates = [
            line["learning_rate"]
            for line in run.history
            if settings["from_step"] < line["step"] <= next_begin
        ]
        peak = rates.index(max(rates))
        assert rates == sorted(rates[:peak]) + sorted(rates[peak:], reverse=True)
        assert settings["ema_decay"] > 0.9


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_names_every_proper_name_that_it_counts(language: str) -> None:
    message = translator(language)("learning.nothing_to_measure")
    named = message[re.search("[(（]", message).start() :]
    assert set(re.findall(r"[A-Z][a-z]+", named)) == NAMES


@pytest.fixture(scope="module")
def t():
    return load(SMALL)


@pytest.fixture(scope="module")
def snapshots(t):
    return [load_snapshot(SMALL, t.config, step) for step in STEPS]


def test_a_dozen_small_files_lead_from_what_knows_nothing_to_the_model(t, snapshots):
    """The last snapshot is the finished model; both are the running average of the weights."""
    assert len(STEPS) == 12
    assert (STEPS[0], STEPS[-1]) == (0, t.training["steps"])
    assert {line["step"] for line in t.history} >= set(STEPS[1:])
    assert sum(path.stat().st_size for path in (SMALL / SNAPSHOTS).iterdir()) < 25e6
    for name, weights in t.model.state_dict().items():
        np.testing.assert_array_equal(snapshots[-1].state_dict()[name], weights)
    target = t.trace(DEFAULT_SENTENCE).target_text
    first, *_, last = read_snapshots(t, snapshots, DEFAULT_SENTENCE, target)
    assert perplexity(first) > t.config.vocab_size / 4
    assert perplexity(last) < 3


@pytest.mark.slow
def test_some_heads_learn_to_find_names_and_the_page_tells_which_heads_and_when(t, snapshots):
    pairs = [
        read_snapshots(t, snapshots, sentence, t.decode(hypothesis))
        for sentence, hypothesis in zip(SENTENCES, t.translate(SENTENCES), strict=True)
    ]
    names = timeline(list(zip(*pairs, strict=True)), "cross").names  # (snapshots, layers, heads)
    assert names[0].max() < 0.3
    assert names[STEPS.index(305)].max() > 0.6  # soon, although a snapshot is an average
    assert names[-1].max() > 0.8
    # the share stays high from this step to the end
    stays_high = np.minimum.accumulate(names[::-1])[::-1] >= 0.5
    step = int(stays_high.any(axis=(1, 2)).argmax())
    layer, head = np.argwhere(names[step] == np.where(stays_high[step], names[step], 0).max())[0]
    where = {"attention": translator("en")("attention.cross"), "step": f"{STEPS[step]:,}"}
    message = translator("en")("learning.when", layer=layer + 1, head=head + 1, **where)
    assert message in text_of(open_page("pages/learning.py", checkpoint="en-fr-small"))
