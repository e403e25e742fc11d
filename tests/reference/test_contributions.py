"""Contributions and logit attribution: the parts add up to the recorded result."""

import numpy as np
import pytest
import torch

from model import TranslationModel
from model.maps.contributions import (
    SublayerParts,
    all_contributions,
    alti,
    alti_plus,
    contributions,
    from_source,
    head_contributions,
    take_apart,
)
from model.maps.frozen_norm import FrozenNorm
from model.maps.logit_attribution import attribute_logits
from model.maps.value_norms import transformed_values
from model.nn.root_mean_square_norm import RootMeanSquareNorm
from model.trace.residual_stream import additions
from model.transformer.heads import KINDS, attention_name, attention_path
from tests.conftest import post_norm_model, tiny_model
from tests.reference.conftest import in_float64

SOURCE, TARGET = "The black cat doesn't sleep.", "Le chat noir ne dort pas."


@pytest.fixture(scope="module", params=[tiny_model, post_norm_model], ids=["pre-norm", "post-norm"])
def either(request, t, tokenizer):
    """Return a model with pre-norm or post-norm, whose norms and biases are like trained ones."""
    model = request.param(tokenizer)
    for name, parameter in model.named_parameters():
        if name.endswith("norm.weight"):
            torch.nn.init.uniform_(parameter, 0.5, 1.5)
        elif name.endswith("bias"):
            torch.nn.init.normal_(parameter, std=0.3)
    other = in_float64(TranslationModel(t.folder, model, tokenizer, t.training))
    return other, other.trace(SOURCE, target=TARGET)


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_the_parts_of_a_sublayer_add_up_to_the_stream_after_it(either, kind, layer):
    t, trace = either
    stack, name = attention_path(kind)
    parts = take_apart(t.model, trace, kind, layer)
    [step] = [s for s in additions(trace, stack) if (s.layer, s.sublayer) == (layer, name)]
    together = parts.tokens.sum(axis=1) + parts.residual + parts.bias
    np.testing.assert_allclose(together, step.after, atol=1e-10)
    np.testing.assert_array_equal(parts.result, step.after)


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_contributions_follow_their_definition_token_by_token(either, kind, layer):
    t, trace = either
    parts = take_apart(t.model, trace, kind, layer)
    tokens = parts.tokens
    y = parts.result
    computed = contributions(parts)
    heads = head_contributions(parts, computed)
    f = transformed_values(t.model, trace, kind, layer)  # (H, S, d_model)
    weights = trace.records[f"{attention_name(kind, layer)}.weights"]
    stack, name = attention_path(kind)
    residual = getattr(getattr(t.model, stack).blocks[layer], f"{name}_residual")
    [step] = [s for s in additions(trace, stack) if (s.layer, s.sublayer) == (layer, name)]
    sigma = np.sqrt((step.before + step.added).var(axis=-1) + residual.norm.eps)
    gamma = residual.norm.weight.detach().numpy()
    for i in range(len(tokens)):
        whole = np.abs(y[i]).sum()
        near = dict(enumerate(tokens[i]))
        if kind == "cross":
            near["residual"] = parts.residual[i]
        else:
            near[i] = near[i] + parts.residual[i]
        shares = {j: max(0, whole - np.abs(y[i] - part).sum()) for j, part in near.items()}
        total = sum(shares.values())
        for j in range(len(tokens[i])):
            assert computed.tokens[i, j] == pytest.approx(shares[j] / total, abs=1e-10)
            for h in range(3):
                part = weights[h, i, j] * f[h, j]
                if not residual.pre_norm:
                    part = gamma * (part - part.mean()) / sigma[i]
                own = max(0, whole - np.abs(y[i] - part).sum()) / total
                assert heads[h, i, j] == pytest.approx(own, abs=1e-10)
        assert computed.residual[i] == pytest.approx(shares.get("residual", 0) / total, abs=1e-10)
    np.testing.assert_allclose(computed.tokens.sum(axis=1) + computed.residual, 1, atol=1e-10)
    if kind == "decoder_self":
        later = np.triu_indices(len(tokens), k=1)
        assert not computed.tokens[later].any()
        assert not heads[:, *later].any()


def parts_that_bring_nothing_nearer(kind) -> SublayerParts:
    """Return parts none of which lowers the norm when it is taken away."""
    x = np.ones((2, 3))
    return SublayerParts(
        kind=kind,
        weights=np.full((1, 2, 2), 0.5),
        values=np.zeros((1, 2, 3)),
        norm=FrozenNorm.of(torch.nn.Identity(), x),
        tokens=np.zeros((2, 2, 3)),
        residual=-x,
        bias=2 * x,
        result=x,
    )


def test_if_no_part_moves_towards_the_result_the_residual_gets_the_whole_share():
    across = contributions(parts_that_bring_nothing_nearer("cross"))
    np.testing.assert_array_equal(across.residual, [1, 1])
    np.testing.assert_array_equal(across.tokens, np.zeros((2, 2)))
    back = contributions(parts_that_bring_nothing_nearer("decoder_self"))
    np.testing.assert_array_equal(back.tokens, np.eye(2))
    np.testing.assert_array_equal(back.residual, [0, 0])


@pytest.mark.parametrize("kind", KINDS)
def test_if_no_part_moves_towards_the_result_heads_get_no_share(kind):
    parts = parts_that_bring_nothing_nearer(kind)
    heads = head_contributions(parts, contributions(parts))
    np.testing.assert_array_equal(heads, np.zeros((1, 2, 2)))


def test_through_all_layers_rows_sum_to_1_and_the_first_layer_agrees_with_a_slow_computation(
    either,
):
    t, trace = either
    n_layers, n_tgt, n_src = 2, len(trace.tgt_tokens), len(trace.src)
    by_kind = all_contributions(t.model, trace)
    encoder = alti(by_kind["encoder_self"])
    first, second = (layer.tokens for layer in by_kind["encoder_self"])
    np.testing.assert_allclose(encoder, [first, second @ first], atol=1e-10)
    source, target = alti_plus(by_kind)
    assert source.shape == (n_layers, n_tgt, n_src)
    assert target.shape == (n_layers, n_tgt, n_tgt)
    np.testing.assert_allclose(source.sum(axis=-1) + target.sum(axis=-1), 1, atol=1e-10)
    back = by_kind["decoder_self"][0].tokens
    across = by_kind["cross"][0]
    np.testing.assert_allclose(source[0], across.tokens @ encoder[-1], atol=1e-10)
    np.testing.assert_allclose(target[0], across.residual[:, None] * back, atol=1e-10)
    np.testing.assert_allclose(from_source(t.model, trace), source[1].sum(axis=-1), atol=1e-10)
    np.testing.assert_allclose(from_source(t.model, trace)[0], 1 - target[1, 0, 0], atol=1e-10)
    assert not np.triu(target, k=1).any()


@pytest.mark.parametrize("step", [0, 3])
def test_attributions_add_up_to_the_difference_of_two_logits(either, step):
    t, trace = either
    logits = trace.records["logits"][step]
    word, rival = trace.tgt_ids[step + 1], int(np.argmin(logits))
    attribution = attribute_logits(t.model, trace, step, word, rival)
    assert attribution.total == pytest.approx(logits[word] - logits[rival], abs=1e-9)
    assert attribution.decoder_self.shape == (2, 3, len(trace.tgt_tokens))
    assert attribution.cross.shape == (2, 3, len(trace.src))
    assert not attribution.decoder_self[..., step + 1 :].any()
    back = attribute_logits(t.model, trace, step, rival, word)
    assert back.total == pytest.approx(-attribution.total, abs=1e-9)
    np.testing.assert_allclose(back.cross, -attribution.cross, atol=1e-10)


@pytest.mark.parametrize(
    "norm",
    [
        torch.nn.LayerNorm(7),
        RootMeanSquareNorm(torch.nn.Parameter(torch.ones(7)), eps=1e-6, scale=0.3),
        torch.nn.Identity(),
    ],
    ids=["LayerNorm", "RMS", "none"],
)
def test_a_direction_after_a_norm_is_pulled_back_before_it_at_each_position(norm):
    torch.manual_seed(0)
    for parameter in norm.double().parameters():
        torch.nn.init.normal_(parameter)
    x, direction = torch.randn(2, 4, 7, dtype=torch.float64)
    before, constant = FrozenNorm.of(norm, x.numpy()).pull_back(direction.numpy())
    expected = (direction * norm(x)).sum(dim=-1).detach()
    np.testing.assert_allclose((before * x.numpy()).sum(axis=-1) + constant, expected, atol=1e-12)


def test_the_attribution_of_one_head_follows_from_the_last_norm(t):
    """Pre-norm, last layer, one head and one token: (U_w - U_r) · γ ⊙ (p - mean p) / σ."""
    trace = t.trace(SOURCE, target=TARGET)
    step, word, rival = 2, 7, 11
    attribution = attribute_logits(t.model, trace, step, word, rival)
    weights = trace.records["decoder.1.cross.weights"]  # (H, T, S)
    p = weights[1, step, 4] * transformed_values(t.model, trace, "cross", 1)[1, 4]  # (d_model,)
    x = trace.records["decoder.1.resid_post"][step]
    norm, unembed = t.model.decoder.norm, t.model.unembed.weight
    read = norm.weight.detach().numpy() * (p - p.mean()) / np.sqrt(x.var() + norm.eps)
    expected = (unembed[word] - unembed[rival]).detach().numpy() @ read
    assert attribution.cross[1, 1, 4] == pytest.approx(expected, abs=1e-10)
