"""R-Drop: dropout makes two models of one; they should agree.

Every batch goes through the model twice, under two draws of dropout. What is learned from is the
mean of the two losses, and how far the two distributions of each next token lie apart.

Source: Liang et al. 2021, equations 2 to 4; their loss, halved: a weight of 0 is the plain one.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

_ROWS = 512


def symmetric_kl(one: Tensor, other: Tensor, unembed: Tensor) -> Tensor:
    """(KL(p || q) + KL(q || p)) / 2 of the next tokens by two passes; differentiable.

    The logits of a slice live while it is looked at, and are made anew for its gradient: all of
    them would be the largest tensors of the step.

    Args:
        one, other: (N, d_model), what the decoder hands to the output matrix in either pass.
        unembed: (V, d_model), the output matrix.

    Returns:
        Scalar, at least float32: mean over the N tokens, in nats.
    """
    exact = torch.promote_types(one.dtype, torch.float32)
    total = one.new_zeros((), dtype=exact)
    for start in range(0, len(one), _ROWS):
        rows = slice(start, start + _ROWS)
        total = total + checkpoint(
            _sum_of_rows, one[rows], other[rows], unembed, exact, use_reentrant=False
        )
    return total / len(one)


def _sum_of_rows(one: Tensor, other: Tensor, unembed: Tensor, exact: torch.dtype) -> Tensor:
    """sum (p - q) (log p - log q) / 2, which is both directions at once."""
    log_p = (one @ unembed.T).to(exact).log_softmax(dim=1)  # (n, V)
    log_q = (other @ unembed.T).to(exact).log_softmax(dim=1)
    return ((log_p.exp() - log_q.exp()) * (log_p - log_q)).sum() / 2
