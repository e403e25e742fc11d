"""The residual connection around a sublayer, with the norm before or after the sublayer."""

from collections.abc import Callable

from torch import Tensor, nn

from model.nn.dropout import Dropout
from model.transformer.config import ModelConfig


class Residual(nn.Module):
    """Adds a sublayer's output to the residual stream.

    pre-norm:  x + dropout(sublayer(norm(x)))
    post-norm: norm(x + dropout(sublayer(x)))

    Source: post-norm: Vaswani et al. 2017, section 3.1; pre-norm: Xiong et al. 2020.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.pre_norm = config.norm == "pre"
        self.norm = nn.LayerNorm(config.d_model)
        self.dropout = Dropout(config.dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Run a sublayer on the stream: (B, T, d_model) -> (B, T, d_model)."""
        if self.pre_norm:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))
