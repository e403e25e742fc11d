"""Lesson: the cost of each layer type, as counted in table 1 of the paper and as measured."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from model.nn.seed import seeded
from model.timing import quickest_run
from model.transformer.attention import MultiHeadAttention

LayerType = Literal["self", "recurrent", "convolution", "restricted"]
LAYER_TYPES: tuple[LayerType, ...] = get_args(LayerType)
Timed = Literal["self", "recurrent", "at_once", "convolution", "restricted"]
TIMED: tuple[Timed, ...] = get_args(Timed)
Timing = tuple[tuple[Timed, int], float]  # ((a layer, n tokens), seconds of one forward pass)

# Settings of the timed layers:
N_HEADS = 2
KERNEL = 3  # kernel size of the convolution
REACH = 8  # positions to each side that restricted self-attention sees
SECONDS_PER_LAYER = 0.1  # no further run begins after this time

BYTES_PER_FLOAT32 = 4


@dataclass(frozen=True)
class Complexity:
    """One row of table 1 of Vaswani et al. 2017, without constant factors."""

    work: int  # multiplications of one layer
    steps: int  # operations that must run one after the other
    path: int  # layers or steps on the path between the two most distant positions


def complexities(*, n: int, d: int, k: int, r: int) -> dict[LayerType, Complexity]:
    """Return all four rows of table 1.

    Args:
        n: length of the sequence, from 1.
        d: width of its vectors, from 1.
        k: kernel size of the convolution, from 2; its kernels get wider from layer to layer.
        r: how many positions restricted self-attention sees, from 1; beyond n it sees all n.

    Raises:
        ValueError: a number is too small.

    Source: Vaswani et al. 2017, section 4, table 1.
    """
    if min(n, d, r) < 1 or k < 2:
        raise ValueError(f"n, d and r must be at least 1 and k at least 2: {n=} {d=} {k=} {r=}")
    r = min(r, n)
    return {
        "self": Complexity(work=n * n * d, steps=1, path=1),
        "recurrent": Complexity(work=n * d * d, steps=n, path=n),
        "convolution": Complexity(work=k * n * d * d, steps=1, path=_log_rounded_up(n, k)),
        "restricted": Complexity(work=r * n * d, steps=1, path=math.ceil(n / r)),
    }


def _log_rounded_up(n: int, k: int) -> int:
    """Return ⌈log_k n⌉, but at least 1. Integer arithmetic makes log_2 8 exactly 3."""
    return next(levels for levels in count(1) if k**levels >= n)


def attention_bytes(*, n_heads: int, n: int) -> int:
    """Return the memory of one layer's attention weights: H matrices of n x n float32 numbers.

    >>> attention_bytes(n_heads=8, n=1000)
    32000000
    """
    return n_heads * n * n * BYTES_PER_FLOAT32


def restricted_attention(q: Tensor, k: Tensor, v: Tensor, reach: int) -> Tensor:
    """Attend only to the r = 2 reach + 1 positions at a distance of at most ``reach``.

    Keys and values are cut into windows, so that hidden pairs are never multiplied: the work
    really is r · n · d.

    Args:
        q: (B, H, n, d_head).
        k: (B, H, n, d_head).
        v: (B, H, n, d_head).
        reach: at least 0.

    Returns:
        (B, H, n, d_head).

    Source: Vaswani et al. 2017, section 4 (restricted self-attention).
    """
    n = q.shape[-2]
    r = 2 * reach + 1

    # 1. Collect the r keys and values around each position, with zeros beyond both ends.
    margin = (0, 0, reach, reach)
    keys = F.pad(k, margin).unfold(-2, r, 1)  # (B, H, n, d_head, r)
    values = F.pad(v, margin).unfold(-2, r, 1)  # (B, H, n, d_head, r)

    # 2. Attend inside each window. Mask the positions beyond the ends.
    scores = (q[..., None, :] @ keys).squeeze(-2) / math.sqrt(q.shape[-1])  # (B, H, n, r)
    position = torch.arange(n)[:, None] + torch.arange(-reach, reach + 1)  # (n, r)
    is_outside = (position < 0) | (position >= n)  # (n, r)
    weights = scores.masked_fill(is_outside, -math.inf).softmax(dim=-1)  # (B, H, n, r)
    return (values @ weights[..., None]).squeeze(-1)


class RestrictedSelfAttention(MultiHeadAttention):
    """Multi-head self-attention that uses ``restricted_attention``.

    Args:
        d_model: width of the tokens.
        n_heads: heads H; they divide d_model.
        reach: how many positions a token sees to each side.
    """

    def __init__(self, d_model: int, n_heads: int, reach: int) -> None:
        super().__init__(d_model, n_heads)
        self.reach = reach

    def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]
        """Run the attention: (B, n, d_model) -> (B, n, d_model)."""
        q = self._split_heads(self.w_q(x))  # (B, H, n, d_head)
        k = self._split_heads(self.w_k(x))  # (B, H, n, d_head)
        v = self._split_heads(self.w_v(x))  # (B, H, n, d_head)
        head_out = restricted_attention(q, k, v, self.reach)  # (B, H, n, d_head)
        return self.w_o(self._merge_heads(head_out))  # (B, n, d_model)


def measure_layers(lengths: Sequence[int], *, d: int, repeats: int) -> Iterator[Timing]:
    """Time one forward pass of every layer over one float32 sequence of every length.

    Args:
        lengths: numbers n of tokens.
        d: width of the vectors; even.
        repeats: runs of which the quickest counts; fewer where they are slow.

    Yields:
        (name of the layer, n) and seconds, for all layers of one n after another.
    """
    with seeded(0):
        layers = timed_layers(d)
    for n in lengths:
        x = torch.randn(1, n, d, generator=torch.Generator().manual_seed(n))  # (1, n, d)
        for name in TIMED:
            with torch.inference_mode():
                run = partial(layers[name], x)
                seconds = quickest_run(run, repeats=repeats, max_seconds=SECONDS_PER_LAYER)
            yield (name, n), seconds


def timed_layers(d: int) -> dict[Timed, Callable[[Tensor], object]]:
    """Return the timed layers, with random weights. Their input is (1, n, d).

    "recurrent" is h_t = tanh(x_t W + h_(t-1) U). "at_once" is tanh(x W + x U): as many
    multiplications, but none has to wait for another.
    """
    attention = MultiHeadAttention(d, N_HEADS)
    recurrent = nn.RNN(d, d, batch_first=True)
    w = nn.Linear(d, d)
    u = nn.Linear(d, d)
    convolution = nn.Conv1d(d, d, KERNEL, padding=KERNEL // 2)
    no_mask = torch.ones(1, 1, 1, 1, dtype=torch.bool)
    return {
        "self": lambda x: attention(x, x, no_mask),
        "recurrent": recurrent,
        "at_once": lambda x: (w(x) + u(x)).tanh(),
        "convolution": lambda x: convolution(x.transpose(1, 2)),  # (1, d, n): channels come first
        "restricted": RestrictedSelfAttention(d, N_HEADS, REACH),
    }
