"""What is shown of a model's inside holds for a converted one: biases, post-norm, start token."""

import numpy as np
import pytest
import torch

from model import load
from model.convert_marian import convert
from model.decoding.beam import beam_tree
from model.decoding.greedy import greedy
from model.decoding.modified import ModifiedTransformer
from model.decoding.sampling import sample
from model.interventions.ablation import ablation_effect, ablations_of
from model.lessons.norms import as_two_convolutions, ffn_input
from model.lessons.qkv.walkthrough import attention_of, walk
from model.maps.value_norms import layer_norms, transformed_values
from model.nn.hooks import Hooks
from model.trace.logit_lens import logit_lens
from model.trace.residual_stream import STACKS
from model.transformer.heads import KINDS, all_heads, attention_name, attention_path
from model.transformer.masks import padding_mask
from model.transformer.shapes import SHAPES, formula_of, recorded_names
from tests.marian_models import write_model
from tests.reference.conftest import in_float64

TEXT = "I see a cat."


@pytest.fixture(scope="module")
def t(pairs, tmp_path_factory):
    folder = write_model(tmp_path_factory.mktemp("downloads"), pairs)
    out = tmp_path_factory.mktemp("checkpoints") / "opus"
    convert(folder, out)
    return in_float64(load(out))


@pytest.fixture(scope="module")
def src(trace):
    return torch.tensor([[token.id for token in trace.src]])


def test_the_trace_has_every_name_and_starts_with_padding(t, trace):
    assert set(trace.records) == set(recorded_names(t.config))
    assert trace.tgt_ids[0] == t.tokenizer.bos_id == t.tokenizer.pad_id
    assert not trace.records["decoder.token_embedding"][0].any()
    # the start token is no padding: all look at it
    assert (trace.records["decoder.0.self.weights"][:, :, 0] > 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_heads_and_biases_make_the_output(t, trace, kind):
    for layer in range(t.config.n_layers):
        path = attention_name(kind, layer)
        steps = walk(attention_of(t.model, trace, kind, layer))
        recorded = [name for name in recorded_names(t.config) if name.startswith(f"{path}.")]
        assert len(recorded) == 9
        for name in recorded:
            step = steps[name.removeprefix(f"{path}.")][0]
            np.testing.assert_allclose(step, trace.records[name], atol=1e-10)
        stack, name = attention_path(kind)
        module = getattr(getattr(t.model, stack).blocks[layer], f"{name}_attention")
        values = transformed_values(t.model, trace, kind, layer)
        arriving = np.einsum("hts,hsd->tsd", trace.records[f"{path}.weights"], values)
        out = arriving.sum(axis=1) + module.w_o.bias.detach().numpy()
        np.testing.assert_allclose(out, trace.records[f"{path}.attn_out"], atol=1e-10)
        norms = layer_norms(t.model, trace, kind, layer)
        np.testing.assert_allclose(norms, np.linalg.norm(arriving, axis=-1), atol=1e-10)


def test_what_enters_the_feed_forward_is_normed(t, trace):
    for stack in STACKS:
        x = ffn_input(t.model, trace, stack, 1)
        ffn = getattr(t.model, stack).blocks[1].feed_forward
        out = trace.records[f"{stack}.1.ffn.ffn_out"]
        np.testing.assert_allclose(as_two_convolutions(ffn, x), out, atol=1e-10)


def test_the_last_lens_is_what_is_predicted_bias_and_all(t, trace):
    lens = logit_lens(t.model, trace, k=3)
    p = torch.tensor(trace.records["logits"]).softmax(dim=-1).topk(3)
    np.testing.assert_array_equal(lens.ids[-1], p.indices)
    np.testing.assert_allclose(lens.probabilities[-1], p.values, atol=1e-10)


def test_formulas_are_those_of_this_model(t):
    scores = "decoder.{layer}.cross.scores"
    for name, formula in {
        "logits": "decoded W_Uᵀ + b_U",
        "decoder.decoded": "resid_post",
        scores: SHAPES[scores].formula,
    }.items():
        assert formula_of(name, t.config) == formula


def test_all_ways_of_writing_pass_over_padding_and_agree(t, src):
    ids, pad_id = t.tokenizer.special_ids, t.tokenizer.pad_id
    [found] = greedy(t.model, src, **ids)
    with torch.inference_mode():
        assert greedy(ModifiedTransformer(t.model), src, **ids)[0].ids == found.ids
    assert t.translate([TEXT])[0].ids == found.ids
    assert sample(t.model, src, top_k=1, **ids).ids == found.ids
    drawn = [sample(t.model, src, temperature=3.0, seed=seed, **ids) for seed in range(5)]
    assert not any(pad_id in hypothesis.ids for hypothesis in [found, *drawn])
    nodes = beam_tree(t.model, t.tokenizer, src[0].tolist(), beam=3)
    assert [n.token for n in nodes if n.best] == list(t.translate([TEXT], beam=3)[0].ids)


@torch.inference_mode()
def test_with_all_heads_off_the_bias_of_the_output_is_left(t, trace, src):
    off = ablations_of(t.config, all_heads(t.config), "zero")
    assert ablation_effect(t, trace, off).distance.max() > 0.01
    records, tgt = {}, torch.tensor([trace.tgt_ids[:-1]])
    t.model(src, tgt, padding_mask(src, t.tokenizer.pad_id), hooks=Hooks(records, off))
    bias = t.model.decoder.blocks[1].cross_attention.w_o.bias
    assert bias.abs().min() > 0
    assert torch.equal(records["decoder.1.cross.attn_out"], bias.expand(1, tgt.shape[1], -1))
