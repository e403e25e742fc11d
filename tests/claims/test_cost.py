"""What lessons 6 and 7 say about the architecture and about cost, counted."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from model import InputError
from model.lessons.cost.complexity import attention_bytes, complexities
from model.lessons.cost.restricted_attention import RestrictedSelfAttention, restricted_attention
from model.lessons.scaling.score_functions import draw_score_functions
from model.nn.tape import Tape
from model.trace.base import read_sentence
from model.transformer.attention import MultiHeadAttention, scaled_dot_product_attention
from ui.text.examples import DEFAULT_SENTENCE
from ui.text.translator import translator


def _band_mask(n: int, reach: int) -> torch.Tensor:
    """The same restriction as a mask for full attention: (1, 1, n, n) bool."""
    position = torch.arange(n)
    return ((position[:, None] - position).abs() <= reach)[None, None]


def test_the_memory_is_that_of_the_recorded_maps(t):
    weights = t.trace("I see a cat.").encoder_self
    layers, heads, n, _ = weights.shape
    expected = layers * attention_bytes(n_heads=heads, n=n, bytes_each=weights.itemsize)
    assert weights.nbytes == expected


def test_restricted_attention_is_full_attention_with_a_band():
    q, k, v = torch.randn(
        3, 2, 3, 29, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64
    )
    for reach in (0, 1, 7, 28, 40):
        expected = scaled_dot_product_attention(q, k, v, _band_mask(29, reach))
        found = restricted_attention(q, k, v, reach)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    torch.manual_seed(0)
    layer = RestrictedSelfAttention(6, 2, reach=2).double()  # the one that is timed
    x = torch.randn(1, 9, 6, dtype=torch.float64)
    q, k, v = (w(x).view(1, 9, 2, 3).transpose(1, 2) for w in (layer.w_q, layer.w_k, layer.w_v))
    mixed = scaled_dot_product_attention(q, k, v, _band_mask(9, 2))
    expected = layer.w_o(mixed.transpose(1, 2).reshape(1, 9, 6))
    torch.testing.assert_close(layer(x), expected, rtol=0, atol=1e-12)


def test_the_limit_of_the_shipped_model_is_met_with_a_sentence(t):
    limit = t.config.max_length
    # "a", " a" ... are one token each; BOS and EOS are two more
    fits = "a" + " a" * (limit - 3)
    assert len(read_sentence(t.model, t.tokenizer, fits)) == limit
    with pytest.raises(InputError, match=f"{limit + 1} tokens, and at most {limit} "):
        read_sentence(t.model, t.tokenizer, fits + " a")


@pytest.mark.parametrize("n", [32, 256])
def test_the_table_shows_how_the_multiplications_grow_and_not_how_many_there_are(n):
    """Scores and mixture are 2 n² d, whatever the heads; the projections, 4 n d², are left out."""
    d, x = 48, torch.zeros(1, n, 48)
    attention, mask = MultiHeadAttention(d, 4), torch.ones(1, 1, n, n, dtype=torch.bool)
    with FlopCounterMode(display=False) as counter:
        attention(x, x, mask, tape=Tape())  # the explicit attention
    counts = counter.get_flop_counts()["Global"]
    pairs = counts.get(torch.ops.aten.bmm, 0) // 2  # a multiplication and an addition
    assert pairs == 2 * complexities(n=n, d=d, k=3, r=8)["self"].work
    assert counter.get_total_flops() // 2 - pairs == 4 * n * d * d
    assert "growth" in translator("en")("cost.work")


def test_the_equation_is_what_the_model_runs(t):
    """softmax(decoder(y, encoder(x)) W_Uᵀ), and greedy decoding takes its largest."""
    trace = t.trace(DEFAULT_SENTENCE)
    decoded = torch.tensor(trace.records["decoder.decoded"])
    with torch.no_grad():
        p = (decoded @ t.model.unembed.weight.T).softmax(dim=-1)  # (T, V)
    written = torch.tensor(trace.tgt_ids[1:])
    np.testing.assert_allclose(p[range(len(p)), written].log(), trace.log_probs, atol=1e-10)
    assert torch.equal(p.argmax(dim=-1), written)
    # The source is read once: whatever the target, the memory is the same.
    other = t.trace(DEFAULT_SENTENCE, target="Bonjour.").records["encoder.memory"]
    np.testing.assert_allclose(other, trace.records["encoder.memory"], rtol=0, atol=1e-10)


def test_in_the_decoder_a_position_sees_only_what_came_before_in_the_encoder_everything(t):
    one, other = (t.trace(text, target="Je") for text in ("I see a cat.", "I see a dog."))
    apart = one.records["encoder.memory"][1] - other.records["encoder.memory"][1]
    assert np.abs(apart).max() > 0.01  # "I" knows how it ends
    cat, dog = (
        t.trace("I see a cat.", target=f"Je vois un {text}.").records["logits"]
        for text in ("chat", "chien")
    )
    np.testing.assert_allclose(cat[:3], dog[:3], rtol=0, atol=1e-10)  # <bos>, Je, vois


class Tanh(TorchDispatchMode):
    """Counts the numbers whose tanh is computed."""

    numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.numbers += args[0].numel() if func is torch.ops.aten.tanh.default else 0
        return func(*args, **(kwargs or {}))


def test_an_additive_score_costs_d_k_values_of_tanh_for_every_pair():
    """And the others none; with that it takes longer."""
    q, k = torch.randn(2, 24, 16, generator=torch.Generator().manual_seed(0))
    for name, score in draw_score_functions(0, d_k=16, n_positions=24).items():
        with Tanh() as counted:
            score(q, k)
        assert counted.numbers == (24 * 24 * 16 if name == "additive" else 0)
