"""Attention rollout: through all layers of the encoder at once, as far as weights tell."""

from __future__ import annotations

import numpy as np

from model.trace.base import Array


def rollout(weights: Array) -> Array:
    """R(l) = A(l) R(l-1) with A = (W + I) / 2 and W the mean over the heads.

    Half of each step is the residual connection. The vectors, the feed-forward and the norms are
    left out, so this is an approximation; it is defined for an encoder.

    Args:
        weights: (layers, H, S, S) of the encoder.

    Returns:
        (layers, S, S): after each layer, how much each position is made of each input token; rows
        sum to 1.

    Source: Abnar & Zuidema 2020, section 3.
    """
    n_tokens = weights.shape[-1]
    rolled, reached = [], np.eye(n_tokens)
    for layer in weights.mean(axis=1):  # (S, S)
        reached = (0.5 * layer + 0.5 * np.eye(n_tokens)) @ reached
        rolled.append(reached)
    return np.stack(rolled)
