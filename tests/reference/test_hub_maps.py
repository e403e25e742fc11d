"""Maps and interventions on Hub models: the sums that must hold in every family."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from model import Trace, TranslationModel, load
from model.interventions.ablation import ablation_effect, ablations_of, head_means
from model.interventions.leave_one_out import change_without_each_head, leave_one_token_out
from model.interventions.patching import Pair, n_patches, patch_each
from model.maps.contributions import all_contributions, alti_plus, contributions, take_apart
from model.maps.logit_attribution import attribute_logits
from model.maps.opened_cell import open_cell
from model.maps.value_norms import head_norms, transformed_values
from model.trace.logit_lens import logit_lens
from model.transformer.heads import KINDS, all_heads, attention_name, attention_path
from tests.hub_models import KINDS as FOLDERS
from tests.hub_models import save_folder

SENTENCE = "The black cat sleeps."
TARGET = "Le chat noir dort."
Opened = tuple[TranslationModel, Trace]


@pytest.fixture(scope="module", params=FOLDERS)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """Return a model of each kind and the trace of a pair, in float64."""
    folder: Path = save_folder(request.param, tmp_path_factory.mktemp("hub") / request.param)
    model = load(folder)
    assert isinstance(model, TranslationModel)
    model.model.double()
    return model, model.trace(SENTENCE, target=TARGET)


def test_head_outputs_and_bias_sum_to_the_output(opened: Opened) -> None:
    t, trace = opened
    for kind in KINDS:
        stack, name = attention_path(kind)
        for layer in range(t.config.n_layers):
            values = transformed_values(t.model, trace, kind, layer)  # (H, S, d_model)
            path = attention_name(kind, layer)
            block = getattr(t.model, stack).blocks[layer]
            total = np.einsum("hts,hsd->td", trace.records[f"{path}.weights"], values)
            total += getattr(block, f"{name}_attention").w_o.bias.detach().numpy()
            assert_allclose(total, trace.records[f"{path}.attn_out"], rtol=0, atol=1e-12)


def test_parts_of_a_sublayer_sum_to_its_result(opened: Opened) -> None:
    t, trace = opened
    for kind in KINDS:
        for layer in range(t.config.n_layers):
            parts = take_apart(t.model, trace, kind, layer)
            total = parts.tokens.sum(axis=1) + parts.residual + parts.bias
            assert_allclose(total, parts.result, rtol=0, atol=1e-12)
            shares = contributions(parts)
            assert_allclose(shares.tokens.sum(axis=1) + shares.residual, 1)


def test_shares_of_source_and_target_sum_to_one(opened: Opened) -> None:
    t, trace = opened
    shares = alti_plus(all_contributions(t.model, trace))
    assert_allclose(shares.source.sum(axis=-1) + shares.target.sum(axis=-1), 1)


@torch.inference_mode()
def test_parts_of_a_logit_difference_sum_to_it(opened: Opened) -> None:
    t, trace = opened
    for step in range(len(trace.next_tokens)):
        logits = trace.records["logits"][step]
        attribution = attribute_logits(t.model, trace, step, word=9, rival=13)
        # T5 computes its mean squares in float32, even if the model is float64.
        tolerance = 1e-6 if t.name == "t5" else 1e-11
        assert_allclose(attribution.total, logits[9] - logits[13], rtol=0, atol=tolerance)


def test_the_last_layer_of_the_logit_lens_gives_the_models_own_logits(opened: Opened) -> None:
    t, trace = opened
    lens = logit_lens(t.model, trace, k=1)
    assert lens.ids[-1, :, 0].tolist() == trace.records["logits"].argmax(axis=-1).tolist()


def test_an_opened_cell_has_the_score_of_the_trace(opened: Opened) -> None:
    t, trace = opened
    for kind in KINDS:
        scores = trace.records[f"{attention_name(kind, 1)}.scores"]  # (H, T, S)
        cell = open_cell(trace, kind, layer=1, head=2, row=3, column=1, scaling=t.config.scaling)
        assert math.isclose(cell.score, scores[2, 3, 1], abs_tol=1e-12)
        assert cell.is_scaled == (t.name != "t5")
        assert (cell.position_bias is not None) == (t.name == "t5" and kind != "cross")


def test_value_norms_are_weights_times_lengths(opened: Opened) -> None:
    t, trace = opened
    norms = head_norms(t.model, trace, "cross", 0)
    lengths = np.linalg.norm(transformed_values(t.model, trace, "cross", 0), axis=-1)
    assert_allclose(norms, trace.cross[0] * lengths[:, None])


def test_every_head_can_be_ablated_alone(opened: Opened) -> None:
    t, trace = opened
    t.model.float()
    trace = t.trace(SENTENCE, target=TARGET)
    heads = all_heads(t.config)
    changes = np.concatenate([*change_without_each_head(t, trace)])

    for n in (0, len(heads) // 2, len(heads) - 1):
        effect = ablation_effect(t, trace, ablations_of(t.config, [heads[n]], "zero"))
        change = (effect.log_probs - trace.log_probs).sum()
        assert_allclose(changes[n], change, rtol=0, atol=1e-4)
    means = head_means([trace]).means
    for mode in ("uniform", "mean"):
        effect = ablation_effect(t, trace, ablations_of(t.config, heads[:3], mode, means))
        assert np.isfinite(effect.log_probs).all()
        assert (effect.distance > 0).any()


def test_each_token_can_be_hidden(opened: Opened) -> None:
    t, _ = opened
    t.model.float()
    trace = t.trace(SENTENCE, target=TARGET)
    distances = np.concatenate([effect.distance for effect in leave_one_token_out(t, trace)])
    assert distances.shape == (len(trace.src), len(trace.next_tokens))
    assert (distances.max(axis=1) > 0).all()


@torch.inference_mode()
def test_patching_every_token_of_the_last_layer_gives_the_first_sentence(opened: Opened) -> None:
    t, _ = opened
    t.model.float()
    first = t.trace(SENTENCE, target=TARGET)
    second = t.trace("The white dog sleeps.", target="Le chien blanc dort.")
    pair = Pair.of(first, second)

    results = [*patch_each(t.model, pair)]

    assert len(results) == n_patches(t.model)
    activation, stack, scores = results[-2]  # the stream after the last block of the decoder
    assert (activation, stack) == ("stream", "decoder")
    assert_allclose(scores[-1], 1, atol=1e-3)
