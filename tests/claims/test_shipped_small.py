"""What the timeline shows of the small model: its snapshots lead from nothing to what it can do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from model import load
from model.checkpoint.snapshots import SNAPSHOTS, list_snapshots, load_snapshot
from model.heads.timeline import SENTENCES, read_snapshots, timeline
from model.trace.next_tokens import perplexity
from tests.ui.app import open_page, text_of
from ui.text.examples import DEFAULT_SENTENCE
from ui.text.translator import translator

FOLDER = Path(__file__).parents[2] / "checkpoints" / "en-fr-small"


@pytest.fixture(scope="module")
def t():
    return load(FOLDER)


@pytest.fixture(scope="module")
def snapshots(t):
    return [load_snapshot(t.folder, t.config, step) for step in list_snapshots(FOLDER)]


def test_a_dozen_small_files_from_the_first_step_to_the_last(t):
    steps = list_snapshots(FOLDER)
    assert len(steps) == 12
    assert (steps[0], steps[-1]) == (0, t.training["steps"])
    assert {line["step"] for line in t.history} >= set(steps[1:])
    assert sum(path.stat().st_size for path in (FOLDER / SNAPSHOTS).iterdir()) < 25e6


def test_the_last_snapshot_is_the_model(t, snapshots):
    for name, weights in t.model.state_dict().items():
        np.testing.assert_array_equal(snapshots[-1].state_dict()[name], weights)


def test_the_first_one_knows_nothing(t, snapshots):
    target = t.trace(DEFAULT_SENTENCE).target_text
    traces = read_snapshots(t, snapshots, DEFAULT_SENTENCE, target)
    assert perplexity(traces[0]) > t.config.vocab_size / 4
    assert perplexity(traces[-1]) < 3


@pytest.fixture(scope="module")
def names(t, snapshots):
    """Weight on the right name: (snapshots, layers, heads)."""
    pairs = [
        read_snapshots(t, snapshots, sentence, t.decode(hypothesis))
        for sentence, hypothesis in zip(SENTENCES, t.translate(SENTENCES), strict=True)
    ]
    return timeline(list(zip(*pairs, strict=True)), "cross").names


def test_heads_learn_to_find_names(names):
    assert names[0].max() < 0.3
    assert names[list_snapshots(FOLDER).index(305)].max() > 0.6  # the average is not late
    assert names[-1].max() > 0.8


def test_the_page_names_the_head_that_looks_most_at_a_name_when_the_first_ones_do(names):
    kept = np.minimum.accumulate(names[::-1])[::-1] >= 0.5  # from here to the end
    step = int(kept.any(axis=(1, 2)).argmax())
    layer, head = np.argwhere(names[step] == np.where(kept[step], names[step], 0).max())[0]
    told = translator("en")(
        "learning.when",
        attention=translator("en")("attention.cross"),
        layer=layer + 1,
        head=head + 1,
        step=f"{list_snapshots(FOLDER)[step]:,}",
    )
    assert told in text_of(open_page("pages/learning.py", checkpoint="en-fr-small"))


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("hello", "Bonjour"),
        ("I am a student.", "Je suis étudiant."),
        ("My name is Priya.", "Je m'appelle Priya."),
        ("Dog bites man.", "Le chien mord l'homme."),
    ],
)
def test_it_translates_what_is_typed_first(t, typed, right):
    assert t.trace(typed).target_text == right
