"""Attention rollout: multiply the attention matrices of all encoder layers."""

import numpy as np

from model.arrays import Array


def rollout(weights: Array) -> Array:
    """Return R(l) = A(l) R(l-1) of each layer l. A = (W + I) / 2; W is the mean over the heads.

    Half of each step is the residual connection. Value vectors, feed-forward networks and norms are
    left out, so this is an approximation. Its authors define it for an encoder.

    Args:
        weights: (layers, H, S, S) of a self-attention.

    Returns:
        (layers, S, S) float64: how much of each position, after each layer, comes from each input
        token. Rows sum to 1.

    Source: Abnar & Zuidema 2020, section 3.
    """
    identity = np.eye(weights.shape[-1])
    reached = identity  # R(0)
    layers = []
    for mean_weights in weights.mean(axis=1):  # (S, S)
        reached = (0.5 * mean_weights + 0.5 * identity) @ reached
        layers.append(reached)
    return np.stack(layers)
