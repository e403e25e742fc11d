"""The residual stream's bookkeeping, with the norm on either side of the sum."""

from __future__ import annotations

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


@pytest.fixture(scope="module", params=["pre", "post"])
def trace(request, tokenizer):
    torch.manual_seed(0)
    config = ModelConfig(
        vocab_size=tokenizer.vocab_size,
        d_model=66,
        n_heads=3,
        n_layers=2,
        d_ff=37,
        max_length=61,
        norm=request.param,
    )
    model = Transformer(config).eval()
    return request.param, trace_pair(Trace, model, tokenizer, "I see a cat.", target="Je vois.")


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_before_and_added_make_after(trace, stack):
    norm, trace = trace
    for step in additions(trace, stack):
        total = torch.tensor(step.before + step.added)
        expected = total if norm == "pre" else F.layer_norm(total, (66,))
        np.testing.assert_allclose(step.after, expected, atol=1e-5)
        assert (step.remainder < 1e-5) == (norm == "pre")


def test_the_steps_follow_each_other(trace):
    _, trace = trace
    for stack, sublayers in (("encoder", 2), ("decoder", 3)):
        steps = additions(trace, stack)
        assert len(steps) == 2 * sublayers
        assert [step.layer for step in steps] == [0] * sublayers + [1] * sublayers
        for step, following in pairwise(steps):
            assert np.array_equal(step.after, following.before)


def test_share_and_cosine_by_hand(trace):
    _, trace = trace
    step = additions(trace, "decoder")[1]
    assert step.sublayer == "cross"
    b, a = step.before[2].astype(np.float64), step.added[2].astype(np.float64)
    assert step.share[2] == pytest.approx(np.sqrt(a @ a) / np.sqrt(b @ b), rel=1e-5)
    assert step.cosine[2] == pytest.approx(a @ b / np.sqrt((a @ a) * (b @ b)), abs=1e-5)
