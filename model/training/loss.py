"""Label-smoothed cross-entropy over the vocabulary.

The (N, V) matrix of logits would be the largest tensor of a training step. Here it is computed in
slices of a few rows. Each slice gives its loss and its gradient while it is still in the
processor's cache.

``torch.nn.functional.linear_cross_entropy`` does the same, but not with label smoothing: PyTorch
2.13 then computes the whole matrix.
"""

from typing import Any

import torch
from torch import Tensor

_ROWS_OF_SLICE = 512  # rows per slice: their logits fit into the processor's cache


def smoothed_cross_entropy(
    decoded: Tensor, unembed: Tensor, labels: Tensor, smoothing: float, n_labels: int | None = None
) -> Tensor:
    """Return the mean of -Σ_v t_v log p_v over all labels; t is the label-smoothed target.

    The target t gives 1 - smoothing to the label, and smoothing / V to every token.

    Args:
        decoded: (N, d_model), the decoder's result for each label.
        unembed: (V, d_model), the output matrix; logits = decoded unembed^T.
        labels: (N,) int64, without padding.
        smoothing: epsilon_ls in [0, 1).
        n_labels: the sum over the labels is divided by this number. Default: N. Several processes
            that share a batch give the labels of the whole batch.

    Returns:
        Scalar, in nats; float64 for float64, else float32. Its gradient has no gradient of its own.

    Source: Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4.
    """
    if n_labels is None:
        n_labels = len(labels)
    return _SmoothedCrossEntropy.apply(  # type: ignore[no-untyped-call]
        decoded, unembed, labels, smoothing, n_labels
    )


class _SmoothedCrossEntropy(torch.autograd.Function):
    """Computes the loss together with its gradient. The gradient of the logits is p - t."""

    @staticmethod
    def forward(
        ctx: Any, decoded: Tensor, unembed: Tensor, labels: Tensor, smoothing: float, n_labels: int
    ) -> Tensor:
        """Compute the loss and its gradient in one pass; see ``smoothed_cross_entropy``.

        The logits are made for some rows at a time, so that (N, V) is never in memory.

        Args:
            ctx: keeps both gradients for ``backward``.
            decoded: (N, d_model).
            unembed: (V, d_model), the output matrix.
            labels: (N,) int64, the tokens to write.
            smoothing: between 0 and 1.
            n_labels: by which the sum of the losses is divided.
        """
        # -Σ_v t_v log p_v = -log p_label + smoothing (logit_label - mean logit)
        mean_row = unembed.mean(dim=0)  # (d_model,): its dot product with x is the mean logit
        exact = torch.promote_types(decoded.dtype, torch.float32)
        tiny = torch.finfo(exact).tiny  # keeps the logarithm finite if p is rounded to 0
        loss = decoded.new_zeros((), dtype=exact)
        d_decoded = torch.empty_like(decoded)
        d_unembed = torch.zeros_like(unembed, dtype=exact)
        for start in range(0, len(labels), _ROWS_OF_SLICE):
            rows = slice(start, start + _ROWS_OF_SLICE)
            x = decoded[rows]  # (n, d_model)
            label = labels[rows, None]  # (n, 1)

            # 1. Compute the loss
            logits = x @ unembed.T  # (n, V)
            p = logits.softmax(dim=1)  # (n, V)
            logit = logits.gather(1, label).to(exact)  # (n, 1)
            p_label = p.gather(1, label).to(exact)  # (n, 1)
            log_p = p_label.clamp_min(tiny).log()  # (n, 1)
            mean_logit = (x @ mean_row).to(exact)  # (n,)
            loss += (smoothing * (logit[:, 0] - mean_logit) - log_p[:, 0]).sum()

            # 2. Compute its gradient with respect to the logits: p - t
            d_logits = p.sub_(smoothing / len(unembed))  # (n, V)
            d_logits.scatter_add_(1, label, torch.full_like(label, smoothing - 1, dtype=p.dtype))
            d_decoded[rows] = d_logits @ unembed
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
