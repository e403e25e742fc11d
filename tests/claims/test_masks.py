"""What the lesson about masks says, measured."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.cheating_experiment import CheatingExperiment
from model.masked_run import greedy_masked, no_mask, teacher_forced_loss
from model.padded_batch import padded_batch, padding_effect
from model.translation_model import load
from ui.examples import DEFAULT_SENTENCE


@pytest.fixture(scope="module")
def t(shipped_checkpoint):
    return load(shipped_checkpoint)


def test_a_hidden_score_has_exactly_no_weight(t):
    batch = padded_batch(t, [DEFAULT_SENTENCE, "I see."])
    for path, hidden in (
        ("encoder.1.self", ~batch.src_padding[:, None, None, :]),
        ("decoder.2.self", ~batch.causal[None, None]),
        ("decoder.2.cross", ~batch.src_padding[:, None, None, :]),
    ):
        weights = batch.records[f"{path}.weights"]
        assert (weights[np.broadcast_to(hidden, weights.shape)] == 0).all()
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)


def test_the_causal_mask_hides_padding_from_every_real_token(t):
    batch = padded_batch(t, [DEFAULT_SENTENCE, "I see."])
    for row in batch.tgt_padding:
        real = np.flatnonzero(row)
        assert not (batch.causal[real] & ~row).any()


def test_in_a_batch_a_sentence_is_computed_as_alone(t):
    batch = padded_batch(t, [DEFAULT_SENTENCE, "I see."])
    alone = t.trace("I see.")
    n = len(alone.src)
    assert batch.src_tokens[1][:n] == alone.src_tokens
    memory = batch.records["encoder.memory"][1, :n]
    np.testing.assert_allclose(memory, alone.records["encoder.memory"], atol=1e-4)


def test_padding_changes_nothing_when_hidden_and_everything_when_seen(t):
    for sentence in (DEFAULT_SENTENCE, "I am a student."):
        effect = padding_effect(t, sentence, 8)
        assert effect.hidden < 1e-4
        assert effect.seen > 0.1
        assert effect.translation_hidden == t.trace(sentence).target_text
    assert padding_effect(t, "I see.", 0).seen == 0


@pytest.mark.parametrize("sentence", [DEFAULT_SENTENCE, "I am a student."])
def test_the_future_disturbs_a_model_that_never_saw_it(t, sentence):
    trace = t.trace(sentence)
    src = torch.tensor([[token.id for token in trace.src]])
    loss = teacher_forced_loss(
        t.model,
        src,
        torch.tensor([trace.tgt_ids]),
        self_mask=no_mask(len(trace.tgt_tokens)),
        pad_id=t.tokenizer.pad_id,
    )
    assert loss.mean() > -trace.log_probs.mean() + 0.5


def test_in_a_free_translation_there_is_nothing_to_the_right(t):
    """The first step sees BOS alone, with the mask and without."""
    trace = t.trace("I am a student.")
    src = torch.tensor([[token.id for token in trace.src]])
    free = greedy_masked(t.model, src, self_mask=no_mask, **t.tokenizer.special_ids)
    assert free.ids[0] == trace.tgt_ids[1]
    assert free.log_probs[0] == pytest.approx(trace.log_probs[0], abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_without_a_mask_the_loss_falls_and_writing_fails(seed):
    experiment = CheatingExperiment("sort", seed=seed)
    last = list(experiment.train(300))[-1]
    assert max(last.loss.values()) < 0.2  # both have learned to name the next digit
    rows = experiment.write(20)
    right = {name: sum(row.found[name] == row.target for row in rows) for name in last.loss}
    assert right["causal"] >= 14
    assert right["none"] <= 2


@pytest.mark.slow
def test_on_a_hard_task_only_the_cheat_gets_a_low_loss():
    experiment = CheatingExperiment("sum", seed=0)
    last = list(experiment.train(300))[-1]
    assert last.loss["none"] < 0.2 < 1 < last.loss["causal"]
    assert sum(row.found["none"] == row.target for row in experiment.write(20)) <= 2
