"""The residual stream of one sentence: what every sublayer found there and what it added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from model.trace.base import Array
from model.trace.transformer import Trace

Stack = Literal["encoder", "decoder"]
STACKS: tuple[Stack, ...] = get_args(Stack)
Sublayer = Literal["self", "cross", "ffn"]

# Where the stream is written down before and after each sublayer, and under which name it adds.
_ENCODER: dict[Sublayer, tuple[str, str, str]] = {
    "self": ("resid_pre", "self.attn_out", "resid_mid"),
    "ffn": ("resid_mid", "ffn.ffn_out", "resid_post"),
}
_DECODER: dict[Sublayer, tuple[str, str, str]] = {
    "self": ("resid_pre", "self.attn_out", "resid_mid"),
    "cross": ("resid_mid", "cross.attn_out", "resid_cross"),
    "ffn": ("resid_cross", "ffn.ffn_out", "resid_post"),
}


@dataclass(frozen=True)
class Addition:
    """One sublayer's step along the stream.

    Args:
        layer: from 0.
        sublayer: self-attention, cross-attention or feed-forward.
        before: (T, d_model) the stream as it comes.
        added: (T, d_model) what the sublayer gives.
        after: (T, d_model) the stream as it goes on: ``before + added`` with pre-norm,
            ``norm(before + added)`` with post-norm.
    """

    layer: int
    sublayer: Sublayer
    before: Array
    added: Array
    after: Array

    @property
    def share(self) -> Array:
        """(T,) ‖added‖ / ‖before‖."""
        share: Array = norms(self.added) / norms(self.before)
        return share

    @property
    def cosine(self) -> Array:
        """(T,) between what is added and the stream: 1 along it, 0 at right angles, -1 against."""
        dot = (self.added * self.before).sum(axis=-1)
        cosine: Array = dot / (norms(self.added) * norms(self.before))
        return cosine

    @property
    def remainder(self) -> float:
        """Largest |after - (before + added)|: rounding with pre-norm, the norm with post-norm."""
        return float(np.abs(self.after - (self.before + self.added)).max())


def stack_tokens(trace: Trace, stack: Stack) -> tuple[str, ...]:
    """The T tokens that a stack reads."""
    return trace.src_tokens if stack == "encoder" else trace.tgt_tokens


def norms(x: Array) -> Array:
    """(T, d_model) -> (T,) Euclidean norms."""
    lengths: Array = np.linalg.norm(x, axis=-1)
    return lengths


def additions(trace: Trace, stack: Stack) -> tuple[Addition, ...]:
    """Every sublayer of one stack in the order in which it runs.

    Args:
        trace: of one sentence.
        stack: ``"encoder"`` (T is the source) or ``"decoder"`` (T is the target).

    Source: Vaswani et al. 2017, section 3.1; "residual stream": Elhage et al. 2021.
    """
    records = trace.records
    names = _ENCODER if stack == "encoder" else _DECODER
    return tuple(
        Addition(layer, sublayer, *(records[f"{stack}.{layer}.{name}"] for name in places))
        for layer in range(trace.n_layers)
        for sublayer, places in names.items()
    )
