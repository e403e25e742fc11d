"""The claims of lessons 6 and 7 about the architecture and its cost are checked by counting."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from model.lessons import cost
from model.lessons.scaling import draw_score_functions
from model.nn.hooks import Hooks
from model.transformer.attention import MultiHeadAttention, scaled_dot_product_attention
from ui.text.translator import translator


def _band_mask(n: int, reach: int) -> torch.Tensor:
    """Return the mask with which full attention has the same restriction: (1, 1, n, n) bool."""
    position = torch.arange(n)
    return ((position[:, None] - position).abs() <= reach)[None, None]


def test_the_claimed_memory_is_the_memory_of_the_recorded_maps(t):
    weights = t.trace("I see a cat.").encoder_self
    layers, heads, n, _ = weights.shape
    expected = layers * cost.attention_bytes(n_heads=heads, n=n)
    assert weights.astype("float32").nbytes == expected


def test_restricted_attention_equals_full_attention_with_a_band_mask():
    q, k, v = torch.randn(
        3, 2, 3, 29, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64
    )
    for reach in (0, 1, 7, 28, 40):
        expected = scaled_dot_product_attention(q, k, v, _band_mask(29, reach))
        output = cost.restricted_attention(q, k, v, reach)
        torch.testing.assert_close(output, expected, rtol=0, atol=1e-12)
    torch.manual_seed(0)
    layer = cost.RestrictedSelfAttention(6, 2, reach=2).double()  # the module that the lesson times
    x = torch.randn(1, 9, 6, dtype=torch.float64)
    q, k, v = (w(x).view(1, 9, 2, 3).transpose(1, 2) for w in (layer.w_q, layer.w_k, layer.w_v))
    mixed = scaled_dot_product_attention(q, k, v, _band_mask(9, 2))
    expected = layer.w_o(mixed.transpose(1, 2).reshape(1, 9, 6))
    torch.testing.assert_close(layer(x), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", [32, 256])
def test_the_table_shows_the_growth_of_the_multiplications_not_their_number(n):
    """Scores and mixture need 2 n² d, for any number of heads.

    The projections, 4 n d², are left out.
    """
    d, x = 48, torch.zeros(1, n, 48)
    attention, mask = MultiHeadAttention(d, 4), torch.ones(1, 1, n, n, dtype=torch.bool)
    with FlopCounterMode(display=False) as counter:
        attention(x, x, mask, hooks=Hooks({}))  # the attention that computes each step separately
    counts = counter.get_flop_counts()["Global"]
    # the counter counts a multiplication and an addition for each product of two numbers
    pairs = counts.get(torch.ops.aten.bmm, 0) // 2
    assert pairs == 2 * cost.complexities(n=n, d=d, k=3, r=8)["self"].work
    assert counter.get_total_flops() // 2 - pairs == 4 * n * d * d
    assert "growth" in translator("en")("cost.work")


class Tanh(TorchDispatchMode):
    """Counts the numbers of which tanh is computed."""

    numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.numbers += args[0].numel() if func is torch.ops.aten.tanh.default else 0
        return func(*args, **(kwargs or {}))


def test_an_additive_score_computes_tanh_d_k_times_for_every_pair():
    q, k = torch.randn(2, 24, 16, generator=torch.Generator().manual_seed(0))
    for name, score in draw_score_functions(0, d_k=16, n_positions=24).items():
        with Tanh() as counted:
            score(q, k)
        assert counted.numbers == (24 * 24 * 16 if name == "additive" else 0)
