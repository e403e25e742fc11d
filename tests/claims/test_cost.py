"""What lesson 6 says about cost, measured."""

from __future__ import annotations

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from model import InputError, load
from model.lessons.cost.complexity import attention_bytes, complexities
from model.lessons.cost.layer_timing import TIMED, measure_layers
from model.lessons.cost.restricted_attention import RestrictedSelfAttention, restricted_attention
from model.nn.tape import Tape
from model.trace.base import read_sentence
from model.transformer.attention import MultiHeadAttention, scaled_dot_product_attention
from ui.text.translator import translator


def _band_mask(n: int, reach: int) -> torch.Tensor:
    """The same restriction as a mask for full attention: (1, 1, n, n) bool."""
    position = torch.arange(n)
    return ((position[:, None] - position).abs() <= reach)[None, None]


def test_self_attention_and_recurrence_cross_where_n_is_d():
    for d in (16, 512):
        below, equal, above = (complexities(n=n, d=d, k=3, r=8) for n in (d - 1, d, d + 1))
        assert below["self"].work < below["recurrent"].work
        assert equal["self"].work == equal["recurrent"].work == d**3
        assert above["self"].work > above["recurrent"].work


def test_twice_the_tokens_four_times_the_work_and_the_memory():
    once, twice = (complexities(n=n, d=64, k=3, r=8) for n in (300, 600))
    assert twice["self"].work == 4 * once["self"].work
    assert twice["recurrent"].work == 2 * once["recurrent"].work
    assert attention_bytes(n_heads=8, n=600) == 4 * attention_bytes(n_heads=8, n=300)


def test_the_memory_is_that_of_the_recorded_maps(shipped_checkpoint):
    trace = load(shipped_checkpoint).trace("I see a cat.")
    layers, heads, n, _ = trace.encoder_self.shape
    assert trace.encoder_self.nbytes == layers * attention_bytes(n_heads=heads, n=n)


@pytest.mark.clock
def test_a_recurrence_takes_longer_than_the_same_multiplications_at_once():
    """On one thread: what waits for its predecessor cannot be multiplied in one go."""
    seconds = {t.layer: t.seconds for t in measure_layers([512], d=64, repeats=25)}
    assert seconds["recurrent"] > 2 * seconds["at_once"]


@pytest.mark.clock
def test_every_layer_takes_longer_for_longer_inputs_self_attention_most_of_all():
    measured = {(t.layer, t.n): t.seconds for t in measure_layers([128, 1024], d=32, repeats=25)}
    growth = {name: measured[name, 1024] / measured[name, 128] for name in TIMED}
    assert all(factor > 1.5 for factor in growth.values())
    assert growth["self"] > 1.5 * growth["restricted"]
    assert growth["self"] > 1.5 * growth["recurrent"]


def test_restricted_attention_is_full_attention_with_a_band():
    q, k, v = torch.randn(
        3, 2, 3, 29, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64
    )
    for reach in (0, 1, 7, 28, 40):
        torch.testing.assert_close(
            restricted_attention(q, k, v, reach),
            scaled_dot_product_attention(q, k, v, _band_mask(29, reach)),
            rtol=0,
            atol=1e-12,
        )


def test_the_limit_of_the_shipped_model_is_met_with_a_sentence(shipped_checkpoint):
    model = load(shipped_checkpoint)
    limit = model.config.max_length
    # "a", " a" ... are one token each; BOS and EOS are two more
    fits = "a" + " a" * (limit - 3)
    assert len(read_sentence(model.model, model.tokenizer, fits)) == limit
    with pytest.raises(InputError, match=f"{limit + 1} tokens, and at most {limit} "):
        read_sentence(model.model, model.tokenizer, fits + " a")


def test_the_layers_that_are_timed_compute_what_they_say():
    torch.manual_seed(0)
    layer = RestrictedSelfAttention(6, 2, reach=2).double()
    x = torch.randn(1, 9, 6, dtype=torch.float64)
    q, k, v = (w(x).view(1, 9, 2, 3).transpose(1, 2) for w in (layer.w_q, layer.w_k, layer.w_v))
    mixed = scaled_dot_product_attention(q, k, v, _band_mask(9, 2))
    expected = layer.w_o(mixed.transpose(1, 2).reshape(1, 9, 6))
    torch.testing.assert_close(layer(x), expected, rtol=0, atol=1e-12)


def _multiplications(n: int, d: int, n_heads: int) -> tuple[int, int]:
    """Of one self-attention, counted while it runs: projections, and all that pairs tokens."""
    attention = MultiHeadAttention(d, n_heads)
    x = torch.zeros(1, n, d)
    mask = torch.ones(1, 1, n, n, dtype=torch.bool)
    with FlopCounterMode(display=False) as counter:
        attention(x, x, mask, tape=Tape())  # the explicit attention
    counts = counter.get_flop_counts()["Global"]
    pairs = counts.get(torch.ops.aten.bmm, 0) // 2  # a multiplication and an addition
    return counter.get_total_flops() // 2 - pairs, pairs


@pytest.mark.parametrize("n", [32, 64, 256])
def test_the_table_shows_how_the_multiplications_grow_and_not_how_many_there_are(n):
    """Scores and mixture are 2 n² d, whatever the heads; the projections, 4 n d², are left out."""
    d = 48
    projections, pairs = _multiplications(n, d, n_heads=4)
    work = complexities(n=n, d=d, k=3, r=8)["self"].work
    assert pairs == 2 * work
    assert projections == 4 * n * d * d
    assert "growth" in translator("en")("cost.work")
