"""How long each type of layer takes on this machine, one measurement at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from model.lessons.cost.restricted_attention import RestrictedSelfAttention
from model.nn.seed import seeded
from model.transformer.attention import MultiHeadAttention

Timed = Literal["self", "recurrent", "at_once", "convolution", "restricted"]
TIMED: tuple[Timed, ...] = get_args(Timed)

N_HEADS, KERNEL, REACH = 2, 3, 8
_ENOUGH = 0.1  # seconds that runs of one measurement may take together before no other begins


@dataclass(frozen=True)
class Timing:
    """One measurement.

    Args:
        layer: which type.
        n: tokens.
        seconds: of one forward pass.
    """

    layer: Timed
    n: int
    seconds: float


def measure_layers(lengths: Sequence[int], *, d: int, repeats: int) -> Iterator[Timing]:
    """Time one forward pass of every layer for every length: one sequence, float32.

    Args:
        lengths: values of n, in this order.
        d: width of the vectors, even.
        repeats: runs of each, fewer where they are slow; the quickest counts, since whatever
            else the machine does only adds.

    Yields:
        One measurement each, so that whoever asked may stop in between.
    """
    with seeded(0):
        layers = _layers(d)
    for n in lengths:
        x = torch.randn(1, n, d, generator=torch.Generator().manual_seed(n))
        for name in TIMED:
            yield Timing(name, n, _quickest(layers[name], x, repeats))


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
        runs.append(_seconds(layer, x))
    return min(runs)


def _seconds(layer: Callable[[Tensor], object], x: Tensor) -> float:
    begin = time.perf_counter()
    layer(x)
    return time.perf_counter() - begin
