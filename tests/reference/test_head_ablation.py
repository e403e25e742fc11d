"""Head ablation: what it does, and that ablating nothing changes nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from model.decoding.greedy import greedy, greedy_steps
from model.heads.ablation import MODES, ablation_effect, ablations_of
from model.heads.means import head_means
from model.maps.minimal_pair import common_places, map_difference
from model.nn.head_ablation import HeadAblation
from model.nn.tape import Tape
from model.transformer.masks import padding_mask
from tests.tolerance import assert_same

ATTENTIONS = ("encoder.0.self", "encoder.1.self", "decoder.0.self", "decoder.1.cross")


@pytest.fixture(scope="module")
def batch(t):
    src = torch.tensor([[token.id for token in t.tokenizer.encode("I see a cat.")]])
    tgt = torch.tensor([[token.id for token in t.tokenizer.encode("Je vois.")][:-1]])
    return src, tgt, padding_mask(src, t.tokenizer.pad_id)


def _off(n_heads: int, *heads: int) -> HeadAblation:
    gate = torch.ones(n_heads)
    gate[list(heads)] = 0
    return HeadAblation(gate)


@torch.inference_mode()
def _run(t, batch, ablations):
    tape = Tape()
    src, tgt, mask = batch
    return t.model(src, tgt, mask, ablations=ablations, tape=tape), tape.records


def test_switching_off_no_head_changes_nothing_bit_for_bit(t, batch):
    plain, _ = _run(t, batch, None)
    for ablations in ({}, {name: _off(t.config.n_heads) for name in ATTENTIONS}):
        assert torch.equal(_run(t, batch, ablations)[0], plain)


@pytest.mark.parametrize("name", ATTENTIONS)
def test_a_head_that_is_off_adds_nothing_and_the_others_are_untouched(t, batch, name):
    _, before = _run(t, batch, None)
    logits, after = _run(t, batch, {name: _off(t.config.n_heads, 1)})
    assert not after[f"{name}.head_out"][:, 1].any()
    for head in (0, 2):
        assert torch.equal(after[f"{name}.head_out"][:, head], before[f"{name}.head_out"][:, head])
    assert torch.equal(after[f"{name}.weights"], before[f"{name}.weights"])  # it still looked
    stack, layer, kind = name.split(".")
    module = t.model.get_submodule(f"{stack}.blocks.{layer}.{kind}_attention")
    d = t.config.d_head
    removed = before[f"{name}.head_out"][:, 1] @ module.w_o.weight.detach()[:, d : 2 * d].T
    difference = before[f"{name}.attn_out"] - after[f"{name}.attn_out"]
    torch.testing.assert_close(difference, removed, rtol=0, atol=1e-10)
    assert not torch.equal(logits, _run(t, batch, None)[0])


def test_a_uniform_head_looks_at_all_visible_keys_alike(t, batch):
    uniform = torch.tensor([False, True, False])
    ablation = HeadAblation(torch.ones(3), uniform=uniform)
    _, records = _run(t, batch, {"decoder.0.self": ablation, "decoder.0.cross": ablation})
    own, cross = records["decoder.0.self.weights"], records["decoder.0.cross.weights"]
    for i in range(own.shape[2]):
        expected = [1 / (i + 1)] * (i + 1) + [0] * (own.shape[2] - i - 1)
        assert_same(own[0, 1, i], expected)
    assert_same(cross[0, 1].unique(), [1 / cross.shape[3]])
    assert len(own[0, 0].unique()) > own.shape[2]
    # A padded key gets nothing.
    src, tape = torch.tensor([[5, 6, t.tokenizer.pad_id]]), Tape()
    mask = padding_mask(src, t.tokenizer.pad_id)
    t.model.encode(src, mask, ablations={"encoder.0.self": ablation}, tape=tape)
    assert tape.records["encoder.0.self.weights"][0, 1, 0].tolist() == [0.5, 0.5, 0]


def test_a_head_can_be_replaced_by_its_mean(t, batch):
    mean = torch.arange(t.config.d_head, dtype=torch.float64)
    fill = torch.zeros(3, t.config.d_head)
    fill[2] = mean
    ablation = HeadAblation(_off(3, 2).gate, fill=fill)
    _, records = _run(t, batch, {"encoder.1.self": ablation})
    assert torch.equal(records["encoder.1.self.head_out"][0, 2], mean.expand(batch[0].shape[1], -1))


def test_decoding_with_a_cache_uses_the_same_switches(t, batch):
    src, _, mask = batch
    ablations = {name: _off(3, 0) for name in ATTENTIONS}
    ids = t.tokenizer.special_ids
    [hypothesis] = greedy(t.model, src, ablations=ablations, **ids)
    tgt = torch.tensor([[ids["bos_id"], *hypothesis.ids[:-1]]])
    with torch.inference_mode():
        log_probs = t.model(src, tgt, mask, ablations=ablations).log_softmax(dim=-1)[0]
    assert log_probs.argmax(dim=-1).tolist() == list(hypothesis.ids)
    for row, id, log_prob in zip(log_probs, hypothesis.ids, hypothesis.log_probs, strict=True):
        assert_same(row[id].item(), log_prob, largest=5)  # of float32 logits
    steps = greedy_steps(t.model, src, pad_id=ids["pad_id"], bos_id=ids["bos_id"])
    plain = next(steps).log_probs[0]
    assert abs(plain.max().item() - hypothesis.log_probs[0]) > 1e-3


HEADS = [("encoder_self", 0, 1), ("cross", 1, 2), ("cross", 1, 0)]


@pytest.fixture(scope="module")
def means(t, trace):
    return head_means([trace, t.trace("Good evening!", target="Bonsoir !")]).means


@pytest.mark.parametrize("mode", MODES)
def test_no_head_changed_changes_nothing(t, mode, means):
    generated = t.trace("I see a cat.")
    found = ablation_effect(t, generated, ablations_of(t.config, [], mode, means))
    assert found.text == generated.target_text
    np.testing.assert_allclose(found.log_probs, generated.log_probs, rtol=0, atol=1e-10)
    assert found.distance.max() < 1e-10


@pytest.mark.parametrize("mode", MODES)
def test_an_intervention_is_its_definition(t, trace, mode, means):
    ablations = ablations_of(t.config, HEADS, mode, means)
    found = ablation_effect(t, trace, ablations)
    src = torch.tensor([[token.id for token in trace.src]])
    tgt = torch.tensor([trace.tgt_ids[:-1]])
    with torch.inference_mode():
        logits = t.model(src, tgt, padding_mask(src, t.tokenizer.pad_id), ablations=ablations)[0]
    for n, id in enumerate(trace.tgt_ids[1:]):
        after = logits[n].softmax(dim=-1)
        before = torch.tensor(trace.records["logits"][n]).softmax(dim=-1)
        apart = float((after - before).abs().sum()) / 2
        assert found.log_probs[n] == pytest.approx(math.log(after[id]), abs=1e-10)
        assert found.distance[n] == pytest.approx(apart, abs=1e-10)
    assert found.distance.max() > 1e-4


def test_modes_do_what_they_are_called(t, means):
    zero = ablations_of(t.config, HEADS, "zero")
    assert {path: ablation.gate.tolist() for path, ablation in zero.items()} == {
        "encoder.0.self": [1, 0, 1],
        "decoder.1.cross": [0, 1, 0],
    }
    uniform = ablations_of(t.config, HEADS, "uniform")["decoder.1.cross"]
    assert uniform.gate.tolist() == [1, 1, 1]
    assert uniform.uniform.tolist() == [True, False, True]
    mean = ablations_of(t.config, HEADS, "mean", means)["encoder.0.self"]
    assert mean.gate.tolist() == [1, 0, 1]
    assert torch.equal(mean.fill[1], means["encoder.0.self"][1])
    assert not mean.fill[[0, 2]].any()
    with pytest.raises(ValueError, match="say what that is"):
        ablations_of(t.config, HEADS, "mean")


def test_difference_of_maps_by_hand():
    """Rows a, b against a, c; columns x, y against z, x."""
    first = np.array([[0.2, 0.8], [0.5, 0.5]])
    second = np.array([[0.9, 0.1], [0.3, 0.7]])
    rows, columns = common_places("ab", "ac"), common_places("xy", "zx")
    assert (rows, columns) == ([(0, 0)], [(0, 1)])
    difference = map_difference(first, second, rows, columns)
    assert difference[0, 0] == pytest.approx(0.1 - 0.2)
    assert np.isnan(difference[[0, 1, 1], [1, 0, 1]]).all()
