"""Both norms against PyTorch's."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from model.lessons.norms.normalisation import batch_norm, draw_batch, layer_norm


def _positions() -> torch.Tensor:
    return torch.randn(7, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def test_layer_norm_is_pytorchs() -> None:
    x = _positions()
    torch.testing.assert_close(layer_norm(x), F.layer_norm(x, (5,)), rtol=0, atol=1e-12)


def test_batch_norm_is_pytorchs_in_training() -> None:
    x = _positions()
    expected = nn.BatchNorm1d(5, affine=False).double().train()(x)
    torch.testing.assert_close(batch_norm(x), expected, rtol=0, atol=1e-12)


def test_norms_by_hand() -> None:
    """Columns (1, 3) and (2, 6): means 2 and 4, deviations 1 and 2. Row (1, 2): mean 1.5."""
    x = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    torch.testing.assert_close(
        batch_norm(x), torch.tensor([[-1.0, -1.0], [1.0, 1.0]]), rtol=0, atol=1e-4
    )
    torch.testing.assert_close(
        layer_norm(x), torch.tensor([[-1.0, 1.0], [-1.0, 1.0]]), rtol=0, atol=1e-4
    )


def test_more_padding_leaves_the_sentences_as_they_were() -> None:
    short, long = (draw_batch(3, lengths=(4, 2), n_padding=n, d_model=5) for n in (0, 3))
    assert short.shape == (2, 4, 5)
    assert long.shape == (2, 7, 5)
    assert torch.equal(long[:, :4], short)
    assert not long[0, 4:].any()
    assert not long[1, 2:].any()


def test_a_batch_is_drawn_of_all_numbers_from_minus_4_to_9() -> None:
    lengths = (300, 200)
    batch = draw_batch(3, lengths=lengths, n_padding=5, d_model=7)
    assert batch.shape == (2, 305, 7)
    for sentence, n in zip(batch, lengths, strict=True):
        assert set(sentence[:n].unique().tolist()) == set(range(-4, 10))
        assert not sentence[n:].any()
    longer = draw_batch(3, lengths=lengths, n_padding=50, d_model=7)
    assert torch.equal(longer[:, :305], batch)
    assert not torch.equal(draw_batch(4, lengths=lengths, n_padding=5, d_model=7), batch)
