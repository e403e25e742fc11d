"""The norm of T5: it divides by the root mean square without subtracting the mean."""

import torch
from torch import Tensor, nn


class RootMeanSquareNorm(nn.Module):
    """Computes scale · gain ⊙ x / √(mean x² + ε).

    Args:
        gain: (d_model,), shared with the layer that it comes from.
        eps: ε.
        scale: factor of the result. T5 with tied embeddings scales its last norm down.

    Source: Zhang & Sennrich 2019, "Root Mean Square Layer Normalization".
    """

    def __init__(self, gain: nn.Parameter, eps: float, scale: float = 1.0) -> None:
        super().__init__()
        self.gain = gain
        self.eps = eps
        self.scale = scale

    @property
    def weight(self) -> Tensor:
        """The gain multiplied by the scale, (d_model,)."""
        return self.gain * self.scale

    def forward(self, x: Tensor) -> Tensor:
        """Normalise each position: (..., d_model) -> (..., d_model).

        The mean square is computed in float32, whatever the model computes in, as T5 does it.
        """
        mean_square = x.float().square().mean(dim=-1, keepdim=True)  # (..., 1)
        return self.weight * (x * torch.rsqrt(mean_square + self.eps))
