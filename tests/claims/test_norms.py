"""The claims of lesson 5 about residuals, norms and feed-forward networks are measured."""

from itertools import product

import numpy as np
import pytest
import torch

from model.lessons import norms as lesson
from model.trace.residual_stream import additions, norms
from ui.text.examples import DEFAULT_SENTENCE, SENTENCES

stacks = pytest.mark.parametrize("stack", ["encoder", "decoder"])


@pytest.fixture(scope="module")
def traces(t):
    return [t.trace(text) for text in (DEFAULT_SENTENCE, *SENTENCES[:3])]


@stacks
def test_the_residual_stream_is_the_sum_of_all_outputs_and_grows_from_layer_to_layer(traces, stack):
    for trace in traces:
        steps = additions(trace, stack)
        total = steps[0].before + sum(step.added for step in steps)
        np.testing.assert_allclose(steps[-1].after, total, atol=1e-10)
        assert np.array_equal(steps[0].before, trace.records[f"{stack}.embedded"])
        posts = [norms(step.after).mean() for step in steps if step.sublayer == "ffn"]
        lengths = np.array([norms(steps[0].before).mean(), *posts])
        assert (lengths[1:] > 1.1 * lengths[:-1]).all()
        assert lengths[-1] > 3 * lengths[0]


def test_padding_changes_batch_norm_but_not_layer_norm(t, traces):
    x = torch.tensor(traces[0].records["encoder.embedded"])  # (S, d_model)
    padding = torch.full((8,), t.tokenizer.pad_id)
    with torch.no_grad():
        padded = t.model.src_embedding(padding[None], first=len(x))[0]  # (8, d_model)
    drawn = lesson.draw_batch(0, lengths=(4,), n_padding=0, d_model=5)[0]
    for rows, behind in ((x, padded), (drawn, torch.zeros(3, 5))):
        assert lesson.padding_change(lesson.layer_norm, rows, behind) == 0
        assert lesson.padding_change(lesson.batch_norm, rows, behind) > 0.1


@pytest.mark.parametrize("seed", range(2))
def test_with_post_norm_the_decoder_gradients_are_larger_near_the_output(seed):
    """The deeper the decoder, the larger the ratio of its last gradient to its first.

    At 12 layers it is over 10 (Xiong et al. 2020).

    The encoder has no such slope: all layers of the decoder read its result, so the loss reaches it
    on many paths. With pre-norm, the decoder has no slope either.
    """
    shallow, deep = (lesson.measure_start("post", n_layers, seed) for n_layers in (6, 12))
    slopes = [
        float(g[-1] / g[0]) for g in (shallow["decoder"].gradients, deep["decoder"].gradients)
    ]
    assert slopes[0] > 2
    assert slopes[1] > 10
    in_encoder = deep["encoder"].gradients
    assert 0.2 < float(in_encoder[-1] / in_encoder[0]) < 5
    pre = lesson.measure_start("pre", 12, seed)["decoder"].gradients
    assert float(pre.max() / pre.min()) < 4
    assert pre[-1] < 0.95 * pre[0]


def test_without_the_residual_path_the_decoder_learns_nothing_and_encoded_tokens_are_equal():
    """In the encoder the gradient does not vanish, but its output is the same for all tokens."""
    with_path, without_path = (lesson.measure_start(wiring, 6, 0) for wiring in ("pre", "none"))
    assert with_path["decoder"].gradients[0] > 0.1
    assert without_path["decoder"].gradients[-1] > 0.1
    assert 0 < without_path["decoder"].gradients[0] < 1e-45  # smaller than the smallest float32
    assert with_path["encoder"].spread[-1] > 0.3
    assert without_path["encoder"].spread[-1] < 1e-6
    assert without_path["encoder"].gradients[0] > 0.1


@pytest.mark.parametrize("seed", range(2))
def test_with_24_layers_post_norm_leaves_hardly_any_gradient_for_the_first_layer(seed):
    few, many = (lesson.measure_start("post", n, seed)["decoder"].gradients for n in (2, 24))
    assert many[0] < 0.01 * few[0]
    assert many[0] < 0.01 * many[-1]
    assert lesson.measure_start("pre", 24, seed)["decoder"].gradients[0] > 0.1


@stacks
def test_most_units_of_the_feed_forward_network_are_inactive(t, traces, stack):
    for trace, layer in product(traces, range(4)):
        assert lesson.firing(trace.records[f"{stack}.{layer}.ffn.hidden"]).mean() < 0.48
    x = lesson.ffn_input(t.model, traces[0], stack, 2)
    with torch.no_grad():
        out = getattr(t.model, stack).blocks[2].feed_forward(x[None])[0]
    np.testing.assert_allclose(out, traces[0].records[f"{stack}.2.ffn.ffn_out"], atol=1e-10)
