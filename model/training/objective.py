"""What a step learns from, as one module: DistributedDataParallel listens to a module's forward."""

from __future__ import annotations

from torch import Tensor, nn

from model.data.batches import Batch
from model.nn.encoder_decoder import Model
from model.training.loss import smoothed_cross_entropy
from model.transformer.masks import padding_mask


class Objective(nn.Module):
    """The loss of a model on a batch.

    Args:
        model: whose parameters learn.
        pad_id: of its tokenizer.
        label_smoothing: epsilon_ls.
    """

    def __init__(self, model: Model, *, pad_id: int, label_smoothing: float) -> None:
        super().__init__()
        self.model, self._pad_id = model, pad_id
        self._label_smoothing = label_smoothing

    def forward(self, batch: Batch, n_labels: int) -> Tensor:
        """A batch, or a part of one.

        Args:
            batch: on the model's device.
            n_labels: of the whole batch. The sums over the labels here are divided by it, so that
                the losses of all parts add up to that of the whole.

        Returns:
            Scalar: the loss in nats a target token.
        """
        has_label = batch.labels != self._pad_id  # (B, T)
        src_mask = padding_mask(batch.src, self._pad_id)
        memory = self.model.encode(batch.src, src_mask)
        decoded = self.model.decode_states(batch.tgt, memory, src_mask)  # (B, T, d_model)
        return smoothed_cross_entropy(
            decoded[has_label],
            self.model.unembed.weight,
            batch.labels[has_label],
            self._label_smoothing,
            n_labels,
        )
