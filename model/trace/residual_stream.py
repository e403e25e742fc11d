"""The residual stream of one sentence: what every sublayer found there and what it added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from model.arrays import Array
from model.tokenizers.tokenizer import SPECIALS
from model.trace.transformer import Trace

Stack = Literal["encoder", "decoder"]
STACKS: tuple[Stack, ...] = get_args(Stack)
Sublayer = Literal["self", "cross", "ffn"]

# Records of the stream before each sublayer, of what the sublayer adds, and of the stream after it.
SUBLAYERS: dict[Stack, dict[Sublayer, tuple[str, str, str]]] = {
    "encoder": {
        "self": ("resid_pre", "self.attn_out", "resid_mid"),
        "ffn": ("resid_mid", "ffn.ffn_out", "resid_post"),
    },
    "decoder": {
        "self": ("resid_pre", "self.attn_out", "resid_mid"),
        "cross": ("resid_mid", "cross.attn_out", "resid_cross"),
        "ffn": ("resid_cross", "ffn.ffn_out", "resid_post"),
    },
}


@dataclass(frozen=True)
class Addition:
    """One sublayer's step along the stream."""

    layer: int  # from 0
    sublayer: Sublayer  # self-attention, cross-attention or feed-forward
    before: Array  # (T, d_model) the stream as it comes
    added: Array  # (T, d_model) what the sublayer gives
    # (T, d_model) the stream as it goes on: before + added with pre-norm, norm(before + added) with
    # post-norm
    after: Array

    def at(self, row: int) -> Addition:
        """Of one token alone: T is 1."""
        own = (x[row : row + 1] for x in (self.before, self.added, self.after))
        return Addition(self.layer, self.sublayer, *own)

    @property
    def share(self) -> Array:
        """(T,) ‖added‖ / ‖before‖."""
        return norms(self.added) / norms(self.before)

    @property
    def cosine(self) -> Array:
        """(T,) between what is added and the stream: 1 along it, 0 at right angles, -1 against."""
        return cosines(self.added, self.before)

    @property
    def remainder(self) -> float:
        """Largest |after - (before + added)|: rounding with pre-norm, the norm with post-norm."""
        return float(np.abs(self.after - (self.before + self.added)).max())


def stack_tokens(trace: Trace, stack: Stack) -> tuple[str, ...]:
    """The T tokens that a stack reads."""
    return trace.src_tokens if stack == "encoder" else trace.tgt_tokens


def norms(x: Array) -> Array:
    """(T, d_model) -> (T,) Euclidean norms."""
    return np.linalg.norm(x, axis=-1)


def cosines(first: Array, second: Array) -> Array:
    """The cosine of each row with the same row of the other: (T, d_model) twice -> (T,)."""
    return (first * second).sum(axis=-1) / (norms(first) * norms(second))


def additions(trace: Trace, stack: Stack) -> tuple[Addition, ...]:
    """Every sublayer of one stack in the order in which it runs.

    Source: Vaswani et al. 2017, section 3.1; "residual stream": Elhage et al. 2021.
    """
    return tuple(
        Addition(layer, sublayer, *(trace.records[f"{stack}.{layer}.{name}"] for name in names))
        for layer in range(trace.n_layers)
        for sublayer, names in SUBLAYERS[stack].items()
    )


N_COMPONENTS = 3


class PrincipalComponents(NamedTuple):
    """Where the tokens of one sentence are, from their embedding to the last layer."""

    tokens: tuple[str, ...]  # T of them
    places: Array  # (layers + 1, T, 3), before the first layer and after each one
    shares: Array  # (3,) share of the variance of all these vectors along each component


def principal_components(
    trace: Trace, stack: Stack, *, special: bool = True
) -> PrincipalComponents:
    """Look at the stream of one stack, all its layers and tokens together, where it varies most.

    A component may point either way; here the loading that is largest in size is positive. One
    that the vectors do not fill is 0, with a share of 0. Without ``special``, special tokens are
    left out, unless there are no others.

    Source: Pearson 1901, "On Lines and Planes of Closest Fit to Systems of Points in Space".
    """
    after = [trace.records[f"{stack}.{layer}.resid_post"] for layer in range(trace.n_layers)]
    stream = np.stack([trace.records[f"{stack}.0.resid_pre"], *after])
    tokens = stack_tokens(trace, stack)
    plain = [n for n, token in enumerate(tokens) if token not in SPECIALS]
    if plain and not special:
        tokens, stream = tuple(tokens[n] for n in plain), stream[:, plain]
    x = stream.reshape(-1, stream.shape[-1]).astype(np.float64)  # ((layers + 1) T, d_model)
    x -= x.mean(axis=0)
    _, deviations, components = np.linalg.svd(x, full_matrices=False)
    variance = deviations**2
    largest = np.abs(components).argmax(axis=1)
    signs = np.sign(components[np.arange(len(components)), largest])
    found = x @ (components * signs[:, None])[:N_COMPONENTS].T  # ((layers + 1) T, up to 3)
    shares = (variance / (variance.sum() or 1))[:N_COMPONENTS]
    missing = N_COMPONENTS - len(shares)
    places = np.pad(found, ((0, 0), (0, missing))).reshape(*stream.shape[:2], N_COMPONENTS)
    return PrincipalComponents(
        tokens, places.astype(np.float32), np.pad(shares, (0, missing)).astype(np.float32)
    )
