"""Both norms against PyTorch's, and the batch that they are shown on."""

import torch
from torch import nn
from torch.nn import functional as F

from model.lessons.norms.normalisation import batch_norm, draw_batch, layer_norm


def test_norms_are_pytorchs():
    x = torch.randn(7, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    torch.testing.assert_close(layer_norm(x), F.layer_norm(x, (5,)), rtol=0, atol=1e-12)
    expected = nn.BatchNorm1d(5, affine=False).double().train()(x)
    torch.testing.assert_close(batch_norm(x), expected, rtol=0, atol=1e-12)


def test_a_batch_is_drawn_of_all_numbers_from_minus_4_to_9():
    """More padding leaves the sentences as they were."""
    lengths = (300, 200)
    batch, longer = (draw_batch(3, lengths=lengths, n_padding=n, d_model=7) for n in (5, 50))
    assert batch.shape == (2, 305, 7)
    for sentence, n in zip(batch, lengths, strict=True):
        assert set(sentence[:n].unique().tolist()) == set(range(-4, 10))
        assert not sentence[n:].any()
    assert torch.equal(longer[:, :305], batch)
    assert not longer[:, 305:].any()
    assert not torch.equal(draw_batch(4, lengths=lengths, n_padding=5, d_model=7), batch)
