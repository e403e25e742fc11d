"""Lesson: what a layer of each type costs, counted and measured."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from model.nn.seed import seeded
from model.transformer.attention import MultiHeadAttention

LayerType = Literal["self", "recurrent", "convolution", "restricted"]
LAYER_TYPES: tuple[LayerType, ...] = get_args(LayerType)
Timed = Literal["self", "recurrent", "at_once", "convolution", "restricted"]
TIMED: tuple[Timed, ...] = get_args(Timed)
Timing = tuple[tuple[Timed, int], float]  # a layer over n tokens, and the seconds of one pass

N_HEADS, KERNEL, REACH = 2, 3, 8  # of the layers that are timed
_ENOUGH = 0.1  # seconds that runs of one measurement may take together before no other begins


@dataclass(frozen=True)
class Complexity:
    """One row of table 1, without constant factors."""

    work: int  # multiplications of one layer
    steps: int  # operations that must wait for each other
    path: int  # layers or steps that a signal passes between the two positions farthest apart


def complexities(*, n: int, d: int, k: int, r: int) -> dict[LayerType, Complexity]:
    """All four rows of the table.

    Args:
        n, d: length of the sequence and width of its vectors; like r from 1 on, or ValueError.
        k: kernel size of the convolution, from 2 on; its kernels are wider from layer to layer.
        r: neighbours that restricted self-attention looks at; beyond n it is full attention.

    Source: Vaswani et al. 2017, section 4, table 1.
    """
    if min(n, d, r) < 1 or k < 2:
        raise ValueError(f"n, d and r must be at least 1 and k at least 2: {n=} {d=} {k=} {r=}")
    r = min(r, n)
    return {
        "self": Complexity(n * n * d, 1, 1),
        "recurrent": Complexity(n * d * d, n, n),
        "convolution": Complexity(k * n * d * d, 1, _levels(n, k)),
        "restricted": Complexity(r * n * d, 1, math.ceil(n / r)),
    }


def _levels(n: int, k: int) -> int:
    """⌈log_k n⌉, at least 1, in whole numbers so that log_2 8 is 3 and nothing else."""
    return next(levels for levels in count(1) if k**levels >= n)


def attention_bytes(*, n_heads: int, n: int) -> int:
    """Memory of one layer's attention weights in float32: H matrices of n x n numbers.

    >>> attention_bytes(n_heads=8, n=1000)
    32000000
    """
    return n_heads * n * n * 4


def restricted_attention(q: Tensor, k: Tensor, v: Tensor, reach: int) -> Tensor:
    """Each query sees the keys at most ``reach`` >= 0 positions away, r = 2 reach + 1 of them.

    Keys and values are cut into windows, so that hidden pairs are never multiplied: the work
    really is r · n · d. Everything that comes in and out is (B, H, n, d_head).

    Source: Vaswani et al. 2017, section 4 (restricted self-attention).
    """
    n, r, margin = q.shape[-2], 2 * reach + 1, (0, 0, reach, reach)
    keys = F.pad(k, margin).unfold(-2, r, 1)  # (B, H, n, d_head, r)
    values = F.pad(v, margin).unfold(-2, r, 1)  # (B, H, n, d_head, r)
    scores = (q[..., None, :] @ keys).squeeze(-2) / math.sqrt(q.shape[-1])  # (B, H, n, r)
    neighbour = torch.arange(n)[:, None] + torch.arange(-reach, reach + 1)  # (n, r)
    scores = scores.masked_fill((neighbour < 0) | (neighbour >= n), -math.inf)
    weights = scores.softmax(dim=-1)  # (B, H, n, r)
    return (values @ weights[..., None]).squeeze(-1)


class RestrictedSelfAttention(MultiHeadAttention):
    """Multi-head self-attention with ``restricted_attention`` in its middle."""

    def __init__(self, d_model: int, n_heads: int, reach: int) -> None:
        super().__init__(d_model, n_heads)
        self.reach = reach

    def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]
        """(B, n, d_model) -> (B, n, d_model)."""
        q, k, v = (self._split_heads(w(x)) for w in (self.w_q, self.w_k, self.w_v))
        head_out = restricted_attention(q, k, v, self.reach)  # (B, H, n, d_head)
        return self.w_o(self._merge_heads(head_out))  # (B, n, d_model)


def measure_layers(lengths: Sequence[int], *, d: int, repeats: int) -> Iterator[Timing]:
    """Time one forward pass of every layer for every length n: one sequence, float32.

    ``d`` is even. Of ``repeats`` runs, fewer where they are slow, the quickest counts, since
    whatever else the machine does only adds.
    """
    with seeded(0):
        layers = _layers(d)
    for n in lengths:
        x = torch.randn(1, n, d, generator=torch.Generator().manual_seed(n))
        for name in TIMED:
            yield (name, n), _quickest(layers[name], x, repeats)


def _layers(d: int) -> dict[Timed, Callable[[Tensor], object]]:
    """Layers of width d, (1, n, d) in and out.

    ``recurrent`` is h_t = tanh(x_t W + h_(t-1) U); ``at_once`` is x W + x U: just as many
    multiplications, of which none waits for another.
    """
    attention = MultiHeadAttention(d, N_HEADS)
    recurrent = nn.RNN(d, d, batch_first=True)
    w, u = nn.Linear(d, d), nn.Linear(d, d)
    convolution = nn.Conv1d(d, d, KERNEL, padding=KERNEL // 2)
    everything = torch.ones(1, 1, 1, 1, dtype=torch.bool)
    return {
        "self": lambda x: attention(x, x, everything),
        "recurrent": recurrent,
        "at_once": lambda x: (w(x) + u(x)).tanh(),
        "convolution": lambda x: convolution(x.transpose(1, 2)),
        "restricted": RestrictedSelfAttention(d, N_HEADS, REACH),
    }


@torch.inference_mode()
def _quickest(layer: Callable[[Tensor], object], x: Tensor, repeats: int) -> float:
    layer(x)  # the first run also asks the system for memory
    runs: list[float] = []
    while len(runs) < repeats and sum(runs) < _ENOUGH:
        begin = time.perf_counter()
        layer(x)
        runs.append(time.perf_counter() - begin)
    return min(runs)
