"""The residual stream's bookkeeping, with the norm on either side of the sum."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from model.trace.base import trace_pair
from model.trace.residual_stream import additions
from model.trace.transformer import Trace
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer
from tests.tolerance import assert_same


@pytest.fixture(scope="module", params=["pre", "post"])
def trace(request, tokenizer):
    torch.manual_seed(0)
    sizes = {"d_model": 66, "n_heads": 3, "n_layers": 2, "d_ff": 37, "max_length": 61}
    config = ModelConfig(vocab_size=tokenizer.vocab_size, norm=request.param, **sizes)
    model = Transformer(config).eval()
    return request.param, trace_pair(Trace, model, tokenizer, "I see a cat.", target="Je vois.")


@pytest.mark.parametrize(("stack", "sublayers"), [("encoder", 2), ("decoder", 3)])
def test_before_and_added_make_after_step_by_step(trace, stack, sublayers):
    norm, trace = trace
    steps = additions(trace, stack)
    assert [step.layer for step in steps] == [0] * sublayers + [1] * sublayers
    for step, following in pairwise(steps):
        assert np.array_equal(step.after, following.before)
    for step in steps:
        total = torch.tensor(step.before + step.added)
        assert_same(step.after, total if norm == "pre" else F.layer_norm(total, (66,)))
        assert (step.remainder < 1e-5) == (norm == "pre")
        b, a = step.before.astype(np.float64), step.added.astype(np.float64)
        length_b, length_a = np.linalg.norm(b, axis=-1), np.linalg.norm(a, axis=-1)
        np.testing.assert_allclose(step.share, length_a / length_b, rtol=1e-5)
        np.testing.assert_allclose(step.cosine, (a * b).sum(-1) / length_a / length_b, atol=1e-5)
    assert steps[1].sublayer == ("ffn" if stack == "encoder" else "cross")
