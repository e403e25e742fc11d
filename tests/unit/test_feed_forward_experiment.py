"""Small things by hand; that a whole model obeys them is a claim of lesson 5."""

from __future__ import annotations

import numpy as np
import torch

from model.lessons.norms.feed_forward_experiment import (
    as_two_convolutions,
    change_one_position,
    firing,
    strongest_units,
)
from model.transformer.feed_forward import FeedForward

HIDDEN = np.array([[0.0, 3.0, 0.0, 1.0], [2.0, 2.0, 0.0, 5.0]], dtype=np.float32)


def test_what_fires():
    assert firing(HIDDEN).tolist() == [0.5, 0.75]
    assert strongest_units(HIDDEN, 0, 2) == [1, 3]
    assert strongest_units(HIDDEN, 1, 9) == [3, 0, 1, 2]


def test_two_convolutions_are_the_feed_forward():
    torch.manual_seed(0)
    ffn = FeedForward(6, 11).double()
    x = torch.randn(5, 6, dtype=torch.float64)
    torch.testing.assert_close(as_two_convolutions(ffn, x), ffn(x[None])[0], rtol=0, atol=1e-12)


def test_only_the_changed_position_changes():
    torch.manual_seed(0)
    change = change_one_position(FeedForward(6, 11), torch.randn(5, 6), 3, seed=1)
    assert change[3] > 0.1
    assert torch.cat((change[:3], change[4:])).max() < 1e-6
