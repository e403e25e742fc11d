"""Table 1 of the paper: what a layer of each type costs, without constant factors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

LayerType = Literal["self", "recurrent", "convolution", "restricted"]
LAYER_TYPES: tuple[LayerType, ...] = get_args(LayerType)


@dataclass(frozen=True)
class Complexity:
    """One row of the table.

    Args:
        work: multiplications of one layer.
        steps: operations that must wait for each other.
        path: layers or steps that a signal passes between the two positions farthest apart.
    """

    work: int
    steps: int
    path: int


def complexities(*, n: int, d: int, k: int, r: int) -> dict[LayerType, Complexity]:
    """All four rows.

    Args:
        n: length of the sequence, at least 1.
        d: width of its vectors, at least 1.
        k: kernel size of the convolution, at least 2; its kernels are spread wider from layer to
            layer (dilated).
        r: neighbours that restricted self-attention looks at; beyond n it is full attention.

    Raises:
        ValueError: a number is out of range.

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


def attention_bytes(*, n_heads: int, n: int, bytes_each: int = 4) -> int:
    """Memory of one layer's attention weights: H matrices of n x n numbers.

    Args:
        n_heads: H.
        n: tokens.
        bytes_each: 4 for float32.

    >>> attention_bytes(n_heads=8, n=1000)
    32000000
    """
    return n_heads * n * n * bytes_each


def _levels(n: int, k: int) -> int:
    """⌈log_k n⌉, at least 1, in whole numbers so that log_2 8 is 3 and nothing else."""
    levels, reach = 1, k
    while reach < n:
        levels, reach = levels + 1, reach * k
    return levels
