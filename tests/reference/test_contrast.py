"""The difference of two maps, and the heads that decide between two words."""

import numpy as np
import pytest
import torch

from model.interventions import effect
from model.interventions.ablation import ablation_effect, ablations_of
from model.interventions.contrast import (
    Contrast,
    RivalError,
    contrast_with,
    contrast_without,
    difference,
    encode_after,
    steps_of_words,
)
from model.interventions.leave_one_out import (
    change_without_each_head,
    read_without_each_head,
    read_without_each_token,
)
from model.maps.two_maps import common_positions, largest_difference, map_difference
from model.nn.hooks import HeadAblation, Hooks
from model.transformer.heads import all_heads
from model.transformer.masks import padding_mask
from tests.reference.conftest import log_probs_of
from tests.tolerance import assert_same


def test_a_difference_of_maps_has_a_number_only_in_cells_of_both():
    """The first map has rows a, b and columns x, y; the second has rows a, c and columns z, x.

    Only the cell in row a and column x is in both.
    """
    first = np.array([[0.2, 0.8], [0.5, 0.5]])
    second = np.array([[0.9, 0.1], [0.3, 0.7]])
    rows, columns = common_positions("ab", "ac"), common_positions("xy", "zx")
    assert (rows, columns) == ([(0, 0)], [(0, 1)])
    difference = map_difference(first, second, rows, columns)
    assert difference[0, 0] == pytest.approx(0.2 - 0.1)
    assert np.isnan(difference[[0, 1, 1], [1, 0, 1]]).all()


def test_the_largest_difference_of_maps_may_be_negative_and_no_cell_without_a_number():
    difference = np.array([[np.nan, 0.1], [-0.3, 0.2]])
    assert largest_difference(difference) == (1, 0)
    assert largest_difference(np.array([[np.nan, 0.0]])) is None


def _contrast(t, trace, word=2, text="chien"):
    steps = steps_of_words(t.tokenizer, trace)[word]
    before = trace.tgt_ids[: steps.start + 1]
    return contrast_with(trace, steps, encode_after(t.tokenizer, before, text))


def test_ablating_all_heads_in_a_batch_equals_ablating_each_head_alone(t, trace, monkeypatch):
    changes, heads = np.concatenate(list(change_without_each_head(t, trace))), all_heads(t.config)
    monkeypatch.setattr(effect, "BATCH_BYTES", 1)
    assert_same(np.concatenate(list(change_without_each_head(t, trace))), changes)
    for head, change in zip(heads, changes, strict=True):
        alone = ablation_effect(t, trace, ablations_of(t.config, [head], "zero"))
        assert_same(change, (alone.log_probs - trace.log_probs).sum())  # rounded to float32
    assert len({round(float(change), 4) for change in changes}) > len(heads) / 2


@pytest.mark.parametrize("at_once", [1, 10**9])
def test_a_contrast_without_a_token_or_a_head_equals_a_run_without_it(
    t, trace, monkeypatch, at_once
):
    monkeypatch.setattr(effect, "BATCH_BYTES", at_once)
    contrast = _contrast(t, trace)

    def direct(**taken):
        row = log_probs_of(t, trace, **taken)[contrast.step]
        return float(row[contrast.word] - row[contrast.rival])

    before = direct()
    assert difference(trace, contrast) == pytest.approx(before, abs=1e-10)
    tokens = np.concatenate(list(contrast_without(read_without_each_token, t, trace, contrast)))
    expected = [direct(hidden=[n]) - before for n in range(len(trace.src))]
    np.testing.assert_allclose(tokens, expected, atol=1e-10)
    heads = np.concatenate(list(contrast_without(read_without_each_head, t, trace, contrast)))
    off = (ablations_of(t.config, [head], "zero") for head in all_heads(t.config))
    expected = [direct(ablations=each) - before for each in off]
    np.testing.assert_allclose(heads, expected, atol=1e-10)
    assert np.abs(tokens).max() > 1e-3 < np.abs(heads).max()


def test_word_and_rival_are_the_first_tokens_that_differ(t, trace):
    words = steps_of_words(t.tokenizer, trace)
    assert [step for word in words for step in word] == list(range(len(trace.next_tokens)))
    # the last word is <eos>
    assert words[-1] == range(len(trace.next_tokens) - 1, len(trace.next_tokens))
    steps = words[3]
    ids = list(trace.tgt_ids[steps.start + 1 : steps.stop + 1])
    other = (ids[0] + 1) % t.config.vocab_size
    assert contrast_with(trace, steps, [other]) == Contrast(steps.start, ids[0], other, 0)
    end, eos = steps.stop, t.tokenizer.eos_id
    longer = contrast_with(trace, steps, [*ids, eos])  # the other text ends after "chat"
    assert longer == Contrast(end, trace.tgt_ids[end + 1], eos, len(steps))
    assert len(ids) > 1
    for no_rival, reason in ((ids, "same"), (ids[:1], "begins")):
        with pytest.raises(RivalError) as error:
            contrast_with(trace, steps, no_rival)
        assert error.value.reason == reason
    with pytest.raises(RivalError):  # no rival at the last position, and none after it
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
def test_an_alternative_is_split_into_tokens_as_within_its_text(t, before, text, whole):
    tokens = t.tokenizer.encode(whole)[:-1]
    ids = [token.id for token in tokens if token.end <= len(before)]
    added_tokens = encode_after(t.tokenizer, ids, f"{text} ")
    assert [*ids, *added_tokens] == [token.id for token in tokens]
    assert t.tokenizer.decode([*ids, *added_tokens]) == whole


@torch.inference_mode()
def test_each_row_of_a_batch_can_have_its_own_ablation(t, trace):
    src = torch.tensor([[token.id for token in trace.src]])
    tgt = torch.tensor([trace.tgt_ids[:-1]])
    mask = padding_mask(src, t.tokenizer.pad_id)
    generator = torch.Generator().manual_seed(3)
    n, h, d = 3, t.config.n_heads, t.config.d_head
    gate = torch.rand(n, h, generator=generator)
    fill = torch.rand(n, h, d, generator=generator)
    uniform = torch.rand(n, h, generator=generator) > 0.5
    for name in ("encoder.0.self", "decoder.1.cross"):
        rows = src.expand(n, -1), tgt.expand(n, -1), mask
        ablations = {name: HeadAblation(gate, fill, uniform)}
        together = t.model(*rows, hooks=Hooks(ablations=ablations))
        for row in range(n):
            ablations = {name: HeadAblation(gate[row], fill[row], uniform[row])}
            alone = t.model(src, tgt, mask, hooks=Hooks(ablations=ablations))[0]
            torch.testing.assert_close(together[row], alone, rtol=0, atol=1e-10)
