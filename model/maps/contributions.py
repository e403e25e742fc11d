"""Contributions: how much of what a sublayer gives comes from each token, and how much was kept.

An attention and its residual connection give a sum of vectors, one for each token that is looked
at and one for what was there before. A part contributes by how much nearer, in the l1 norm, the
result is to 0 without it.

Source: Ferrando et al. 2022a, "Measuring the Mixing of Contextual Information in the Transformer",
sections 2 and 3 (one sublayer, ALTI); Ferrando et al. 2022b, "Towards Opening the Black Box of
Neural Machine Translation", section 3 (cross-attention and the whole model, ALTI+).
"""

from typing import NamedTuple

import numpy as np

from model.arrays import Array
from model.maps.frozen_norm import FrozenNorm
from model.maps.value_norms import transformed_values
from model.trace.residual_stream import Stack, additions
from model.trace.transformer import Trace
from model.transformer.heads import Kind, attention_name, attention_path
from model.transformer.transformer import Transformer


class Parts(NamedTuple):
    """What an attention and its residual connection give: of_heads, kept and bias add up to it."""

    of_heads: Array  # (H, T, S, d_model) from each token through each head: α_ij f(x_j)
    kept: Array  # (T, d_model) what was there before
    bias: Array  # (T, d_model) b_O, and with post-norm the norm's own
    result: Array  # (T, d_model) the stream behind the sublayer


class Contributions(NamedTuple):
    """Shares of what a sublayer gives; rows of ``tokens`` and ``kept`` sum to 1 together."""

    heads: Array  # (H, T, S) of each token through each head, as shares of the same whole
    tokens: Array  # (T, S); in self-attention what was kept belongs to the token itself
    kept: Array  # (T,) what was there before; 0 in self-attention


class ThroughModel(NamedTuple):
    """Where what the decoder hands on comes from; rows of both maps sum to 1 together."""

    source: Array  # (layers, T, S) the source tokens, up to each layer
    target: Array  # (layers, T, T) the target tokens read so far


def parts_of(model: Transformer, trace: Trace, kind: Kind, layer: int) -> Parts:
    """Take one attention apart. With post-norm each part goes through the norm, frozen."""
    stack: Stack = "encoder" if kind == "encoder_self" else "decoder"
    _, name = attention_path(kind)
    block = getattr(model, stack).blocks[layer]
    [step] = [s for s in additions(trace, stack) if (s.layer, s.sublayer) == (layer, name)]
    residual = getattr(block, f"{name}_residual")
    bias = getattr(block, f"{name}_attention").w_o.bias.detach().numpy()  # (d_model,)
    norm = FrozenNorm.after(residual, step)
    weights = trace.records[f"{attention_name(kind, layer)}.weights"]  # (H, T, S)
    f = transformed_values(model, trace, kind, layer)  # (H, S, d_model)
    of_heads = norm.part(weights[..., None] * f[:, None])  # (H, T, S, d_model)
    kept = norm.part(step.before[:, None])[:, 0]  # (T, d_model)
    own = norm.part(np.broadcast_to(bias, step.before.shape)[:, None])[:, 0] + norm.beta
    return Parts(of_heads, kept, own, step.after)


def contributions(model: Transformer, trace: Trace, kind: Kind, layer: int) -> Contributions:
    """Of one attention; where nothing brings the result nearer, all of it counts as kept."""
    of_heads, kept, _, result = parts_of(model, trace, kind, layer)
    parts = of_heads.sum(axis=0)  # (T, S, d_model)
    stays = kept[:, None]  # (T, 1, d_model)
    if kind != "cross":
        parts[np.diag_indices(len(parts))] += kept
        stays = np.zeros_like(stays)
    heads = np.stack([_nearer(of_head, result) for of_head in of_heads])
    tokens, rest = _nearer(parts, result), _nearer(stays, result)
    whole = tokens.sum(axis=-1, keepdims=True) + rest  # (T, 1)
    nothing = (whole == 0)[:, 0]
    if kind == "cross":
        rest[nothing] = 1
    else:
        tokens[nothing, nothing.nonzero()[0]] = 1
    whole[nothing] = 1
    return Contributions(heads / whole, tokens / whole, (rest / whole)[:, 0])


def through_model(model: Transformer, trace: Trace) -> ThroughModel:
    """ALTI+: how much of every decoder position comes from each source and each target token.

    Feed-forward networks and norms move no token's part to another position, so they are left out.
    """
    reached = through_encoder(model, trace)[-1]  # (S, S)
    n_tgt = len(trace.tgt_tokens)
    source, target = np.zeros((n_tgt, len(reached))), np.eye(n_tgt)
    sources, targets = [], []
    for layer in range(model.config.n_layers):
        back = contributions(model, trace, "decoder_self", layer).tokens  # (T, T)
        _, across, kept = contributions(model, trace, "cross", layer)  # (T, S), (T,)
        mixed = kept[:, None] * back
        source, target = mixed @ source + across @ reached, mixed @ target
        sources.append(source)
        targets.append(target)
    return ThroughModel(np.stack(sources), np.stack(targets))


def through_encoder(model: Transformer, trace: Trace) -> Array:
    """ALTI: how much of each source position comes from each source token, (layers, S, S)."""
    reached = np.eye(len(trace.src))
    rolled = []
    for layer in range(model.config.n_layers):
        reached = contributions(model, trace, "encoder_self", layer).tokens @ reached
        rolled.append(reached)
    return np.stack(rolled)


def _nearer(parts: Array, result: Array) -> Array:
    """max(0, ‖y‖₁ - ‖y - part‖₁) of (..., T, K, d_model) parts of (T, d_model): (..., T, K)."""
    y = result[:, None]  # (T, 1, d_model)
    nearer: Array = np.maximum(0, np.abs(y).sum(axis=-1) - np.abs(y - parts).sum(axis=-1))
    return nearer
