"""Token embedding plus positional encoding: the start of the residual stream."""

import math

import torch
from torch import Tensor, nn

from model.nn.dropout import Dropout
from model.nn.hooks import NO_HOOKS, Hooks
from model.transformer.config import ModelConfig
from model.transformer.positional import positional_encoding


class Embedding(nn.Module):
    """Computes dropout(√d_model E[token] + PE(position)).

    Args:
        config: sizes.
        tokens: E, (V, d_model); it may be shared with other layers.

    Source: Vaswani et al. 2017, sections 3.4, 3.5 and 5.4.
    """

    positions: Tensor

    def __init__(self, config: ModelConfig, tokens: nn.Embedding) -> None:
        super().__init__()
        self.scale = math.sqrt(config.d_model)
        self.tokens = tokens
        self.dropout = Dropout(config.dropout)
        waves = positional_encoding(config.max_length, config.d_model)  # (max_length, d_model)
        self.register_buffer("positions", waves, persistent=False)

    def forward(self, ids: Tensor, *, first: int = 0, hooks: Hooks = NO_HOOKS) -> Tensor:
        """Embed tokens and add their positional encoding.

        Args:
            ids: (B, T) int64.
            first: position of ids[:, 0] in its sentence; above 0 when decoding with a cache.
            hooks: record ``token_embedding``, ``position`` and ``embedded``.

        Returns:
            (B, T, d_model).

        Raises:
            ValueError: a position is beyond ``max_length``.
        """
        end = first + ids.shape[1]
        if end > len(self.positions):
            raise ValueError(f"{end} tokens are more than this model takes: {len(self.positions)}")
        token_embedding = self.tokens(ids) * self.scale  # (B, T, d_model)
        position = self.positions[first:end]  # (T, d_model)
        embedded: Tensor = token_embedding + position  # (B, T, d_model)
        hooks.record(token_embedding=token_embedding, position=position, embedded=embedded)
        return self.dropout(embedded)


def new_token_matrix(vocab_size: int, d_model: int) -> nn.Embedding:
    """Draw (V, d_model) from N(0, 1/d_model). Multiplied by √d_model it has unit variance."""
    tokens = nn.Embedding(vocab_size, d_model)
    with torch.no_grad():
        tokens.weight.normal_(std=d_model**-0.5)
    return tokens
