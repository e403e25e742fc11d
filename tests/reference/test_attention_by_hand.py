"""Attention small enough for pen and paper."""

from __future__ import annotations

import math

import pytest
import torch

from model.nn.tape import Tape
from model.transformer.attention import scaled_dot_product_attention
from model.transformer.masks import causal_mask
from model.transformer.positional import positional_encoding
from tests.tolerance import assert_same


def test_two_tokens_by_hand() -> None:
    """d_head 4, so √d_head is 2. Query 0 is all ones, query 1 is zero.

    scores row 0: (4, 0) / 2 = (2, 0); row 1: (0, 0).
    softmax row 0: e²/(e²+1), 1/(e²+1); row 1: 1/2, 1/2.
    values 8 and 16 give 8 e²/(e²+1) + 16/(e²+1), and 12.
    """
    q = torch.tensor([[[[1.0, 1, 1, 1], [0, 0, 0, 0]]]]).double()
    k = torch.tensor([[[[1.0, 1, 1, 1], [1, -1, 1, -1]]]]).double()
    v = torch.tensor([[[[8.0], [16]]]]).double()
    tape = Tape()
    out = scaled_dot_product_attention(q, k, v, torch.ones(1, 1, 1, 2, dtype=torch.bool), tape=tape)
    e2 = math.exp(2)
    assert tape.records["scores"].tolist() == [[[[2.0, 0.0], [0.0, 0.0]]]]
    expected = [e2 / (e2 + 1), 1 / (e2 + 1), 0.5, 0.5]
    weights = tape.records["weights"].flatten().tolist()
    assert weights == pytest.approx(expected, abs=1e-12)
    assert out.flatten().tolist() == pytest.approx([(8 * e2 + 16) / (e2 + 1), 12], abs=1e-12)


def test_hidden_keys_get_exactly_nothing() -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 3, 5, 7, dtype=torch.float64)
    tape = Tape()
    scaled_dot_product_attention(q, k, v, causal_mask(5), tape=tape)
    weights = tape.records["weights"]
    assert weights.triu(diagonal=1).abs().max() == 0
    assert torch.isneginf(tape.records["masked_scores"][..., 0, 1:]).all()
    assert (weights[..., 0, 0] == 1).all()
    assert (weights.sum(-1) - 1).abs().max() < 1e-12


def test_positions_by_the_papers_formula() -> None:
    table = positional_encoding(13, 6)
    for position in range(13):
        for i in range(3):
            angle = position / 10000 ** (2 * i / 6)
            expected = [math.sin(angle), math.cos(angle)]
            assert_same(table[position, 2 * i : 2 * i + 2], expected, largest=1, ulps=1)
    assert torch.equal(positional_encoding(4, 6, first=9), table[9:])
