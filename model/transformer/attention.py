"""Scaled dot-product attention and multi-head attention (section 3.2 of the paper)."""

import math

from torch import Tensor, nn

from model.nn.hooks import NO_HOOKS, Hooks
from model.transformer.cache import AttentionCache


def scaled_dot_product_attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor, *, hooks: Hooks = NO_HOOKS
) -> Tensor:
    """Return softmax(q kᵀ / √d_head) v. Hidden keys get the weight 0.

    Args:
        q: (B, H, T, d_head) queries.
        k: (B, H, S, d_head) keys.
        v: (B, H, S, d_head) values.
        mask: bool, broadcastable to (B, H, T, S); True = may attend. Every query must see
            at least one key. Otherwise its row has no softmax and is NaN.
        hooks: record ``scores``, ``masked_scores``, ``weights`` and ``head_out``; ablate heads.

    Returns:
        (B, H, T, d_head) of q's dtype: one mixture of the values for every query.

    Source: Vaswani et al. 2017, section 3.2.1, equation 1.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (B, H, T, S)
    masked_scores = scores.masked_fill(~mask, -math.inf)  # (B, H, T, S)
    weights = masked_scores.softmax(dim=-1)  # (B, H, T, S), each row sums to 1
    if hooks.ablation is not None:
        weights = hooks.ablation.on_weights(weights, mask)
    head_out = weights @ v  # (B, H, T, d_head)
    if hooks.ablation is not None:
        head_out = hooks.ablation.on_output(head_out)
    head_out = hooks.patched("head_out", head_out)
    hooks.record(scores=scores, masked_scores=masked_scores, weights=weights, head_out=head_out)
    return head_out


class MultiHeadAttention(nn.Module):
    """H attentions in parallel, each on its own projections of width d_head.

    Args:
        d_model: width of the residual stream, H d_head.
        n_heads: H; it must divide ``d_model``.

    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)

    def forward(
        self,
        queries_from: Tensor,
        keys_from: Tensor,
        mask: Tensor,
        *,
        cache: AttentionCache | None = None,
        hooks: Hooks = NO_HOOKS,
    ) -> Tensor:
        """Let every position of ``queries_from`` attend to ``keys_from``.

        Args:
            queries_from: (B, T, d_model), projected to the queries.
            keys_from: (B, S, d_model), projected to keys and values. In self-attention it is the
                same tensor as ``queries_from``, in cross-attention the encoder's result.
            mask: bool, broadcastable to (B, H, T, S); True = may attend.
            cache: keys and values of earlier decoding steps; it is extended.
            hooks: record ``x`` (queries_from), ``q``, ``k``, ``v``, the stages of the attention
                and ``attn_out``; ablate heads.

        Returns:
            (B, T, d_model).
        """
        q = self._split_heads(self.w_q(queries_from))  # (B, H, T, d_head)
        if cache is not None and cache.complete is not None:
            k, v = cache.complete
        else:
            k = self._split_heads(self.w_k(keys_from))  # (B, H, S, d_head)
            v = self._split_heads(self.w_v(keys_from))  # (B, H, S, d_head)
            if cache is not None:
                k, v = cache.append(k, v)
        hooks.record(x=queries_from, q=q, k=k, v=v)
        head_out = scaled_dot_product_attention(q, k, v, mask, hooks=hooks)  # (B, H, T, d_head)
        attn_out: Tensor = self.w_o(self._merge_heads(head_out))  # (B, T, d_model)
        hooks.record(attn_out=attn_out)
        return attn_out

    def _split_heads(self, x: Tensor) -> Tensor:
        """Split x into heads: (B, T, d_model) -> (B, T, H, d_head) -> (B, H, T, d_head)."""
        return x.view(*x.shape[:2], self.n_heads, -1).transpose(1, 2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        """Concatenate the heads: (B, H, T, d_head) -> (B, T, H, d_head) -> (B, T, d_model)."""
        return x.transpose(1, 2).flatten(2)
