"""What the lesson about masks says, measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from model.decoding.custom_masks import greedy_masked, teacher_forced_loss
from model.lessons.masks.cheating_experiment import CheatingExperiment, share_right
from model.lessons.masks.padded_batch import padded_batch, padding_effect
from model.transformer.masks import no_mask
from model.translation_model import load
from ui.text.examples import DEFAULT_SENTENCE, SENTENCES
from ui.text.translator import translator

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"
TRANSFORMERS = ("en-fr", "en-fr-small", "en-zh")


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


@pytest.mark.parametrize("sentence", [DEFAULT_SENTENCE, "I am a student."])
def test_padding_changes_nothing_when_hidden_and_every_number_when_seen(t, sentence):
    trace = t.trace(sentence)
    hidden = padding_effect(t, sentence, 8, hidden=range(len(trace.src), 99))
    assert hidden.change < 1e-5
    assert hidden.translation == trace.target_text
    assert (hidden.share == 0).all()
    assert padding_effect(t, sentence, 8, hidden=()).change > 0.1
    src = torch.tensor([[token.id for token in trace.src] + [t.tokenizer.pad_id] * 8])
    with torch.inference_mode():
        memory = t.model.encode(src, no_mask(1, src.shape[1]))[0, : len(trace.src)].numpy()
    assert (memory != trace.records["encoder.memory"]).all()


def test_without_padding_nothing_changes(t):
    assert padding_effect(t, "I see.", 0, hidden=()).change == 0


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_seen_padding_draws_weight_in_every_head_and_in_some_far_more_than_in_others(name):
    effect = padding_effect(load(CHECKPOINTS / name), DEFAULT_SENTENCE, 8, hidden=())
    assert effect.share.min() > 0  # (n_layers, H)
    assert effect.share.max() > 10 * effect.share.min()
    said = translator("en").section("masks", "padding")
    assert "in every head, in some far more than in others" in said


def _without_mask(t, trace) -> tuple[float, str]:
    """Loss and free translation when nothing is hidden in the decoder."""
    src = torch.tensor([[token.id for token in trace.src]])
    loss = teacher_forced_loss(
        t.model,
        src,
        torch.tensor([trace.tgt_ids]),
        self_mask=no_mask(len(trace.tgt_tokens)),
        pad_id=t.tokenizer.pad_id,
    )
    free = greedy_masked(t.model, src, self_mask=no_mask, **t.tokenizer.special_ids)
    return loss.mean().item(), t.decode(free)


def test_a_model_that_never_saw_the_future_does_worse_with_it_and_a_translation_changes(t):
    for sentence in SENTENCES:
        trace = t.trace(sentence)
        assert _without_mask(t, trace)[0] > -trace.log_probs.mean() + 0.1
    named = t.trace("The train did not reach the city because it was too far.")
    assert "elle était trop loin" in named.target_text
    assert "il était trop loin" in _without_mask(t, named)[1]
    for language in ("en", "zh"):
        assert named.source_text in translator(language).section("masks", "editor")


def test_the_first_step_of_a_free_translation_is_the_same(t):
    """The newest token has nothing to its right; at first it is the only one."""
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
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_on_running_sums_only_the_cheat_gets_a_low_loss_and_it_cannot_write(seed):
    experiment = CheatingExperiment("sum", seed=seed)
    last = list(experiment.train(300))[-1]
    assert last.loss["none"] < 0.05
    assert last.loss["causal"] == pytest.approx(7 / 9 * np.log(10), abs=0.1)
    rows = experiment.write(20)
    targets = [row.target for row in rows]
    told, found = (
        share_right([said["none"] for said in saying], targets)
        for saying in ([row.told for row in rows], [row.found for row in rows])
    )
    assert told > 0.98
    assert found < 0.15
    assert not any(row.found["none"] == row.target for row in rows)


@pytest.mark.slow
def test_with_the_mask_running_sums_are_by_then_a_copied_digit_and_guesses():
    experiment = CheatingExperiment("sum", seed=0)
    list(experiment.train(300))
    rows = experiment.write(100)
    assert all(row.told["causal"][0] == row.target[0] == row.source[0] for row in rows)
    guessed = [row.told["causal"][1:] for row in rows], [row.target[1:] for row in rows]
    assert share_right(*guessed) == pytest.approx(0.1, abs=0.05)
