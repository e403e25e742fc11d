"""Head ablation: what it does, and that ablating nothing changes nothing."""

from __future__ import annotations

import pytest
import torch

from model.decoding.greedy import greedy, greedy_steps
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
