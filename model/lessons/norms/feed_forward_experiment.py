"""The feed-forward looked at: which units fire, and that no position sees another."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from model.trace.base import Array
from model.trace.residual_stream import Stack, additions
from model.trace.transformer import Trace
from model.transformer.feed_forward import FeedForward
from model.transformer.transformer import Transformer


def ffn_input(model: Transformer, trace: Trace, stack: Stack, layer: int) -> Tensor:
    """What the feed-forward of one block was given: the stream, normed first with pre-norm.

    Args:
        model: that made the trace.
        trace: of one sentence.
        stack: ``"encoder"`` or ``"decoder"``.
        layer: from 0.

    Returns:
        (T, d_model).
    """
    [step] = [a for a in additions(trace, stack) if (a.layer, a.sublayer) == (layer, "ffn")]
    x = torch.tensor(step.before)
    residual = getattr(model, stack).blocks[layer].ffn_residual
    with torch.no_grad():
        normed: Tensor = residual.norm(x)
    return normed if residual.pre_norm else x


def firing(hidden: Array) -> Array:
    """(T, d_ff) -> (T,) share of the hidden units that are above zero."""
    share: Array = (hidden > 0).mean(axis=-1)
    return share


def strongest_units(hidden: Array, place: int, n: int) -> list[int]:
    """The n units that are highest at one position, from 0, the highest first.

    Args:
        hidden: (T, d_ff).
        place: position, from 0.
        n: how many; all there are when there are fewer.
    """
    return [int(unit) for unit in (-hidden[place]).argsort(kind="stable")[:n]]


@torch.no_grad()
def change_one_position(ffn: FeedForward, x: Tensor, place: int, seed: int) -> Tensor:
    """Put random numbers at one position and see which positions' outputs change.

    Args:
        ffn: the network.
        x: (T, d_model) its input.
        place: the position that is changed, from 0.
        seed: of the random numbers.

    Returns:
        (T,) ‖change of the output‖ at every position.
    """
    changed = x.clone()
    changed[place] = torch.randn(x.shape[1], generator=torch.Generator().manual_seed(seed))
    difference: Tensor = ffn(changed[None]) - ffn(x[None])  # (1, T, d_model)
    size: Tensor = difference[0].norm(dim=-1)
    return size


@torch.no_grad()
def as_two_convolutions(ffn: FeedForward, x: Tensor) -> Tensor:
    """The same network as two convolutions of kernel size 1 over the positions.

    Args:
        ffn: lends its weights.
        x: (T, d_model).

    Returns:
        (T, d_model).

    Source: Vaswani et al. 2017, section 3.3.
    """
    channels = x.T[None]  # (1, d_model, T)
    inner = F.conv1d(channels, ffn.w_1.weight[:, :, None], ffn.w_1.bias)  # (1, d_ff, T)
    hidden = ffn.activation(inner)
    out = F.conv1d(hidden, ffn.w_2.weight[:, :, None], ffn.w_2.bias)  # (1, d_model, T)
    return out[0].T
