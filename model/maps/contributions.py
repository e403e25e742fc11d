"""Contributions: the share of each token in a sublayer's output.

The result of an attention and its residual connection is a sum of vectors. There is one vector for
each token that is attended to, and one for the stream as it was before. The contribution of a
vector is the amount by which the l1 norm of the result falls when the vector is taken away.

    y_i  = Σ_j T_ij + residual_i + bias      T_ij = Σ_h α^h_ij f^h(x_j)
    c_ij = max(0, ‖y_i‖₁ - ‖y_i - T_ij‖₁),   each row then divided by its sum

Source: Ferrando et al. 2022a, "Measuring the Mixing of Contextual Information in the Transformer",
sections 2 and 3 (one sublayer, ALTI); Ferrando et al. 2022b, "Towards Opening the Black Box of
Neural Machine Translation", section 3 (cross-attention and the whole model, ALTI+).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from model.arrays import Array
from model.maps.frozen_norm import FrozenNorm
from model.maps.value_norms import transformed_values
from model.nn.attention_model import AttentionModel
from model.trace.residual_stream import Stack, additions
from model.trace.transformer import Trace
from model.transformer.heads import KINDS, Kind, attention_name, attention_path


@dataclass(frozen=True)
class SublayerParts:
    """The vectors whose sum is the output of an attention with its residual connection.

    result_i = Σ_j tokens_ij + residual_i + bias_i. With post-norm each vector went through the
    norm, frozen.
    """

    kind: Kind
    weights: Array  # (H, T, S) α^h_ij
    values: Array  # (H, S, d_model) f^h(x_j), not normed
    norm: FrozenNorm  # the norm after the residual connection
    tokens: Array  # (T, S, d_model) T_ij, the vector from each token: Σ_h α^h_ij f^h(x_j)
    residual: Array  # (T, d_model) the stream before the sublayer
    bias: Array  # (T, d_model) b_O, and with post-norm β of the norm
    result: Array  # (T, d_model) the stream after the sublayer


@dataclass(frozen=True)
class Contributions:
    """Shares of the output of one sublayer. Each row of ``tokens`` plus ``residual`` sums to 1."""

    # (T, S) share of each token; in self-attention the residual counts as part of the token itself
    tokens: Array
    residual: Array  # (T,) share of the stream before the sublayer; 0 in self-attention
    total: Array  # (T,) Σ_j c_ij before the division, in the l1 norm; 1 where it was 0


class AltiPlus(NamedTuple):
    """Source and target shares of each decoder position. They sum to 1 at each position."""

    source: Array  # (layers, T, S) share of each source token, up to each layer
    target: Array  # (layers, T, T) share of each token that the decoder reads, up to each layer


def take_apart(model: AttentionModel, trace: Trace, kind: Kind, layer: int) -> SublayerParts:
    """Decompose the output of an attention with its residual connection into vectors.

    This is the expensive step, (T, S, d_model) numbers: take an attention apart once and hand the
    parts to ``contributions`` and ``head_contributions``.

    Args:
        model: the Transformer that made the trace.
        trace: of one sentence.
        kind: which attention.
        layer: from 0.
    """
    stack: Stack = "encoder" if kind == "encoder_self" else "decoder"
    _, name = attention_path(kind)
    block = getattr(model, stack).blocks[layer]
    [step] = [s for s in additions(trace, stack) if (s.layer, s.sublayer) == (layer, name)]
    norm = FrozenNorm.after(getattr(block, f"{name}_residual"), step)

    values = transformed_values(model, trace, kind, layer)  # (H, S, d_model)
    weights = trace.records[f"{attention_name(kind, layer)}.weights"]  # (H, T, S)
    tokens = np.einsum("hts,hsd->tsd", weights, values, optimize=True)  # (T, S, d_model)
    b_o = getattr(block, f"{name}_attention").w_o.bias.detach().cpu().numpy()  # (d_model,)
    bias = np.broadcast_to(b_o, step.before.shape)  # (T, d_model)

    return SublayerParts(
        kind=kind,
        weights=weights,
        values=values,
        norm=norm,
        tokens=norm.apply(tokens),
        residual=norm.apply(step.before[:, None])[:, 0],
        bias=norm.apply(bias[:, None])[:, 0] + norm.beta,
        result=step.after,
    )


def contributions(parts: SublayerParts) -> Contributions:
    """Return the share of each token, and of the residual stream before the sublayer.

    If no vector lowers the norm when it is taken away, the residual connection gets the whole
    share.
    """
    tokens = parts.tokens  # (T, S, d_model)
    residual = _losses(parts.residual[:, None], parts.result)[:, 0]  # (T,)
    if parts.kind != "cross":  # the stream before the sublayer belongs to the token itself
        tokens = tokens.copy()  # (T, T, d_model)
        tokens[np.diag_indices(len(tokens))] += parts.residual
        residual = np.zeros_like(residual)
    losses = _losses(tokens, parts.result)  # (T, S)
    total = losses.sum(axis=-1) + residual  # (T,)

    is_zero = total == 0
    if parts.kind == "cross":
        residual[is_zero] = 1
    else:
        losses[is_zero, is_zero.nonzero()[0]] = 1  # the token itself, which holds the residual
    total[is_zero] = 1

    return Contributions(losses / total[:, None], residual / total, total)


def head_contributions(parts: SublayerParts, layer: Contributions) -> Array:
    """Return the share of each token through each head: (H, T, S).

    Args:
        parts: of one attention.
        layer: ``contributions`` of these parts. The shares of the heads refer to the same total.
            Their sum need not be the share of the layer, because the vectors of two heads may
            cancel each other out.
    """
    losses = []
    for weights, values in zip(parts.weights, parts.values, strict=True):
        head = parts.norm.apply(weights[..., None] * values)  # (T, S, d_model)
        losses.append(_losses(head, parts.result))  # (T, S)
    return np.stack(losses) / layer.total[:, None]


def layer_contributions(model: AttentionModel, trace: Trace, kind: Kind) -> list[Contributions]:
    """Return the contributions of one kind of attention, layer by layer.

    Args:
        model: the Transformer that made the trace.
        trace: of one sentence.
        kind: which attention.
    """
    layers = range(model.config.n_layers)
    return [contributions(take_apart(model, trace, kind, layer)) for layer in layers]


def all_contributions(model: AttentionModel, trace: Trace) -> dict[Kind, list[Contributions]]:
    """Return the contributions of all three kinds of attention, layer by layer."""
    return {kind: layer_contributions(model, trace, kind) for kind in KINDS}


def alti(encoder_self: Sequence[Contributions]) -> Array:
    """Return ALTI: the share of each source token in each encoder position.

    Args:
        encoder_self: the contributions in each layer of the encoder.

    Returns:
        (layers, S, S) float64: for each position (row) after each layer, the share of each source
        token (column). Rows sum to 1.
    """
    reached = np.eye(len(encoder_self[0].tokens))  # (S, S)
    layers = []
    for layer in encoder_self:
        reached = layer.tokens @ reached
        layers.append(reached)
    return np.stack(layers)


def alti_plus(by_kind: Mapping[Kind, Sequence[Contributions]]) -> AltiPlus:
    """Return ALTI+: the share of each source and target token in each decoder position.

    Feed-forward networks and norms move nothing from one position to another, so they are left out.

    Args:
        by_kind: from ``all_contributions``.
    """
    encoder = alti(by_kind["encoder_self"])[-1]  # (S, S)
    n_tgt = len(by_kind["decoder_self"][0].tokens)
    source = np.zeros((n_tgt, len(encoder)))  # (T, S)
    target = np.eye(n_tgt)  # (T, T)
    sources = []
    targets = []
    for decoder_self, cross in zip(by_kind["decoder_self"], by_kind["cross"], strict=True):
        mixed = cross.residual[:, None] * decoder_self.tokens  # (T, T)
        source = mixed @ source + cross.tokens @ encoder
        target = mixed @ target
        sources.append(source)
        targets.append(target)
    return AltiPlus(np.stack(sources), np.stack(targets))


def from_source(model: AttentionModel, trace: Trace) -> list[float]:
    """Return the source share of each of T target tokens, by ALTI+.

    The rest comes from the target tokens before it. Source: Ferrando et al. 2022b, section 5.
    """
    return alti_plus(all_contributions(model, trace)).source[-1].sum(axis=-1).tolist()


def _losses(parts: Array, result: Array) -> Array:
    """Return max(0, ‖y‖₁ - ‖y - part‖₁): how much of its l1 norm y loses without each part.

    In float64: the part of a head that adds little is the difference of two much larger sums. In
    float32 the order of their terms would decide which token comes first.

    Args:
        parts: (T, K, d_model), K parts of each position.
        result: (T, d_model).

    Returns:
        (T, K) float64.
    """
    y = result[:, None].astype(np.float64)  # (T, 1, d_model)
    return np.maximum(0, np.abs(y).sum(axis=-1) - np.abs(y - parts).sum(axis=-1))
