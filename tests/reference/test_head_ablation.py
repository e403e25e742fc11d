"""Head ablation: what it does, and that ablating nothing changes nothing; mean outputs."""

import shutil

import numpy as np
import pytest
import torch

from model.decoding.greedy import greedy
from model.decoding.modified import ModifiedTransformer
from model.interventions import ablation, effect
from model.interventions.ablation import MODES, ablation_effect, ablations_of
from model.interventions.contrast import (
    Contrast,
    RivalError,
    contrast_with,
    contrast_without,
    difference,
    spelled_after,
    steps_of_words,
)
from model.interventions.leave_one_out import (
    change_without_each_head,
    read_without_each_head,
    read_without_each_token,
)
from model.maps.two_maps import common_places, map_difference
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
def test_a_head_that_is_off_adds_nothing_and_the_others_are_untouched(t, batch, name):
    _, before = _run(t, batch, {})
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
    assert not torch.equal(logits, _run(t, batch, {})[0])


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


def test_decoding_with_a_cache_uses_the_same_switches(t, batch):
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
        assert_same(row[id].item(), log_prob, largest=5)  # of float32 logits
    [plain] = greedy(t.model, src, **ids)
    assert abs(plain.log_probs[0] - hypothesis.log_probs[0]) > 1e-3


HEADS = [("encoder_self", 0, 1), ("cross", 1, 2), ("cross", 1, 0)]


@pytest.fixture(scope="module")
def means(t, trace):
    return ablation.head_means([trace, t.trace("Good evening!", target="Bonsoir !")]).means


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
    after, before = log_probs_of(t, trace, ablations=ablations), log_probs_of(t, trace)
    apart = (after.exp() - before.exp()).abs().sum(dim=-1) / 2
    expected = after[range(len(after)), trace.tgt_ids[1:]]
    np.testing.assert_allclose(found.log_probs, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.distance, apart, rtol=0, atol=1e-10)
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
    assert difference[0, 0] == pytest.approx(0.2 - 0.1)
    assert np.isnan(difference[[0, 1, 1], [1, 0, 1]]).all()


def _contrast(t, trace, word=2, text="chien"):
    steps = steps_of_words(t.tokenizer, trace)[word]
    before = trace.tgt_ids[: steps.start + 1]
    return contrast_with(trace, steps, spelled_after(t.tokenizer, before, text))


def test_each_head_alone_is_as_ablated_alone(t, trace, monkeypatch):
    found, heads = np.concatenate(list(change_without_each_head(t, trace))), all_heads(t.config)
    monkeypatch.setattr(effect, "BATCH_BYTES", 1)
    assert_same(np.concatenate(list(change_without_each_head(t, trace))), found)
    for head, change in zip(heads, found, strict=True):
        alone = ablation_effect(t, trace, ablations_of(t.config, [head], "zero"))
        assert_same(change, (alone.log_probs - trace.log_probs).sum())  # rounded to float32
    assert len({round(float(change), 4) for change in found}) > len(heads) / 2


@pytest.mark.parametrize("at_once", [1, 10**9])
def test_contrast_is_recomputed_by_taking_away(t, trace, monkeypatch, at_once):
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
    assert words[-1] == range(len(trace.next_tokens) - 1, len(trace.next_tokens))  # <eos>
    steps = words[3]
    ids = list(trace.tgt_ids[steps.start + 1 : steps.stop + 1])
    other = (ids[0] + 1) % t.config.vocab_size
    assert contrast_with(trace, steps, [other]) == Contrast(steps.start, ids[0], other, 0)
    end, eos = steps.stop, t.tokenizer.eos_id
    longer = contrast_with(trace, steps, [*ids, eos])  # "chat" and then its end
    assert longer == Contrast(end, trace.tgt_ids[end + 1], eos, len(steps))
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


PAIRS = {"I see a cat.": "Je vois un chat.", "Good evening!": "Bonsoir !"}


@pytest.fixture
def own(tiny_checkpoint, tmp_path):
    return load(shutil.copytree(tiny_checkpoint, tmp_path / "tiny"))


def _mean_by_hand(own, path: str, head: int) -> np.ndarray:
    """Over every position of every pair, one after another, in float64."""
    rows = [
        row.astype(float)
        for source, target in PAIRS.items()
        for row in own.trace(source, target=target).records[f"{path}.head_out"][head]
    ]
    return sum(rows) / len(rows)


def test_the_mean_is_over_all_positions_of_all_sentences_and_is_read_again(own):
    traces = (own.trace(source, target=target) for source, target in PAIRS.items())
    found = ablation.head_means(traces)
    assert found.n_sentences == 2
    assert len(found.means) == len({(kind, layer) for kind, layer, _ in all_heads(own.config)})
    for path, mean in found.means.items():
        assert mean.shape == (3, 22)
        for head in range(3):
            assert_same(mean[head], _mean_by_hand(own, path, head))
    assert ablation.read_head_means(own) is None
    ablation.save_head_means(own, found)
    again = ablation.read_head_means(own)
    assert again.n_sentences == 2
    for path, mean in again.means.items():
        np.testing.assert_allclose(mean, found.means[path], rtol=1e-3, atol=1e-4)  # float16
        assert mean.dtype == torch.float32


def test_of_no_sentence_there_is_no_mean():
    with pytest.raises(ValueError, match="no sentence"):
        ablation.head_means([])


def test_means_of_a_model_that_was_trained_further_and_damaged_ones_are_not_taken(own):
    ablation.save_head_means(own, ablation.head_means([own.trace("I see a cat.")]))
    assert ablation.read_head_means(own) is not None
    with torch.no_grad():
        own.model.encoder.blocks[0].self_attention.w_q.weight[0, 0] += 1e-3
    assert ablation.read_head_means(own) is None
    path = ablation.save_head_means(own, ablation.head_means([own.trace("I see a cat.")]))
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ValueError, match="damaged"):
        ablation.read_head_means(own)
