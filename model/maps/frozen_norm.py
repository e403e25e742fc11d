"""Treat a layer norm as a linear map: fix its standard deviation to the value for one sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import nn

from model.arrays import Array
from model.nn.root_mean_square_norm import RootMeanSquareNorm
from model.trace.residual_stream import Addition
from model.transformer.residual import Residual


@dataclass(frozen=True)
class FrozenNorm:
    """norm(x) = γ ⊙ (x - mean x) / σ + β with σ fixed to its value for one sentence.

    A root mean square norm, as T5 has it, subtracts no mean and adds no β.

    If x is a sum of parts, norm(x) is the sum of the normed parts, plus β once.
    """

    gamma: Array  # (d_model,) γ, the learned gain
    beta: Array  # (d_model,) β, the learned bias
    deviation: Array  # (T,) σ of each position
    is_identity: bool = False  # without a norm: x stays unchanged
    subtracts_mean: bool = True

    @classmethod
    def of(cls, norm: nn.Module, x: Array) -> FrozenNorm:
        """Freeze a norm at its input x (T, d_model). ``nn.Identity`` stands for no norm."""
        if isinstance(norm, RootMeanSquareNorm):
            gamma = norm.weight.detach().cpu().numpy()
            return cls(
                gamma=gamma,
                beta=np.zeros_like(gamma),
                deviation=np.sqrt(np.square(x).mean(axis=-1) + norm.eps),
                subtracts_mean=False,
            )
        if not isinstance(norm, nn.LayerNorm):
            d_model = x.shape[-1]
            return cls(
                gamma=np.ones(d_model, x.dtype),
                beta=np.zeros(d_model, x.dtype),
                deviation=np.ones(len(x), x.dtype),
                is_identity=True,
            )
        return cls(
            gamma=norm.weight.detach().cpu().numpy(),
            beta=norm.bias.detach().cpu().numpy(),
            deviation=np.sqrt(x.var(axis=-1) + norm.eps),
        )

    @classmethod
    def after(cls, residual: Residual, step: Addition) -> FrozenNorm:
        """Freeze the norm after a sublayer. Pre-norm has none there, so it gives an identity."""
        norm = nn.Identity() if residual.pre_norm else residual.norm
        return cls.of(norm, step.before + step.added)

    def apply(self, parts: Array) -> Array:
        """Normalise each of K summands at each position, without β: (..., T, K, d_model)."""
        if self.is_identity:
            return parts
        if self.subtracts_mean:
            parts = parts - parts.mean(axis=-1, keepdims=True)
        return self.gamma * parts / self.deviation[:, None, None]

    def pull_back(self, direction: Array) -> tuple[Array, Array]:
        """Map a direction at the norm's output back to the norm's input.

        Args:
            direction: (T, d_model), one vector for each position.

        Returns:
            before (T, d_model) and constant (T,) such that, at each position,
            direction · norm(x) = before · x + constant.
        """
        constant = direction @ self.beta  # (T,)
        if self.is_identity:
            return direction, constant
        scaled = self.gamma * direction / self.deviation[:, None]  # (T, d_model)
        if self.subtracts_mean:
            scaled = scaled - scaled.mean(axis=-1, keepdims=True)
        return scaled, constant
