"""Label-smoothed cross-entropy over the vocabulary.

The (tokens, V) matrix of logits is the largest tensor of a training step. Here a slice of it
lives just long enough to give its loss and its gradient, while it is still in the processor's
cache.
"""

from typing import Any

import torch
from torch import Tensor

_ROWS = 512  # of logits, which stay in the processor's cache


def smoothed_cross_entropy(
    decoded: Tensor, unembed: Tensor, labels: Tensor, smoothing: float, n_labels: int | None = None
) -> Tensor:
    """-sum_v t_v log p_v, where t gives 1 - smoothing to the label and smoothing / V to all.

    Args:
        decoded: (N, d_model), what the decoder hands to the output matrix.
        unembed: (V, d_model), the output matrix; logits = decoded unembedᵀ.
        labels: (N,) int64, without padding.
        smoothing: epsilon_ls in [0, 1).
        n_labels: what the sum over the labels is divided by, where they are a part of more; else N.

    Returns:
        Scalar in float32, or in float64 if that is what comes in: mean over the labels, in nats;
        differentiable once.

    Source: Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4.
    """
    return _SmoothedCrossEntropy.apply(  # type: ignore[no-untyped-call]
        decoded, unembed, labels, smoothing, len(labels) if n_labels is None else n_labels
    )


class _SmoothedCrossEntropy(torch.autograd.Function):
    """The gradient is p - t, so it is made in the same visit as the loss."""

    @staticmethod
    def forward(
        ctx: Any, decoded: Tensor, unembed: Tensor, labels: Tensor, smoothing: float, n_labels: int
    ) -> Tensor:
        mean_row = unembed.mean(dim=0)  # (d_model,): its dot product is the mean logit
        d_decoded = torch.empty_like(decoded)
        exact = torch.promote_types(decoded.dtype, torch.float32)
        d_unembed = torch.zeros_like(unembed, dtype=exact)
        loss = decoded.new_zeros((), dtype=exact)
        tiny = torch.finfo(exact).tiny  # keeps the logarithm finite where p is rounded to 0
        for start in range(0, len(labels), _ROWS):
            x, label = decoded[start : start + _ROWS], labels[start : start + _ROWS, None]
            logits = x @ unembed.T  # (n, V)
            p = logits.softmax(dim=1)  # (n, V)
            logit, p_label = logits.gather(1, label).to(exact), p.gather(1, label).to(exact)
            log_p = p_label.clamp_min(tiny).log()  # (n, 1)
            mean_logit = (x @ mean_row).to(exact)  # (n,)
            loss += (smoothing * (logit[:, 0] - mean_logit) - log_p[:, 0]).sum()
            d_logits = p.sub_(smoothing / len(unembed))
            d_logits.scatter_add_(1, label, torch.full_like(label, smoothing - 1, dtype=p.dtype))
            d_decoded[start : start + _ROWS] = d_logits @ unembed
            d_unembed += d_logits.T @ x
        ctx.save_for_backward(d_decoded, d_unembed)
        ctx.n_labels = n_labels
        return loss / n_labels

    @staticmethod
    def backward(ctx: Any, *d_loss: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        d_decoded, d_unembed = ctx.saved_tensors
        scale = d_loss[0] / ctx.n_labels
        d_unembed = (d_unembed * scale).to(d_decoded.dtype)
        return d_decoded * scale.to(d_decoded.dtype), d_unembed, None, None, None
