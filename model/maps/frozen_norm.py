"""A norm taken as the linear map that it is once its deviation is fixed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import nn

from model.arrays import Array
from model.trace.residual_stream import Addition
from model.transformer.residual import Residual


@dataclass(frozen=True)
class FrozenNorm:
    """norm(x) = γ ⊙ (x - mean x) / σ + β, with σ as x of one sentence has it.

    What is normed is then the sum of its parts, each normed alone, and of β.
    """

    gamma: Array  # (d_model,)
    beta: Array  # (d_model,)
    deviation: Array  # (T,) σ
    centred: bool = True  # False: no norm at all, a part stays what it is

    @classmethod
    def of(cls, norm: nn.Module, x: Array) -> FrozenNorm:
        """The norm of x (T, d_model); ``nn.Identity`` is none."""
        if not isinstance(norm, nn.LayerNorm):
            one, zero = np.ones(x.shape[-1], x.dtype), np.zeros(x.shape[-1], x.dtype)
            return cls(one, zero, np.ones(len(x), x.dtype), centred=False)
        deviation = np.sqrt(x.var(axis=-1) + norm.eps)
        return cls(norm.weight.detach().numpy(), norm.bias.detach().numpy(), deviation)

    @classmethod
    def after(cls, residual: Residual, step: Addition) -> FrozenNorm:
        """The norm of what a sublayer has added to; with pre-norm there is none."""
        norm = nn.Identity() if residual.pre_norm else residual.norm
        return cls.of(norm, step.before + step.added)

    def part(self, parts: Array) -> Array:
        """(..., T, K, d_model) -> the same, K parts of each position normed."""
        if not self.centred:
            return parts
        middle = parts - parts.mean(axis=-1, keepdims=True)
        return self.gamma * middle / self.deviation[:, None, None]

    def pulled_back(self, direction: Array) -> tuple[Array, Array]:
        """direction (T, d_model) · norm(x) as pulled (T, d_model) · x + constant (T,)."""
        constant = direction @ self.beta
        if not self.centred:
            return direction, constant
        scaled = self.gamma * direction / self.deviation[:, None]
        return scaled - scaled.mean(axis=-1, keepdims=True), constant
