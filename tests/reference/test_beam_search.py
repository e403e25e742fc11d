"""Greedy and beam search against a search written with lists, on a model that is a table."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from model.decoding.beam import beam_search
from model.decoding.beam_tree import beam_tree
from model.decoding.greedy import Hypothesis, greedy
from tests.reference.table import EOS, IDS, PAD, SOURCES, Table
from tests.tolerance import assert_same


def searched(model: Table, source: Tensor, beam: int, alpha: float, limit: int) -> list[Hypothesis]:
    """K lists of (token, log-probability); each step keeps the K best of all ways to go on."""

    def score(path: list[tuple[int, float]]) -> float:
        return sum(p for _, p in path) / ((5 + len(path)) / 6) ** alpha

    paths: list[list[tuple[int, float]]] = [[]]
    for _ in range(limit):
        ways = []
        for path in paths:
            if path and path[-1][0] == EOS:
                ways.append(path)
            else:
                ways += [[*path, step] for step in enumerate(model.log_probs(source, path))]
        paths = sorted(ways, key=score, reverse=True)[:beam]
    return [
        Hypothesis(tuple(t for t, _ in path), tuple(p for _, p in path), path[-1][0] == EOS)
        for path in paths
    ]


def check_same(found: Hypothesis, expected: Hypothesis) -> None:
    assert (found.ids, found.finished) == (expected.ids, expected.finished)
    assert_same(found.log_probs, expected.log_probs, largest=8)  # as the largest logit


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
@pytest.mark.parametrize("max_length", [1, 2, 6, 30])
@pytest.mark.parametrize("beam", [1, 2, 3, 5])
def test_the_search_is_that_of_lists(beam: int, max_length: int, alpha: float) -> None:
    for seed in range(3):
        model = Table(seed, max_length)
        found = beam_search(model, SOURCES, beam=beam, alpha=alpha, **IDS)  # type: ignore[arg-type]
        for source, hypotheses in zip(SOURCES, found, strict=True):
            expected = searched(model, source, beam, alpha, max_length)
            for pair in zip(hypotheses, expected, strict=True):
                check_same(*pair)


def test_the_default_is_0_6() -> None:
    """Among these tables there is one where 0.5 would choose otherwise, and one for 0.7."""

    def found(seed: int, **alpha: float) -> list[list[tuple[int, ...]]]:
        kept = beam_search(Table(seed, 12), SOURCES, beam=3, **alpha, **IDS)  # type: ignore[arg-type]
        return [[hypothesis.ids for hypothesis in of_one] for of_one in kept]

    by_default = [found(seed) for seed in range(12)]
    assert by_default == [found(seed, alpha=0.6) for seed in range(12)]
    for other in (0.5, 0.7):
        assert by_default != [found(seed, alpha=other) for seed in range(12)]


@pytest.mark.parametrize("max_length", [1, 5, 200])
def test_greedy_takes_the_most_probable_token(max_length: int) -> None:
    """At most 50 tokens more than the source has, padding left out."""
    for seed in range(5):
        model = Table(seed, max_length)
        found = greedy(model, SOURCES, **IDS)  # type: ignore[arg-type]
        for source, hypothesis in zip(SOURCES, found, strict=True):
            limit = min(max_length, int((source != PAD).sum()) + 50)
            (expected,) = searched(model, source, 1, 0.0, limit)
            check_same(hypothesis, expected)


def test_no_step_is_taken_after_the_last_sentence_has_ended() -> None:
    for seed in range(5):
        model = Table(seed, 30)
        longest = max(len(h.ids) for h in greedy(model, SOURCES, **IDS))  # type: ignore[arg-type]
        assert model.calls == longest
        model.calls = 0
        kept = beam_search(model, SOURCES, beam=3, **IDS)  # type: ignore[arg-type]
        assert model.calls == max(len(h.ids) for hypotheses in kept for h in hypotheses)


def test_a_beam_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 hypothesis, got 0"):
        beam_search(Table(0, 5), SOURCES, beam=0, **IDS)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def src(t):
    return [token.id for token in t.tokenizer.encode("I see a cat.")]


@pytest.mark.parametrize("beam", [1, 2, 4])
def test_the_marked_path_is_the_winner(t, src, beam):
    nodes = beam_tree(t.model, t.tokenizer, src, beam=beam)
    [best, *_] = beam_search(t.model, torch.tensor([src]), beam=beam, **t.tokenizer.special_ids)[0]
    path = [node for node in nodes if node.best]
    assert [node.subword for node in path] == [t.tokenizer.subword(id) for id in best.ids]
    assert all(node.kept for node in path)
    for node in path:
        so_far = math.fsum(best.log_probs[: node.step])
        assert_same(node.score, so_far / ((5 + node.step) / 6) ** 0.6, largest=abs(so_far))


def test_every_step_keeps_the_best_and_grows_from_what_was_kept(t, src):
    beam = 3
    nodes = beam_tree(t.model, t.tokenizer, src, beam=beam)
    for step in range(1, max(node.step for node in nodes) + 1):
        level = [node for node in nodes if node.step == step]
        assert [node.score for node in level] == sorted((n.score for n in level), reverse=True)
        assert all(node.kept == (node.slot < beam) for node in level)
        assert all(node.parent < beam for node in level)
        assert len(level) <= 2 * beam


def test_candidates_of_the_first_step_are_the_models_own(t, src):
    nodes = [n for n in beam_tree(t.model, t.tokenizer, src, beam=2) if n.step == 1]
    logits = torch.tensor(t.trace("I see a cat.").records["logits"][0])
    expected = logits.log_softmax(dim=-1).topk(4)
    assert [n.subword for n in nodes] == [t.tokenizer.subword(int(i)) for i in expected.indices]
    assert [n.score for n in nodes] == pytest.approx(expected.values.tolist(), abs=1e-10)
