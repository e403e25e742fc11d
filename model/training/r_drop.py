"""R-Drop: dropout makes two models of one; they should agree.

Every batch goes through the model twice, under two draws of dropout. What is learned from is the
mean of the two losses, and how far the two distributions of each next token lie apart.

Source: Liang et al. 2021, equations 2 to 4; their loss, halved: a weight of 0 is the plain one.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

_ROWS = 256


def symmetric_kl(
    one: Tensor, other: Tensor, unembed: Tensor, n_labels: int | None = None
) -> Tensor:
    """(KL(p || q) + KL(q || p)) / 2 of the next tokens by two passes; differentiable once.

    Args:
        one, other: (N, d_model), what the decoder hands to the output matrix in either pass.
        unembed: (V, d_model), the output matrix.
        n_labels: what the sum over the tokens is divided by, where they are a part of more; else N.

    Returns:
        Scalar, at least float32: mean over the tokens, in nats.
    """
    apart: Tensor = _SymmetricKL.apply(  # type: ignore[no-untyped-call]
        one, other, unembed, len(one) if n_labels is None else n_labels
    )
    return apart


class _SymmetricKL(torch.autograd.Function):
    """Loss and gradient in the same visit to a slice of logits, as for the cross-entropy.

    Both directions at once are sum_v (p - q) a / 2 with a = log p - log q, and the gradient for
    the logits of p is (p (a - sum_v p a) + p - q) / 2; for those of q all signs of a turn.
    """

    @staticmethod
    def forward(ctx: Any, one: Tensor, other: Tensor, unembed: Tensor, n_labels: int) -> Tensor:
        exact = torch.promote_types(one.dtype, torch.float32)
        total = one.new_zeros((), dtype=exact)
        d_one, d_other = torch.empty_like(one), torch.empty_like(other)
        d_unembed = torch.zeros_like(unembed, dtype=exact)
        for start in range(0, len(one), _ROWS):
            rows = slice(start, start + _ROWS)
            log_p = (one[rows] @ unembed.T).to(exact).log_softmax(dim=1)  # (n, V)
            log_q = (other[rows] @ unembed.T).to(exact).log_softmax(dim=1)
            p, q = log_p.exp(), log_q.exp()
            a = log_p.sub_(log_q)
            pa, qa = (p * a).sum(dim=1, keepdim=True), (q * a).sum(dim=1, keepdim=True)  # (n, 1)
            total += (pa - qa).sum() / 2
            p_less_q = p - q
            for x, d_x, d_logits in (
                (one, d_one, p.mul_(a - pa).add_(p_less_q)),
                (other, d_other, q.mul_(qa - a).sub_(p_less_q)),
            ):
                half = d_logits.div_(2).to(x.dtype)
                d_x[rows] = half @ unembed
                d_unembed += half.T @ x[rows]
        ctx.save_for_backward(d_one, d_other, d_unembed.to(unembed.dtype))
        ctx.n_labels = n_labels
        return total / n_labels

    @staticmethod
    def backward(ctx: Any, *d_loss: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        d_one, d_other, d_unembed = ctx.saved_tensors
        scale = (d_loss[0] / ctx.n_labels).to(d_one.dtype)
        return d_one * scale, d_other * scale, d_unembed * scale, None
