"""What a step learns from, as one module: DistributedDataParallel listens to a module's forward."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from model.data.batches import Batch
from model.nn.encoder_decoder import Model
from model.training.loss import smoothed_cross_entropy
from model.training.r_drop import symmetric_kl
from model.transformer.masks import padding_mask


class Objective(nn.Module):
    """The loss of a model on a batch, and what is added to it.

    Args:
        model: whose parameters learn.
        pad_id: of its tokenizer.
        label_smoothing: epsilon_ls.
        r_drop: weight of R-Drop; 0 goes through the model once.
    """

    def __init__(self, model: Model, *, pad_id: int, label_smoothing: float, r_drop: float) -> None:
        super().__init__()
        self.model, self._pad_id = model, pad_id
        self._label_smoothing, self._r_drop = label_smoothing, r_drop

    def forward(self, batch: Batch, n_labels: int) -> tuple[Tensor, Tensor]:
        """A batch, or a part of one.

        Args:
            batch: on the model's device.
            n_labels: of the whole batch. The sums over the labels here are divided by it, so that
                the results of all parts add up to that of the whole.

        Returns:
            Two scalars: the loss in nats a target token, and the same with what R-Drop adds, which
            is what to learn from.
        """
        labels = batch.labels[batch.labels != self._pad_id]  # (N,)
        unembed = self.model.unembed.weight
        passes = [self._decoded(batch) for _ in range(2 if self._r_drop else 1)]
        losses = [
            smoothed_cross_entropy(decoded, unembed, labels, self._label_smoothing, n_labels)
            for decoded in passes
        ]
        loss = torch.stack(losses).mean()
        if not self._r_drop:
            return loss, loss
        apart = symmetric_kl(passes[0], passes[1], unembed, n_labels)
        return loss, loss + self._r_drop / 2 * apart

    def _decoded(self, batch: Batch) -> Tensor:
        """(N, d_model): what the decoder hands to the output matrix, where there is a label."""
        src_mask = padding_mask(batch.src, self._pad_id)
        memory = self.model.encode(batch.src, src_mask)
        decoded = self.model.decode_states(batch.tgt, memory, src_mask)  # (B, T, d_model)
        return decoded[batch.labels != self._pad_id]
