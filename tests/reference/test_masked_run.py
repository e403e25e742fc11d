"""Running with other masks: with the model's own it is the model, and padding and future matter."""

from __future__ import annotations

import pytest
import torch

from model.cheating_experiment import MASKS, TASKS, CheatingExperiment
from model.masked_run import (
    edited_mask,
    greedy_masked,
    no_mask,
    run_masked,
    teacher_forced_loss,
)
from model.masks import causal_mask, padding_mask
from model.translation_model import load


@pytest.fixture(scope="module")
def t(tiny_checkpoint):
    return load(tiny_checkpoint)


@pytest.fixture(scope="module")
def ids(t):
    src, tgt = (
        torch.tensor([[token.id for token in t.tokenizer.encode(text)]])
        for text in ("I see a cat.", "Je vois un chat.")
    )
    return src, tgt


def test_with_its_own_masks_it_is_the_model(t, ids):
    src, tgt = ids
    mask = padding_mask(src, t.tokenizer.pad_id)
    own = run_masked(t.model, src, tgt, src_mask=mask, self_mask=causal_mask(tgt.shape[1]))
    assert torch.equal(own, t.model(src, tgt, mask))
    [hypothesis] = t.translate(["I see a cat."])
    free = greedy_masked(t.model, src, self_mask=causal_mask, **t.tokenizer.special_ids)
    assert free.ids == hypothesis.ids
    assert free.log_probs == pytest.approx(hypothesis.log_probs, abs=1e-4)


def test_the_loss_is_that_of_the_trace(t, ids):
    src, tgt = ids
    trace = t.trace("I see a cat.", target="Je vois un chat.")
    loss = teacher_forced_loss(
        t.model, src, tgt, self_mask=causal_mask(tgt.shape[1] - 1), pad_id=t.tokenizer.pad_id
    )
    assert loss.tolist() == pytest.approx((-trace.log_probs).tolist(), abs=1e-5)


def test_without_the_causal_mask_later_tokens_matter(t, ids):
    src, tgt = ids
    changed = tgt.clone()
    changed[0, -2] = 7
    mask = padding_mask(src, t.tokenizer.pad_id)
    for self_mask, same in ((causal_mask, True), (no_mask, False)):
        first, second = (
            run_masked(t.model, src, x, src_mask=mask, self_mask=self_mask(x.shape[1]))[0, 0]
            for x in (tgt, changed)
        )
        assert torch.equal(first, second) == same


def test_a_cell_can_be_turned_round():
    mask = edited_mask(3, frozenset({(0, 2), (2, 1), (9, 9)}))[0, 0]
    assert mask.int().tolist() == [[1, 0, 1], [1, 1, 0], [1, 0, 1]]
    assert edited_mask(2, frozenset({(0, 2), (2, 1)}))[0, 0].int().tolist() == [[1, 0], [1, 1]]


def test_a_row_that_sees_nothing_is_refused(t, ids):
    src, tgt = ids
    blind = edited_mask(tgt.shape[1], frozenset({(0, 0)}))
    with pytest.raises(ValueError, match="sees no key"):
        run_masked(
            t.model,
            src,
            tgt,
            src_mask=padding_mask(src, t.tokenizer.pad_id),
            self_mask=blind,
        )


@pytest.mark.parametrize("task", TASKS)
def test_both_learn_from_the_same_rows(task):
    experiment = CheatingExperiment(task, seed=3)
    weights = [model.unembed.weight.clone() for model in experiment.models.values()]
    assert torch.equal(*weights)
    [first, last] = experiment.train(2, every=2)
    assert (first.step, last.step) == (1, 2)
    assert set(last.loss) == set(MASKS)
    [row] = experiment.write(1)
    digits = [int(c) for c in row.source]
    expected = sorted(digits) if task == "sort" else [sum(digits[: n + 1]) % 10 for n in range(8)]
    assert row.target == "".join(map(str, expected))


def test_the_same_seed_gives_the_same_experiment():
    runs = [list(CheatingExperiment("sort", seed=1).train(2, every=1)) for _ in range(2)]
    assert runs[0] == runs[1]
