"""The lesson about residuals and norms: wirings, layer norm and batch norm."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from model.lessons import norms
from model.nn.hooks import Hooks
from model.transformer.config import ModelConfig
from model.transformer.feed_forward import FeedForward
from model.transformer.masks import padding_mask
from model.transformer.residual import Residual

CONFIG = ModelConfig(vocab_size=8, d_model=6, n_heads=2, n_layers=1, d_ff=5, dropout=0.0)


def test_without_the_residual_path_a_block_is_its_sublayer():
    x = torch.randn(2, 3, 6, generator=torch.Generator().manual_seed(0))
    with_path = Residual(CONFIG)
    without_path = norms.NoResidual(CONFIG)
    torch.testing.assert_close(without_path(x, torch.sin) + x, with_path(x, torch.sin))


def test_all_wirings_have_the_same_weights():
    models = [norms.wired_model(wiring, 2, seed=3) for wiring in ("pre", "post", "none")]
    for name, module in models[0].named_modules():
        if isinstance(module, nn.Linear):
            for other in models[1:]:
                assert torch.equal(module.weight, other.get_submodule(name).weight)


def test_the_same_seed_gives_the_same_measurements():
    first, again, other = (norms.measure_start("pre", 2, seed)["decoder"] for seed in (1, 1, 2))
    assert torch.equal(first.gradients, again.gradients)
    assert not torch.equal(first.gradients, other.gradients)
    assert first.gradients.shape == first.spread.shape == (2,)


def test_gradients_and_spread_at_the_start_follow_their_definitions():
    """The norm of the gradients, and the distances from the sentence's mean, number by number."""
    measured = norms.measure_start("post", 2, seed=4)
    generator = torch.Generator().manual_seed(4)
    shape = (3, norms.BATCH, norms.LENGTH)
    src, tgt, labels = torch.randint(1, norms.VOCABULARY, shape, generator=generator)
    assert norms.PAD not in torch.cat((src, tgt, labels))
    model, records = norms.wired_model("post", 2, seed=4), {}
    logits = model(src, tgt, padding_mask(src, norms.PAD), hooks=Hooks(records))
    losses = [-logits[n].log_softmax(dim=0)[labels[n]] for n in np.ndindex(shape[1:])]
    (sum(losses) / len(losses)).backward()
    for stack, blocks in (("encoder", model.encoder.blocks), ("decoder", model.decoder.blocks)):
        assert measured[stack].gradients.dtype == torch.float64
        for n, block in enumerate(blocks):
            squares = sum(float((p.grad**2).sum()) for p in block.parameters())
            assert float(measured[stack].gradients[n]) == pytest.approx(squares**0.5)
            x = records[f"{stack}.{n}.resid_post"].detach()
            apart = sum(float(((row - s.mean(dim=0)) ** 2).sum()) for s in x for row in s)
            spread = (apart / float((x**2).sum())) ** 0.5
            assert float(measured[stack].spread[n]) == pytest.approx(spread)


HIDDEN = np.array([[0.0, 3.0, 0.0, 1.0], [2.0, 2.0, 0.0, 5.0]], dtype=np.float32)


def test_the_share_of_active_units_is_counted():
    assert norms.firing(HIDDEN).tolist() == [0.5, 0.75]
    assert norms.strongest_units(HIDDEN, 0, 2) == [1, 3]
    assert norms.strongest_units(HIDDEN, 1, 9) == [3, 0, 1, 2]


def test_only_the_changed_position_changes():
    torch.manual_seed(0)
    change = norms.change_one_position(FeedForward(6, 11), torch.randn(5, 6), 3, seed=1)
    assert change[3] > 0.1
    assert torch.cat((change[:3], change[4:])).max() < 1e-6


def test_norms_equal_pytorchs():
    x = torch.randn(7, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    torch.testing.assert_close(norms.layer_norm(x), F.layer_norm(x, (5,)), rtol=0, atol=1e-12)
    expected = nn.BatchNorm1d(5, affine=False).double().train()(x)
    torch.testing.assert_close(norms.batch_norm(x), expected, rtol=0, atol=1e-12)


def test_a_batch_is_drawn_from_the_whole_numbers_from_minus_4_to_9():
    lengths = (300, 200)
    batch, longer = (norms.draw_batch(3, lengths=lengths, n_padding=n, d_model=7) for n in (5, 50))
    assert batch.shape == (2, 305, 7)  # the longer sentence and its padding, 300 + 5
    for sentence, n in zip(batch, lengths, strict=True):
        assert set(sentence[:n].unique().tolist()) == set(range(-4, 10))
        assert not sentence[n:].any()
    assert torch.equal(longer[:, :305], batch)
    assert not longer[:, 305:].any()
    assert not torch.equal(norms.draw_batch(4, lengths=lengths, n_padding=5, d_model=7), batch)
