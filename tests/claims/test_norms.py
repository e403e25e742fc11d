"""What lesson 5 says about residuals, norms and feed-forward, measured."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model import load
from model.lessons.norms.feed_forward_experiment import (
    as_two_convolutions,
    change_one_position,
    ffn_input,
    firing,
)
from model.lessons.norms.gradient_experiment import measure_start
from model.lessons.norms.normalisation import batch_norm, draw_batch, layer_norm, padding_change
from model.nn.tape import Tape
from model.trace.residual_stream import additions, norms
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer
from ui.text.examples import DEFAULT_SENTENCE, SENTENCES
from ui.text.translator import translator


@pytest.fixture(scope="module")
def shipped(shipped_checkpoint):
    return load(shipped_checkpoint)


@pytest.fixture(scope="module")
def traces(shipped):
    return [shipped.trace(text) for text in (DEFAULT_SENTENCE, *SENTENCES[:3])]


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_stream_is_the_sum_of_all_that_was_added(traces, stack):
    for trace in traces:
        steps = additions(trace, stack)
        total = steps[0].before + sum(step.added for step in steps)
        np.testing.assert_allclose(steps[-1].after, total, rtol=1e-4, atol=1e-3)
        assert np.array_equal(steps[0].before, trace.records[f"{stack}.embedded"])


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_stream_of_the_shipped_model_grows_from_layer_to_layer(traces, stack):
    for trace in traces:
        steps = additions(trace, stack)
        posts = [norms(step.after).mean() for step in steps if step.sublayer == "ffn"]
        lengths = np.array([norms(steps[0].before).mean(), *posts])
        assert (lengths[1:] > 1.1 * lengths[:-1]).all()
        assert lengths[-1] > 7 * lengths[0]


def test_layer_norm_never_feels_padding_and_batch_norm_does(shipped, traces):
    x = torch.tensor(traces[0].records["encoder.embedded"])  # (S, d_model)
    padding = torch.full((8,), shipped.tokenizer.pad_id)
    with torch.no_grad():
        padded = shipped.model.src_embedding(padding[None], first=len(x))[0]  # (8, d_model)
    assert padding_change(layer_norm, x, padded) == 0
    assert padding_change(batch_norm, x, padded) > 0.1


def test_batch_norm_feels_padding_in_the_drawn_batch_too():
    for seed in range(5):
        x = draw_batch(seed, lengths=(4,), n_padding=0, d_model=5)[0]
        assert padding_change(layer_norm, x, torch.zeros(3, 5)) == 0
        assert padding_change(batch_norm, x, torch.zeros(3, 5)) > 0.1


@pytest.mark.parametrize("seed", range(3))
def test_post_norm_gradients_of_the_decoder_are_larger_near_the_output(seed):
    """Xiong et al. 2020. The deeper, the steeper: over 10 times at 12 layers."""
    ratios = []
    for n_layers in (6, 12):
        gradients = measure_start("post", n_layers, seed)["decoder"].gradients
        ratios.append(float(gradients[-1] / gradients[0]))
    assert ratios[0] > 2
    assert ratios[1] > 10


@pytest.mark.parametrize("seed", range(3))
def test_pre_norm_gradients_stay_within_a_factor_of_four(seed):
    gradients = measure_start("pre", 12, seed)["decoder"].gradients
    assert float(gradients.max() / gradients.min()) < 4
    assert gradients[-1] < gradients[0]


def test_in_the_encoder_post_norm_has_no_such_slope():
    """The decoder's layers all read its result, so the loss reaches it by many ways."""
    for seed in range(3):
        gradients = measure_start("post", 12, seed)["encoder"].gradients
        assert 0.2 < float(gradients[-1] / gradients[0]) < 5


@pytest.mark.parametrize("seed", range(2))
def test_without_the_residual_path_no_gradient_reaches_the_decoders_first_layer(seed):
    kept, cut = (measure_start(wiring, 6, seed)["decoder"].gradients for wiring in ("pre", "none"))
    assert kept[0] > 0.1
    assert cut[-1] > 0.1
    assert 0 < cut[0] < 1e-45  # less than float32 can hold


@pytest.mark.parametrize("seed", range(2))
def test_without_the_residual_path_the_encoders_positions_become_one(seed):
    """There the gradient does not vanish, but what it trains cannot tell two tokens apart."""
    kept, cut = (measure_start(wiring, 6, seed)["encoder"] for wiring in ("pre", "none"))
    assert kept.spread[-1] > 0.3
    assert cut.spread[-1] < 1e-6
    assert cut.gradients[0] > 0.1


def test_most_hidden_units_are_silent(traces):
    for trace in traces:
        for stack in ("encoder", "decoder"):
            for layer in range(4):
                assert firing(trace.records[f"{stack}.{layer}.ffn.hidden"]).mean() < 0.5


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_feed_forward_acts_on_each_position_alone(shipped, traces, stack):
    trace = traces[0]
    x = ffn_input(shipped.model, trace, stack, 2)
    ffn = getattr(shipped.model, stack).blocks[2].feed_forward
    change = change_one_position(ffn, x, 1, seed=0)
    assert change[1] > 1
    others = torch.cat((change[:1], change[2:]))
    assert others.max() < 1e-4  # 0 but for the rounding of another order of sums
    with torch.no_grad():
        out = ffn(x[None])[0]
    np.testing.assert_allclose(out, trace.records[f"{stack}.2.ffn.ffn_out"], atol=1e-4)
    assert (as_two_convolutions(ffn, x) - out).abs().max() < 1e-3


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_only_with_pre_norm_is_nothing_in_the_stream_replaced(norm):
    """Post-norm scales each sum anew: every vector has length √d_model after it, and not before."""
    torch.manual_seed(0)
    sizes = {"vocab_size": 20, "d_model": 16, "n_heads": 2, "n_layers": 2, "d_ff": 32}
    model = Transformer(ModelConfig(norm=norm, **sizes)).eval()
    tape = Tape()
    with torch.inference_mode():
        model.encode(torch.tensor([[1, 7, 8, 9, 2]]), torch.ones(1, 1, 1, 5).bool(), tape=tape)
    for layer in range(2):
        for before, added, after in (
            ("resid_pre", "self.attn_out", "resid_mid"),
            ("resid_mid", "ffn.ffn_out", "resid_post"),
        ):
            before, added, after = (
                tape.records[f"encoder.{layer}.{name}"] for name in (before, added, after)
            )
            total = before + added
            if norm == "pre":
                torch.testing.assert_close(after, total)
            else:
                torch.testing.assert_close(
                    after.norm(dim=-1), torch.full((1, 5), 4.0), rtol=1e-3, atol=0
                )
                assert float((after - total).abs().max()) > 0.1
                direction = torch.nn.functional.cosine_similarity(
                    after, total - total.mean(dim=-1, keepdim=True), dim=-1
                )
                torch.testing.assert_close(direction, torch.ones(1, 5), rtol=1e-3, atol=0)
    said = translator("en").section("norms", "idea")
    assert "With pre-norm nothing in it is ever replaced; with post-norm each sum is scaled" in said
