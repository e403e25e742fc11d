"""What is lost without heads: which ones, in which order, and with which sign."""

from __future__ import annotations

import copy
import weakref
from pathlib import Path
from typing import Any

import pytest

from model.heads import analysis as module
from model.heads.analysis import POINTS, Analyser
from model.heads.importance import all_heads
from model.trace.transformer import Trace
from model.translation_model import TranslationModel, load_transformer

REFERENCES = {"I am.": ["Je suis.", "J'y suis."], "Go!": ["Va !"]}


@pytest.fixture
def analyser(tiny_checkpoint: Path) -> Analyser:
    return Analyser(load_transformer(tiny_checkpoint), REFERENCES, lambda *_: None)


def test_the_first_reference_is_read_and_no_trace_is_kept(analyser, monkeypatch):
    """Those of 500 sentences are 1.7 GB."""
    encode = analyser.t.tokenizer.encode_ids
    sources, targets = ["I am.", "Go!"], ["Je suis.", "Va !"]
    assert analyser.pairs == list(zip(encode(sources), encode(targets), strict=True))
    analyser.t = copy.copy(analyser.t)
    made: list[weakref.ref] = []
    given = []

    def trace(source: str, target: str) -> Trace:
        assert [ref() for ref in made[:-1]] == [None] * len(made[:-1])
        found = TranslationModel.trace(analyser.t, source, target=target)
        given.append((source, target))
        made.append(weakref.ref(found))
        return found

    analyser.sources, analyser.first_targets = sources * 2, targets * 2
    monkeypatch.setattr(analyser.t, "trace", trace)
    analyser.statistics()
    assert given == list(zip(sources, targets, strict=True)) * 2


def test_a_pruning_curve_removes_sixteenths(analyser, monkeypatch):
    """Of 18 heads 18 n / 16 are removed, rounded: the first of the order, none twice."""
    order = all_heads(analyser.t.config)[::-1]
    seen = []
    monkeypatch.setattr(
        analyser, "_bleu", lambda removed: seen.append(removed) or 40.126 - len(removed)
    )
    curve = analyser.pruning_curve("random", order)
    removed = [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18]
    assert len(removed) == POINTS + 1
    assert curve == [{"removed": n, "bleu": round(40.126 - n, 2)} for n in removed]
    assert seen == [order[:n] for n in removed]


def test_what_is_lost_without_each_head(analyser, monkeypatch):
    """Before minus after: positive where the head helped."""
    heads = all_heads(analyser.t.config)
    place = {frozenset([head]): n for n, head in enumerate(heads)} | {frozenset(): -1}
    monkeypatch.setattr(analyser, "_bleu", lambda removed: 30.0 - place[frozenset(removed)])
    monkeypatch.setattr(module, "ablations_of", lambda _, removed, _mode: removed)

    def log_prob(*given: Any) -> float:
        return -5.0 - 2 * place[frozenset(given[-1])]

    monkeypatch.setattr(module, "mean_log_prob", log_prob)
    lost_bleu, lost_log_prob = analyser.by_removal()
    assert lost_bleu == {head: n + 1 for n, head in enumerate(heads)}
    assert lost_log_prob == {head: 2 * (n + 1) for n, head in enumerate(heads)}
