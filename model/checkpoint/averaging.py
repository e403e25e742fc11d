"""Compute the weighted mean of two models with the same architecture."""

import torch

from model.nn.encoder_decoder import Model


@torch.no_grad()
def average_weights(last: Model, first: Model, share: float) -> None:
    """Set the weights of ``last`` to ``share * last + (1 - share) * first``.

    Args:
        last: the model to change.
        first: a model with parameters of the same names and shapes.
        share: of ``last`` in the mean, in [0, 1].

    Source: Wortsman et al. 2022, section 3 (weight-space ensembling).
    """
    of_first = dict(first.named_parameters())
    for name, weight in last.named_parameters():
        # first + share * (last - first)
        weight.copy_(of_first[name].lerp(weight, share))
