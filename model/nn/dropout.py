"""Fast dropout. Drawing new random numbers would take a quarter of a training step on a CPU."""

from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.nn import functional as F

_POOL_SIZE = 1 << 23  # random factors; most tensors of a batch have fewer numbers


@lru_cache(maxsize=4)
def _mask_pool(p: float, dtype: torch.dtype) -> Tensor:
    """Return (_POOL_SIZE,) random factors, 0 or 1 / (1 - p), identical in every process."""
    generator = torch.Generator().manual_seed(0)
    keep = torch.rand(_POOL_SIZE, generator=generator) >= p
    return (keep / (1 - p)).to(dtype)


class Dropout(nn.Module):
    """Zero each value with probability ``p``, and scale the other values by 1 / (1 - p).

    On a CPU the random numbers cost more than the arithmetic. So one pool of factors is drawn once.
    Each call multiplies by as many of them as it needs, from a random start. In eval mode the
    input is returned unchanged.

    Args:
        p: P_drop, in [0, 1).

    Source: Srivastava et al. 2014; where it is applied: Vaswani et al. 2017, section 5.4.
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """Return x (any shape) after dropout, with the same shape and dtype."""
        if not self.training or self.p == 0:
            return x
        if x.device.type != "cpu" or x.numel() >= _POOL_SIZE:
            return F.dropout(x, self.p)
        start = int(torch.randint(_POOL_SIZE - x.numel(), ()))
        factors = _mask_pool(self.p, x.dtype)[start : start + x.numel()]
        return x * factors.view_as(x)
