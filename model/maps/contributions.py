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
from torch import nn

from model.arrays import Array
from model.maps.frozen_norm import FrozenNorm
from model.maps.value_norms import transformed_values
from model.trace.residual_stream import Addition, Stack, additions
from model.trace.transformer import Trace
from model.transformer.heads import Kind, attention_name, attention_path
from model.transformer.transformer import Transformer


class Parts(NamedTuple):
    """What an attention and its residual connection give: the first three add up to the last."""

    tokens: Array  # (T, S, d_model) from each token: Σ_h α^h_ij f^h(x_j)
    kept: Array  # (T, d_model) what was there before
    bias: Array  # (T, d_model) b_O, and with post-norm the norm's own
    result: Array  # (T, d_model) the stream behind the sublayer


class Contributions(NamedTuple):
    """Shares of what a sublayer gives; a row of ``tokens`` and ``kept`` sum to 1 together."""

    tokens: Array  # (T, S); in self-attention what was kept belongs to the token itself
    kept: Array  # (T,) what was there before; 0 in self-attention


class ThroughModel(NamedTuple):
    """Where what the decoder hands on comes from; rows of both maps sum to 1 together."""

    source: Array  # (layers, T, S) the source tokens, up to each layer
    target: Array  # (layers, T, T) the target tokens read so far


def parts_of(model: Transformer, trace: Trace, kind: Kind, layer: int) -> Parts:
    """Take one attention apart. With post-norm each part goes through the norm, frozen."""
    step, norm, w_o = _sublayer(model, trace, kind, layer)
    f = transformed_values(model, trace, kind, layer)  # (H, S, d_model)
    weights = trace.records[f"{attention_name(kind, layer)}.weights"]  # (H, T, S)
    tokens = norm.part(np.einsum("hts,hsd->tsd", weights, f, optimize=True))
    kept = norm.part(step.before[:, None])[:, 0]  # (T, d_model)
    b_o = np.broadcast_to(w_o.bias.detach().numpy(), step.before.shape)  # (T, d_model)
    return Parts(tokens, kept, norm.part(b_o[:, None])[:, 0] + norm.beta, step.after)


def contributions(model: Transformer, trace: Trace, kind: Kind, layer: int) -> Contributions:
    """Of one attention; where nothing brings the result nearer, all of it counts as kept."""
    tokens, kept, whole = _unscaled(parts_of(model, trace, kind, layer), kind)
    nothing = whole == 0
    if kind == "cross":
        kept[nothing] = 1
    else:
        tokens[nothing, nothing.nonzero()[0]] = 1
    whole[nothing] = 1
    return Contributions(tokens / whole[:, None], kept / whole)


def head_contributions(model: Transformer, trace: Trace, kind: Kind, layer: int) -> Array:
    """The share of each token through each head, of the same whole: (H, T, S)."""
    _, norm, _ = _sublayer(model, trace, kind, layer)
    parts = parts_of(model, trace, kind, layer)
    _, _, whole = _unscaled(parts, kind)
    f = transformed_values(model, trace, kind, layer)  # (H, S, d_model)
    weights = trace.records[f"{attention_name(kind, layer)}.weights"]  # (H, T, S)
    of_heads = (norm.part(w[..., None] * values) for w, values in zip(weights, f, strict=True))
    nearer = np.stack([_nearer(one, parts.result) for one in of_heads])  # (H, T, S)
    whole[whole == 0] = 1
    return nearer / whole[:, None]


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
        across, kept = contributions(model, trace, "cross", layer)  # (T, S), (T,)
        mixed = kept[:, None] * back
        source, target = mixed @ source + across @ reached, mixed @ target
        sources.append(source)
        targets.append(target)
    return ThroughModel(np.stack(sources), np.stack(targets))


def from_source(model: Transformer, trace: Trace) -> list[float]:
    """How much of each of T written tokens comes from the source: the sum of its row of ALTI+.

    The rest comes from the target tokens before it. Source: Ferrando et al. 2022b, section 5.
    """
    return through_model(model, trace).source[-1].sum(axis=-1).tolist()


def through_encoder(model: Transformer, trace: Trace) -> Array:
    """ALTI: how much of each source position comes from each source token, (layers, S, S)."""
    reached = np.eye(len(trace.src))
    rolled = []
    for layer in range(model.config.n_layers):
        reached = contributions(model, trace, "encoder_self", layer).tokens @ reached
        rolled.append(reached)
    return np.stack(rolled)


def _sublayer(
    model: Transformer, trace: Trace, kind: Kind, layer: int
) -> tuple[Addition, FrozenNorm, nn.Linear]:
    """What an attention found and added, the norm behind it, and W_O."""
    stack: Stack = "encoder" if kind == "encoder_self" else "decoder"
    _, name = attention_path(kind)
    block = getattr(model, stack).blocks[layer]
    [step] = [s for s in additions(trace, stack) if (s.layer, s.sublayer) == (layer, name)]
    norm = FrozenNorm.after(getattr(block, f"{name}_residual"), step)
    w_o: nn.Linear = getattr(block, f"{name}_attention").w_o
    return step, norm, w_o


def _unscaled(parts: Parts, kind: Kind) -> tuple[Array, Array, Array]:
    """How much each token (T, S), and what was kept (T,), bring the result nearer; their sum."""
    tokens, kept = parts.tokens, _nearer(parts.kept[:, None], parts.result)[:, 0]
    if kind != "cross":
        tokens, kept = tokens.copy(), np.zeros_like(kept)
        tokens[np.diag_indices(len(tokens))] += parts.kept
    nearer = _nearer(tokens, parts.result)
    return nearer, kept, nearer.sum(axis=-1) + kept


def _nearer(parts: Array, result: Array) -> Array:
    """max(0, ‖y‖₁ - ‖y - part‖₁) of (..., T, K, d_model) parts of (T, d_model): (..., T, K).

    In float64: the part of a head that adds little is the difference of two sums that are far
    larger, and in float32 the order of their terms would decide which token is first.
    """
    y = result[:, None].astype(np.float64)  # (T, 1, d_model)
    return np.maximum(0, np.abs(y).sum(axis=-1) - np.abs(y - parts).sum(axis=-1))
