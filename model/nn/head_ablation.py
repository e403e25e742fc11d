"""Head ablation: heads set to zero, to uniform attention or to their mean output.

A forward pass takes them with its hooks, by the path of an attention (``encoder.0.self``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class HeadAblation:
    """What is done to the heads of one attention.

    Each may have an axis B before H: then every row of a batch has an ablation of its own.

    Args:
        gate: (H,) factor on each head's output; 1 leaves it, 0 is zero ablation.
        fill: (H, d_head), added after the gate: the head's mean output over a corpus, or 0.
        uniform: (H,) bool; True = uniform weights over all visible keys.
    """

    gate: Tensor
    fill: Tensor | None = None
    uniform: Tensor | None = None

    def on_weights(self, weights: Tensor, mask: Tensor) -> Tensor:
        """(B, H, T, S) weights -> the same, uniform over the visible keys in some heads."""
        if self.uniform is None:
            return weights
        visible = mask.expand_as(weights).to(weights.dtype)  # (B, H, T, S)
        alike = visible / visible.sum(dim=-1, keepdim=True)
        return torch.where(self.uniform[..., None, None], alike, weights)

    def on_output(self, head_out: Tensor) -> Tensor:
        """(B, H, T, d_head) -> gate head_out + fill."""
        gated = self.gate[..., None, None] * head_out
        return gated if self.fill is None else gated + self.fill[..., None, :]


Ablations = Mapping[str, HeadAblation]
