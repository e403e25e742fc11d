"""Head ablation: its effect, mean outputs, and that ablating no head changes nothing."""

import shutil

import numpy as np
import pytest
import torch

from model.decoding.greedy import greedy
from model.decoding.modified import ModifiedTransformer
from model.interventions import ablation
from model.interventions.ablation import ABLATION_MODES, ablation_effect, ablations_of
from model.nn.hooks import HeadAblation, Hooks
from model.transformer.heads import all_heads
from model.transformer.masks import padding_mask
from model.translation_model import load
from tests.reference.conftest import log_probs_of
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
    records = {}
    src, tgt, mask = batch
    return t.model(src, tgt, mask, hooks=Hooks(records, ablations)), records


@pytest.mark.parametrize("name", ATTENTIONS)
def test_an_ablated_head_adds_nothing_and_the_other_heads_are_unchanged(t, batch, name):
    _, before = _run(t, batch, {})
    logits, after = _run(t, batch, {name: _off(t.config.n_heads, 1)})
    assert not after[f"{name}.head_out"][:, 1].any()
    for head in (0, 2):
        assert torch.equal(after[f"{name}.head_out"][:, head], before[f"{name}.head_out"][:, head])
    # its attention weights are still computed
    assert torch.equal(after[f"{name}.weights"], before[f"{name}.weights"])
    stack, layer, kind = name.split(".")
    module = t.model.get_submodule(f"{stack}.blocks.{layer}.{kind}_attention")
    d = t.config.d_head
    removed = before[f"{name}.head_out"][:, 1] @ module.w_o.weight.detach()[:, d : 2 * d].T
    difference = before[f"{name}.attn_out"] - after[f"{name}.attn_out"]
    torch.testing.assert_close(difference, removed, rtol=0, atol=1e-10)
    assert not torch.equal(logits, _run(t, batch, {})[0])


def test_a_uniform_head_gives_all_visible_keys_the_same_weight(t, batch):
    uniform = torch.tensor([False, True, False])
    ablation = HeadAblation(torch.ones(3), uniform=uniform)
    _, records = _run(t, batch, {"decoder.0.self": ablation, "decoder.0.cross": ablation})
    own, cross = records["decoder.0.self.weights"], records["decoder.0.cross.weights"]
    for i in range(own.shape[2]):
        expected = [1 / (i + 1)] * (i + 1) + [0] * (own.shape[2] - i - 1)
        assert_same(own[0, 1, i], expected)
    assert_same(cross[0, 1].unique(), [1 / cross.shape[3]])
    assert len(own[0, 0].unique()) > own.shape[2]
    # A padded key gets no weight.
    src, records = torch.tensor([[5, 6, t.tokenizer.pad_id]]), {}
    mask = padding_mask(src, t.tokenizer.pad_id)
    t.model.encode(src, mask, hooks=Hooks(records, {"encoder.0.self": ablation}))
    assert records["encoder.0.self.weights"][0, 1, 0].tolist() == [0.5, 0.5, 0]


def test_a_head_can_be_replaced_by_its_mean(t, batch):
    mean = torch.arange(t.config.d_head, dtype=torch.float64)
    fill = torch.zeros(3, t.config.d_head)
    fill[2] = mean
    ablation = HeadAblation(_off(3, 2).gate, fill=fill)
    _, records = _run(t, batch, {"encoder.1.self": ablation})
    assert torch.equal(records["encoder.1.self.head_out"][0, 2], mean.expand(batch[0].shape[1], -1))


def test_decoding_with_a_cache_uses_the_same_ablations(t, batch):
    src, _, mask = batch
    ablations = {name: _off(3, 0) for name in ATTENTIONS}
    ids = t.tokenizer.special_ids
    [hypothesis] = greedy(ModifiedTransformer(t.model, ablations=ablations), src, **ids)
    tgt = torch.tensor([[ids["bos_id"], *hypothesis.ids[:-1]]])
    with torch.inference_mode():
        logits = t.model(src, tgt, mask, hooks=Hooks(ablations=ablations))
    log_probs = logits.log_softmax(dim=-1)[0]
    assert log_probs.argmax(dim=-1).tolist() == list(hypothesis.ids)
    for row, id, log_prob in zip(log_probs, hypothesis.ids, hypothesis.log_probs, strict=True):
        assert_same(row[id].item(), log_prob, largest=5)  # the largest of the float32 logits
    [plain] = greedy(t.model, src, **ids)
    assert abs(plain.log_probs[0] - hypothesis.log_probs[0]) > 1e-3


HEADS = [("encoder_self", 0, 1), ("cross", 1, 2), ("cross", 1, 0)]


@pytest.fixture(scope="module")
def means(t, trace):
    return ablation.head_means([trace, t.trace("Good evening!", target="Bonsoir !")]).means


@pytest.mark.parametrize("mode", ABLATION_MODES)
def test_ablating_no_head_changes_nothing(t, mode, means):
    generated = t.trace("I see a cat.")
    effect = ablation_effect(t, generated, ablations_of(t.config, [], mode, means))
    assert effect.text == generated.target_text
    np.testing.assert_allclose(effect.log_probs, generated.log_probs, rtol=0, atol=1e-10)
    assert effect.distance.max() < 1e-10


@pytest.mark.parametrize("mode", ABLATION_MODES)
def test_the_effect_of_an_ablation_follows_its_definition(t, trace, mode, means):
    ablations = ablations_of(t.config, HEADS, mode, means)
    effect = ablation_effect(t, trace, ablations)
    after, before = log_probs_of(t, trace, ablations=ablations), log_probs_of(t, trace)
    apart = (after.exp() - before.exp()).abs().sum(dim=-1) / 2
    expected = after[range(len(after)), trace.tgt_ids[1:]]
    np.testing.assert_allclose(effect.log_probs, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(effect.distance, apart, rtol=0, atol=1e-10)
    assert effect.distance.max() > 1e-4


def test_each_mode_of_ablation_gives_the_arrays_of_its_definition(t, means):
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
    with pytest.raises(ValueError, match="needs the mean outputs"):
        ablations_of(t.config, HEADS, "mean")


PAIRS = {"I see a cat.": "Je vois un chat.", "Good evening!": "Bonsoir !"}


@pytest.fixture
def own(tiny_checkpoint, tmp_path):
    return load(shutil.copytree(tiny_checkpoint, tmp_path / "tiny"))


def _mean_by_hand(own, path: str, head: int) -> np.ndarray:
    """Return the mean of a head's output over all positions of all pairs, in float64."""
    rows = [
        row.astype(float)
        for source, target in PAIRS.items()
        for row in own.trace(source, target=target).records[f"{path}.head_out"][head]
    ]
    return sum(rows) / len(rows)


def test_the_mean_output_is_over_all_positions_of_all_sentences_and_can_be_saved_and_read(own):
    traces = (own.trace(source, target=target) for source, target in PAIRS.items())
    measured = ablation.head_means(traces)
    assert measured.n_sentences == 2
    assert len(measured.means) == len({(kind, layer) for kind, layer, _ in all_heads(own.config)})
    for path, mean in measured.means.items():
        assert mean.shape == (3, 22)
        for head in range(3):
            assert_same(mean[head], _mean_by_hand(own, path, head))
    assert ablation.read_head_means(own) is None
    ablation.save_head_means(own, measured)
    again = ablation.read_head_means(own)
    assert again.n_sentences == 2
    for path, mean in again.means.items():
        # the file is float16
        np.testing.assert_allclose(mean, measured.means[path], rtol=1e-3, atol=1e-4)
        assert mean.dtype == torch.float32


def test_the_mean_over_no_sentences_is_refused():
    with pytest.raises(ValueError, match="no sentence"):
        ablation.head_means([])


def test_mean_outputs_of_other_weights_or_in_a_damaged_file_are_not_used(own):
    ablation.save_head_means(own, ablation.head_means([own.trace("I see a cat.")]))
    assert ablation.read_head_means(own) is not None
    with torch.no_grad():
        own.model.encoder.blocks[0].self_attention.w_q.weight[0, 0] += 1e-3
    assert ablation.read_head_means(own) is None
    path = ablation.save_head_means(own, ablation.head_means([own.trace("I see a cat.")]))
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ValueError, match="damaged"):
        ablation.read_head_means(own)
