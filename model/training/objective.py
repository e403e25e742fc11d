"""What a step learns from: the loss of a model on a batch."""

from __future__ import annotations

from torch import Tensor

from model.data.batches import Batch
from model.nn.encoder_decoder import Model
from model.training.loss import smoothed_cross_entropy
from model.transformer.masks import padding_mask


def objective(
    model: Model, batch: Batch, *, pad_id: int, label_smoothing: float, n_labels: int
) -> Tensor:
    """A batch, or a part of one.

    Args:
        model: whose parameters learn.
        batch: on the model's device.
        pad_id: of its tokenizer.
        label_smoothing: epsilon_ls.
        n_labels: of the whole batch. The sums over the labels here are divided by it, so that the
            losses of all parts add up to that of the whole.

    Returns:
        Scalar: the loss in nats a target token.
    """
    has_label = batch.labels != pad_id  # (B, T)
    src_mask = padding_mask(batch.src, pad_id)
    memory = model.encode(batch.src, src_mask)
    decoded = model.decode_states(batch.tgt, memory, src_mask)  # (B, T, d_model)
    labels = batch.labels[has_label]
    return smoothed_cross_entropy(
        decoded[has_label], model.unembed.weight, labels, label_smoothing, n_labels
    )
