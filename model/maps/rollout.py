"""Attention rollout: through all layers of the encoder at once, as far as weights tell."""

import numpy as np

from model.arrays import Array


def rollout(weights: Array) -> Array:
    """R(l) = A(l) R(l-1) with A = (W + I) / 2 and W the mean over the heads.

    Half of each step is the residual connection. Vectors, feed-forward and norms are left out, so
    this is an approximation; it is defined for an encoder. (layers, H, S, S) -> (layers, S, S): how
    much each position is made of each input token after each layer; rows sum to 1.

    Source: Abnar & Zuidema 2020, section 3.
    """
    identity = np.eye(weights.shape[-1])
    rolled, reached = [], identity
    for layer in weights.mean(axis=1):  # (S, S)
        reached = (0.5 * layer + 0.5 * identity) @ reached
        rolled.append(reached)
    return np.stack(rolled)
