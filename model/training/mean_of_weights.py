"""Several models of one descent become one: each weight is the mean of theirs.

Trained from the same beginning for different ends, they have learned different things, and their
mean often knows most of both.

Source: Wortsman et al. 2022, section 2 (the uniform soup).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch

from model.nn.encoder_decoder import Model


@torch.no_grad()
def mean_of_weights(models: Sequence[Model]) -> Model:
    """A new model.

    Args:
        models: at least one, all of one architecture and one vocabulary. Who stands there twice
            counts twice.
    """
    mean = copy.deepcopy(models[0])
    for name, p in mean.named_parameters():
        p.copy_(torch.stack([model.get_parameter(name) for model in models]).mean(dim=0))
    return mean
