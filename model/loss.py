"""Label-smoothed cross-entropy over the vocabulary, in slices that stay in the cache."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

_SLICE = 512


class _SmoothedCrossEntropy(torch.autograd.Function):
    """Loss and gradient in one visit: the (N, V) probabilities are never kept."""

    @staticmethod
    def forward(
        ctx: Any, decoded: Tensor, unembed: Tensor, labels: Tensor, smoothing: float
    ) -> Tensor:
        n_labels, vocab_size = len(labels), len(unembed)
        d_decoded = torch.empty_like(decoded)
        d_unembed = torch.zeros_like(unembed)
        loss = decoded.new_zeros((), dtype=torch.float32)
        for start in range(0, n_labels, _SLICE):
            x, label = decoded[start : start + _SLICE], labels[start : start + _SLICE, None]
            logits = x @ unembed.T  # (n, V)
            logit = logits.gather(1, label).float()  # (n, 1)
            mean_logit = logits.mean(dim=1, dtype=torch.float32)[:, None]  # (n, 1)
            p = logits.softmax(dim=1)  # (n, V)
            log_p = p.gather(1, label).float().log()  # (n, 1)
            # -sum_v target_v log p_v with target = (1 - smoothing) one-hot + smoothing / V
            loss += (smoothing * (logit - mean_logit) - log_p).sum()
            d_logits = p.sub_(smoothing / vocab_size)
            d_logits.scatter_add_(1, label, torch.full_like(label, smoothing - 1, dtype=p.dtype))
            d_decoded[start : start + _SLICE] = d_logits @ unembed
            d_unembed.addmm_(d_logits.T, x)
        ctx.save_for_backward(d_decoded / n_labels, d_unembed / n_labels)
        return loss / n_labels

    @staticmethod
    def backward(ctx: Any, *d_loss: Tensor) -> tuple[Tensor, Tensor, None, None]:
        d_decoded, d_unembed = ctx.saved_tensors
        (scale,) = d_loss
        return d_decoded * scale.to(d_decoded.dtype), d_unembed * scale.to(d_unembed.dtype), None, None


def smoothed_cross_entropy(decoded: Tensor, unembed: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    out = _SmoothedCrossEntropy.apply(decoded, unembed, labels, smoothing)
    return out
