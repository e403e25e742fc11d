"""Methods of a model for notebooks: ablate, patch and contributions."""

import numpy as np
import pytest
import torch

from model import load
from model.interventions.patching import SameTranslationError
from model.nn.hooks import HeadAblation, Hooks
from model.transformer.heads import all_heads, head_name, head_named
from model.transformer.masks import no_mask

SENTENCE, TARGET = "I see a cat.", "Je vois un chat."


@torch.inference_mode()
def test_a_head_is_named_as_in_the_app(t):
    """Cross 2.3 is the third head of the second layer."""
    trace = t.trace(SENTENCE, target=TARGET)
    effect = t.ablate(trace, heads="cross 2.3")
    gate = torch.ones(t.config.n_heads)
    gate[2] = 0
    hooks = Hooks(ablations={"decoder.1.cross": HeadAblation(gate)})
    src = torch.tensor([[token.id for token in trace.src]])
    tgt = torch.tensor([trace.tgt_ids])
    logits = t.model(src, tgt[:, :-1], no_mask(1, src.shape[1]), hooks=hooks)[0]
    log_probs = logits.log_softmax(dim=-1).gather(1, tgt[0, 1:, None])[:, 0]
    np.testing.assert_allclose(effect.log_probs, log_probs.numpy(), atol=1e-5)
    assert np.abs(effect.log_probs - trace.log_probs).max() > 1e-4
    every = [head_name(head) for head in all_heads(t.config)]
    assert [head_named(name, t.config) for name in every] == all_heads(t.config)


@pytest.mark.parametrize("name", ["cross 3.1", "cross 1.0", "c1.1", "cross 1.9", "", "self 1.1"])
def test_a_head_that_does_not_exist_is_refused_with_the_possible_heads(t, name):
    with pytest.raises(ValueError, match=r"a layer from 1 to 2 and a head from 1 to \d"):
        t.ablate(SENTENCE, heads=[name])
    with pytest.raises(ValueError, match="take one of zero, uniform, mean"):
        t.ablate(SENTENCE, heads="cross 1.1", mode="one")


def test_contributions_equal_those_of_the_app(t):
    trace = t.trace(SENTENCE, target=TARGET)
    shares = t.contributions(trace, "cross")
    assert shares.shape == trace.cross.shape
    assert (shares >= 0).all()
    assert (shares <= 1).all()
    with pytest.raises(ValueError, match="take one of encoder_self, decoder_self, cross"):
        t.contributions(trace, "self")


def test_one_head_alone_carries_the_difference_of_two_sentences(shipped_checkpoint):
    """Patching the stream after the last layer restores the word completely."""
    model = load(shipped_checkpoint)
    first = "The animal didn't cross the street because it was too tired."
    scores = model.patch(first, first.replace("tired", "wide"))
    assert (scores.word.strip(), scores.rival.strip()) == ("il", "elle")
    assert scores.heads["cross"].shape == (model.config.n_layers, model.config.n_heads)
    assert scores.stream["decoder"][-1, -1] == pytest.approx(1, abs=1e-3)
    with pytest.raises(SameTranslationError):
        model.patch(first, first)


def test_the_note_of_a_plotted_map_explains_its_rows(t):
    trace = t.trace("I see a cat.")
    for rows in ("written", "read"):
        assert f"rows: token {rows}" in t.plot(trace, "cross", rows=rows).svg
        assert "rows: token read" in t.plot(trace, "encoder_self", rows=rows).svg
