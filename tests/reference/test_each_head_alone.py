"""Heads and tokens taken away one by one, against runs of the model that do just that."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.experiments.contrast import (
    Contrast,
    RivalError,
    change_without_each_head,
    change_without_each_token,
    contrast_with,
    difference,
    spelled_after,
    words_of,
)
from model.experiments.each_alone import change_without_each_head as change_of_target
from model.heads import leave_one_out
from model.heads.ablation import ablation_effect, ablations_of
from model.heads.importance import all_heads
from model.nn.head_ablation import HeadAblation
from model.transformer.masks import padding_mask
from tests.tolerance import assert_same


@torch.inference_mode()
def _log_probs(t, trace, *, hidden=None, off=()):
    """(T, V), read alone, in the plain way."""
    src = torch.tensor([[token.id for token in trace.src]])
    mask = padding_mask(src, t.tokenizer.pad_id).clone()
    if hidden is not None:
        mask[..., hidden] = False
    tgt = torch.tensor([trace.tgt_ids[:-1]])
    logits = t.model(src, tgt, mask, ablations=ablations_of(t.config, off, "zero"))
    return logits[0].log_softmax(dim=-1)


def _contrast(t, trace, word=2, text="chien"):
    steps = words_of(t.tokenizer, trace)[word]
    before = trace.tgt_ids[: steps.start + 1]
    return contrast_with(trace, steps, spelled_after(t.tokenizer, before, text))


def test_each_head_alone_is_as_ablated_alone(t, trace, monkeypatch):
    found, heads = np.concatenate(list(change_of_target(t, trace))), all_heads(t.config)
    monkeypatch.setattr(leave_one_out, "BATCH_BYTES", 1)
    assert_same(np.concatenate(list(change_of_target(t, trace))), found)
    for head, change in zip(heads, found, strict=True):
        alone = ablation_effect(t, trace, ablations_of(t.config, [head], "zero"))
        assert_same(change, (alone.log_probs - trace.log_probs).sum())  # rounded to float32
    assert len({round(float(change), 4) for change in found}) > len(heads) / 2


@pytest.mark.parametrize("at_once", [1, 10**9])
def test_contrast_is_recomputed_by_taking_away(t, trace, monkeypatch, at_once):
    monkeypatch.setattr(leave_one_out, "BATCH_BYTES", at_once)
    contrast = _contrast(t, trace)

    def direct(**taken):
        row = _log_probs(t, trace, **taken)[contrast.step].double()
        return float(row[contrast.word] - row[contrast.rival])

    before = direct()
    assert difference(trace, contrast) == pytest.approx(before, abs=1e-10)
    tokens = np.concatenate(list(change_without_each_token(t, trace, contrast)))
    expected = [direct(hidden=n) - before for n in range(len(trace.src))]
    np.testing.assert_allclose(tokens, expected, atol=1e-10)
    heads = np.concatenate(list(change_without_each_head(t, trace, contrast)))
    expected = [direct(off=[head]) - before for head in all_heads(t.config)]
    np.testing.assert_allclose(heads, expected, atol=1e-10)
    assert np.abs(tokens).max() > 1e-3 < np.abs(heads).max()


def test_word_and_rival_are_the_first_tokens_that_differ(t, trace):
    words = words_of(t.tokenizer, trace)
    assert [step for word in words for step in word] == list(range(len(trace.next_tokens)))
    assert words[-1] == range(len(trace.next_tokens) - 1, len(trace.next_tokens))  # <eos>
    steps = words[3]
    ids = list(trace.tgt_ids[steps.start + 1 : steps.stop + 1])
    other = (ids[0] + 1) % t.config.vocab_size
    assert contrast_with(trace, steps, [other]) == Contrast(steps.start, ids[0], other, 0)
    longer = contrast_with(trace, steps, [*ids, t.tokenizer.eos_id])  # "chat" and then its end
    assert longer == Contrast(
        steps.stop, trace.tgt_ids[steps.stop + 1], t.tokenizer.eos_id, len(steps)
    )
    assert len(ids) > 1
    for no_rival, reason in ((ids, "same"), (ids[:1], "begins")):
        with pytest.raises(RivalError) as error:
            contrast_with(trace, steps, no_rival)
        assert error.value.reason == reason
    with pytest.raises(RivalError):  # as far as there is a target, and beyond its end
        contrast_with(trace, words[-1], [t.tokenizer.eos_id, 5])


@pytest.mark.parametrize(
    ("before", "text", "whole"),
    [
        ("Je vois un", "chien", "Je vois un chien"),
        ("", "Un", "Un"),
        ("C'est l'", "ami", "C'est l'ami"),
        ("Tu vois", "-tu", "Tu vois-tu"),
        ("Bonsoir", " !", "Bonsoir !"),
        ("Bonsoir", ".", "Bonsoir."),
        ("J'en ai", "7", "J'en ai 7"),
        ("J'ai vu", "l\u2019ami", "J'ai vu l'ami"),
        ("我叫", "汤姆", "我叫汤姆"),
    ],
)
def test_an_alternative_is_cut_as_it_stands_in_a_text(t, before, text, whole):
    tokens = t.tokenizer.encode(whole)[:-1]
    ids = [token.id for token in tokens if token.end <= len(before)]
    found = spelled_after(t.tokenizer, ids, f"{text} ")
    assert [*ids, *found] == [token.id for token in tokens]
    assert t.tokenizer.decode([*ids, *found]) == whole


@torch.inference_mode()
def test_each_row_of_a_batch_may_have_its_own_ablation(t, trace):
    """Gates, fills and uniform rows with an axis for the batch, against rows read alone."""
    src = torch.tensor([[token.id for token in trace.src]])
    tgt = torch.tensor([trace.tgt_ids[:-1]])
    mask = padding_mask(src, t.tokenizer.pad_id)
    generator = torch.Generator().manual_seed(3)
    n, h, d = 3, t.config.n_heads, t.config.d_head
    gate = torch.rand(n, h, generator=generator)
    fill = torch.rand(n, h, d, generator=generator)
    uniform = torch.rand(n, h, generator=generator) > 0.5
    for name in ("encoder.0.self", "decoder.1.cross"):
        together = t.model(
            src.expand(n, -1), tgt.expand(n, -1), mask,
            ablations={name: HeadAblation(gate, fill, uniform)},
        )  # fmt: skip
        for row in range(n):
            ablation = HeadAblation(gate[row], fill[row], uniform[row])
            alone = t.model(src, tgt, mask, ablations={name: ablation})[0]
            torch.testing.assert_close(together[row], alone, rtol=0, atol=1e-10)
