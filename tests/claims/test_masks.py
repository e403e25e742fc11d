"""The claims of the lesson about masks are measured."""

import numpy as np
import pytest
import torch

from model.decoding.greedy import greedy
from model.decoding.modified import ModifiedTransformer, teacher_forced_loss
from model.gallery.example import candidates_for
from model.lessons.masks.cheating_experiment import CheatingExperiment, share_right
from model.lessons.masks.padded_batch import padded_batch, padding_effect
from model.transformer.masks import no_mask
from tests.claims.conftest import model_of, written
from ui.text.examples import DEFAULT_SENTENCE, SENTENCES
from ui.text.translator import translator


def test_hidden_tokens_have_weight_0_and_a_sentence_in_a_batch_gets_the_same_numbers_as_alone(t):
    batch, alone = padded_batch(t, [DEFAULT_SENTENCE, "I see."]), t.trace("I see.")
    for path, hidden in (
        ("encoder.1.self", ~batch.src_padding[:, None, None, :]),
        ("decoder.2.self", ~batch.causal[None, None]),
        ("decoder.2.cross", ~batch.src_padding[:, None, None, :]),
    ):
        weights = batch.records[f"{path}.weights"]
        assert (weights[np.broadcast_to(hidden, weights.shape)] == 0).all()
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-10)
    for row in batch.tgt_padding:  # the causal mask hides padding from every real token
        assert not (batch.causal[np.flatnonzero(row)] & ~row).any()
    assert batch.src_tokens[1][: len(alone.src)] == alone.src_tokens
    memory = batch.records["encoder.memory"][1, : len(alone.src)]
    np.testing.assert_allclose(memory, alone.records["encoder.memory"], atol=1e-10)


@pytest.mark.parametrize("sentence", [DEFAULT_SENTENCE, "I am a student."])
def test_padding_changes_nothing_when_hidden_and_every_number_when_visible(t, sentence):
    trace = t.trace(sentence)
    hidden = padding_effect(t, sentence, 8, hidden=range(len(trace.src), 99))
    assert hidden.change < 1e-10
    assert hidden.translation == trace.target_text
    assert (hidden.share == 0).all()
    assert padding_effect(t, sentence, 8, hidden=()).change > 0.1
    assert padding_effect(t, sentence, 0, hidden=()).change == 0
    src = torch.tensor([[token.id for token in trace.src] + [t.tokenizer.pad_id] * 8])
    with torch.inference_mode():
        memory = t.model.encode(src, no_mask(1, src.shape[1]))[0, : len(trace.src)].numpy()
    assert np.abs(memory - trace.records["encoder.memory"]).min() > 1e-10


@pytest.mark.parametrize("name", ["en-fr", "en-fr-small", "en-zh"])
def test_visible_padding_gets_weight_in_every_head_and_in_some_heads_much_more(name):
    effect = padding_effect(model_of(name), DEFAULT_SENTENCE, 8, hidden=())
    assert effect.share.min() > 0  # (n_layers, H)
    assert effect.share.max() > 10 * effect.share.min()
    text = translator("en").section("masks", "padding")
    assert "in every head, in some heads far more than in others" in text


def test_a_model_gets_worse_when_it_sees_the_future_for_the_first_time(t):
    ids, pad_id = t.tokenizer.special_ids, t.tokenizer.pad_id
    for sentence in SENTENCES[:3]:
        trace = t.trace(sentence)
        src, tgt = torch.tensor([[token.id for token in trace.src]]), torch.tensor([trace.tgt_ids])
        seen = no_mask(len(trace.tgt_tokens))
        loss = teacher_forced_loss(t.model, src, tgt, self_mask=seen, pad_id=pad_id)
        assert loss.mean() > -trace.log_probs.mean() + 0.1
    named = "The boy broke the chair because it was heavy."
    assert "parce qu'elle était lourde" in written(t, [named])[0]
    src = torch.tensor(t.tokenizer.encode_ids([named]))
    [free] = greedy(ModifiedTransformer(t.model, self_mask=no_mask), src, **ids)
    assert "parce qu'il était lourd" in t.decode(free)
    for language in ("en", "zh"):
        assert named in translator(language).section("masks", "editor")
    # At the first step, the newest token is the only one: there is nothing to its right.
    plain = t.trace(named)
    assert free.ids[0] == plain.tgt_ids[1]
    assert free.log_probs[0] == pytest.approx(plain.log_probs[0], abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["en-fr", "en-zh"])
def test_without_the_causal_mask_most_translations_do_not_change(name):
    t = model_of(name)
    sentences = [candidate.sentence for candidate in candidates_for(t.languages)]
    same = []
    for sentence in dict.fromkeys(sentences):
        src = torch.tensor(t.tokenizer.encode_ids([sentence]))
        model = ModifiedTransformer(t.model, self_mask=no_mask)
        [free] = greedy(model, src, **t.tokenizer.special_ids)
        same.append(t.decode(free) == t.trace(sentence).target_text)
    assert np.mean(same) > 0.6


@pytest.mark.slow
def test_a_model_trained_without_a_mask_has_a_low_loss_but_cannot_write():
    experiment = CheatingExperiment("sort", seed=0)
    last = list(experiment.train(300))[-1]
    assert max(last.loss.values()) < 0.2  # both models have learned to name the next digit
    rows = experiment.write(20)
    assert sum(row.by_itself["causal"] == row.target for row in rows) >= 14
    assert sum(row.by_itself["none"] == row.target for row in rows) <= 2


@pytest.mark.slow
def test_on_running_sums_only_the_cheat_gets_a_low_loss_and_it_cannot_write():
    """The model with the mask copies the first digit, which is right, and guesses the others."""
    experiment = CheatingExperiment("sum", seed=0)
    last = list(experiment.train(300))[-1]
    assert last.loss["none"] < 0.05
    assert last.loss["causal"] == pytest.approx(7 / 9 * np.log(10), abs=0.1)
    rows = experiment.write(100)
    targets = [row.target for row in rows]
    assert share_right([row.target_given["none"] for row in rows], targets) > 0.98
    assert share_right([row.by_itself["none"] for row in rows], targets) < 0.15
    assert sum(row.by_itself["none"] == row.target for row in rows) <= 1
    assert all(row.target_given["causal"][0] == row.target[0] == row.source[0] for row in rows)
    guessed = [row.target_given["causal"][1:] for row in rows], [row.target[1:] for row in rows]
    assert share_right(*guessed) == pytest.approx(0.1, abs=0.05)
