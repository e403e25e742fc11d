"""The tree of a beam search against the search itself."""

from __future__ import annotations

import math

import pytest
import torch

from model.decoding.beam import beam_search
from model.decoding.beam_tree import beam_tree
from tests.tolerance import assert_same


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
