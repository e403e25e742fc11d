"""The wirings are what they say, and one seed means one set of weights and tokens."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from model.config import ModelConfig
from model.gradient_experiment import NoResidual, _untrained, measure_start
from model.residual import Residual

CONFIG = ModelConfig(vocab_size=8, d_model=6, n_heads=2, n_layers=1, d_ff=5, dropout=0.0)


def test_without_its_path_a_residual_is_its_sublayer() -> None:
    x = torch.randn(2, 3, 6, generator=torch.Generator().manual_seed(0))
    kept, cut = Residual(CONFIG), NoResidual(CONFIG)
    torch.testing.assert_close(cut(x, torch.sin) + x, kept(x, torch.sin))


@pytest.mark.parametrize(("wiring", "kind"), [("pre", Residual), ("none", NoResidual)])
def test_every_residual_is_wired_alike(wiring, kind) -> None:
    model = _untrained(wiring, 2, seed=0)
    found = [part for part in model.modules() if isinstance(part, Residual)]
    assert len(found) == 2 * 2 + 2 * 3
    assert all(type(part) is kind and part.pre_norm for part in found)


def test_all_wirings_share_their_weights() -> None:
    models = [_untrained(wiring, 2, seed=3) for wiring in ("pre", "post", "none")]
    for name, part in models[0].named_modules():
        if isinstance(part, nn.Linear):
            for other in models[1:]:
                assert torch.equal(part.weight, other.get_submodule(name).weight)


def test_a_seed_measures_the_same_again_and_leaves_other_draws_alone() -> None:
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    first, again, other = (measure_start("pre", 2, seed)["decoder"] for seed in (1, 1, 2))
    assert torch.equal(torch.rand(3), expected)
    assert torch.equal(first.gradients, again.gradients)
    assert not torch.equal(first.gradients, other.gradients)
    assert first.gradients.shape == first.spread.shape == (2,)
