"""Luong's dot-product attention: the step between the additive one and the Transformer's."""

from __future__ import annotations

import math

from torch import Tensor


def dot_attention(s: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """e_tj = s_tᵀ h_j, α_t = softmax(e_t), c_t = Σ_j α_tj h_j.

    Nothing is learned and nothing is scaled; s looks after its step, so all steps can be
    computed at once.

    Args:
        s: (B, T, d_hidden) states of the decoder.
        memory: (B, S, d_hidden) states of the encoder.
        mask: (B, S) bool; True = may attend.

    Returns:
        context (B, T, d_hidden), masked scores (B, T, S), weights (B, T, S).

    Source: Luong et al. 2015, section 3.1, "dot".
    """
    scores = s @ memory.transpose(1, 2)  # (B, T, S)
    masked_scores = scores.masked_fill(~mask[:, None], -math.inf)  # (B, T, S)
    weights = masked_scores.softmax(dim=-1)  # (B, T, S)
    return weights @ memory, masked_scores, weights
