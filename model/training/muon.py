"""Muon: a momentum step whose matrix is made orthogonal, so that all directions learn at one pace.

Source: Jordan et al. 2024 (Muon); Liu et al. 2025, section 2.2 (size of the step, weight decay).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor
from torch.optim import Optimizer

_MOMENTUM = 0.95
_WEIGHT_DECAY = 0.1
_A, _B, _C = 3.4445, -4.7750, 2.0315  # steepest at 0: small singular values grow fastest
_ITERATIONS = 5


class Muon(Optimizer):
    """As ``torch.optim.Muon(adjust_lr_fn="match_rms_adamw")``, in a dtype that is quick here.

    That one multiplies in bfloat16 on every processor: without instructions for it, as in most
    laptops, a step of training took 26 s, of which 24 were these products.

    Args:
        matrices: parameters of two dimensions.
        lr: learning rate, as the root mean square of an update divided by 0.2.
        dtype: what the products are computed in; the weights and the momentum stay float32.
    """

    def __init__(self, matrices: Iterable[Tensor], *, lr: float, dtype: torch.dtype) -> None:
        super().__init__(matrices, {"lr": lr})
        self._dtype = dtype

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        """Update every matrix W that has a gradient G.

        M <- 0.95 M + 0.05 G, then
        W <- (1 - 0.1 lr) W - 0.2 √(longer side) lr orthogonal(0.95 M + 0.05 G).
        """
        for group in self.param_groups:
            lr = group["lr"]
            for w in group["params"]:
                if w.grad is None:
                    continue
                if not self.state[w]:
                    self.state[w]["momentum_buffer"] = torch.zeros_like(w)
                m = self.state[w]["momentum_buffer"].lerp_(w.grad, 1 - _MOMENTUM)
                update = orthogonal(w.grad.lerp(m, _MOMENTUM).to(self._dtype))
                w.mul_(1 - _WEIGHT_DECAY * lr)
                w.add_(update, alpha=-0.2 * math.sqrt(max(w.shape)) * lr)


def orthogonal(g: Tensor) -> Tensor:
    """The nearest orthogonal matrix, roughly: all singular values between about 0.7 and 1.2.

    Five Newton-Schulz steps X <- a X + (b X Xᵀ + c (X Xᵀ)²) X from X = G / |G|.

    Args:
        g: (m, n), any float dtype.

    Returns:
        (m, n) of the same dtype: for G = U S Vᵀ about U Vᵀ.
    """
    x: Tensor = g / g.norm().clamp(min=1e-7)
    if tall := g.shape[0] > g.shape[1]:
        x = x.T
    for _ in range(_ITERATIONS):
        gram = x @ x.T
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=_B, alpha=_C), x, beta=_A)
    return x.T if tall else x
