"""Dropout that does not spend a quarter of a CPU's training step on random numbers."""

from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.nn import functional as F

_POOL_SIZE = 1 << 23  # more than a batch has numbers


@lru_cache(maxsize=4)
def _mask_pool(p: float, dtype: torch.dtype) -> Tensor:
    """(_POOL_SIZE,) of 0 and 1 / (1 - p), the same in every process."""
    generator = torch.Generator().manual_seed(0)
    keep = torch.rand(_POOL_SIZE, generator=generator) >= p
    return (keep / (1 - p)).to(dtype)


class Dropout(nn.Module):
    """Zero each value with probability ``p`` and scale the rest by 1 / (1 - p).

    On a CPU the random numbers cost more than the arithmetic. So one pool of masks is drawn
    once, and each call multiplies by a stretch of it that starts at a random place.
    Identity in eval mode.

    Source: Srivastava et al. 2014; where it is applied: Vaswani et al. 2017, section 5.4.
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """x: any shape -> the same shape and dtype."""
        if not self.training or self.p == 0:
            return x
        if x.device.type != "cpu" or x.numel() >= _POOL_SIZE:
            return F.dropout(x, self.p)
        start = int(torch.randint(_POOL_SIZE - x.numel(), ()))
        return x * _mask_pool(self.p, x.dtype)[start : start + x.numel()].view_as(x)
