"""Self-attention that only looks at its neighbours, with work that really is r · n · d."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def restricted_attention(q: Tensor, k: Tensor, v: Tensor, reach: int) -> Tensor:
    """Each query sees the keys at most ``reach`` positions away, r = 2 reach + 1 of them.

    Keys and values are cut into windows, so that hidden pairs are never multiplied.

    Args:
        q: (B, H, n, d_head).
        k: (B, H, n, d_head).
        v: (B, H, n, d_head).
        reach: neighbours to either side, at least 0.

    Returns:
        (B, H, n, d_head).

    Source: Vaswani et al. 2017, section 4 (restricted self-attention).
    """
    keys = _windows(k, reach)  # (B, H, n, d_head, r)
    values = _windows(v, reach)  # (B, H, n, d_head, r)
    scores = (q[..., None, :] @ keys).squeeze(-2) / math.sqrt(q.shape[-1])  # (B, H, n, r)
    scores = scores.masked_fill(~_inside(q.shape[-2], reach), -math.inf)
    weights = scores.softmax(dim=-1)  # (B, H, n, r)
    return (values @ weights[..., None]).squeeze(-1)


class RestrictedSelfAttention(nn.Module):
    """Multi-head self-attention with ``restricted_attention`` in its middle."""

    def __init__(self, d_model: int, n_heads: int, reach: int) -> None:
        super().__init__()
        self.n_heads, self.reach = n_heads, reach
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """(B, n, d_model) -> (B, n, d_model)."""
        q, k, v = (self._split_heads(w(x)) for w in (self.w_q, self.w_k, self.w_v))
        head_out = restricted_attention(q, k, v, self.reach)  # (B, H, n, d_head)
        attn_out: Tensor = self.w_o(head_out.transpose(1, 2).flatten(2))  # (B, n, d_model)
        return attn_out

    def _split_heads(self, x: Tensor) -> Tensor:
        """(B, n, d_model) -> (B, H, n, d_head)."""
        return x.view(*x.shape[:2], self.n_heads, -1).transpose(1, 2)


def _windows(x: Tensor, reach: int) -> Tensor:
    """(B, H, n, d_head) -> (B, H, n, d_head, r): the neighbours of every position."""
    return F.pad(x, (0, 0, reach, reach)).unfold(-2, 2 * reach + 1, 1)


def _inside(n: int, reach: int) -> Tensor:
    """(n, r) bool: which neighbours lie inside the sequence."""
    neighbour = torch.arange(n)[:, None] + torch.arange(-reach, reach + 1)
    return (neighbour >= 0) & (neighbour < n)
