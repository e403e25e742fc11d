"""The residual stream of one sentence: the input and the output of each sublayer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from model.arrays import Array
from model.trace.transformer import Trace

Stack = Literal["encoder", "decoder"]
STACKS: tuple[Stack, ...] = get_args(Stack)
Sublayer = Literal["self", "cross", "ffn"]

# The names of three records for each sublayer: the stream before it, its output, and the stream
# after it.
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
    """The vector that one sublayer adds to the residual stream at each of T tokens."""

    layer: int  # from 0
    sublayer: Sublayer  # self-attention, cross-attention or feed-forward
    before: Array  # (T, d_model) the stream before the sublayer
    added: Array  # (T, d_model) the output of the sublayer
    # (T, d_model) the stream after the sublayer: before + added with pre-norm, norm(before + added)
    # with post-norm
    after: Array

    def at(self, row: int) -> Addition:
        """Return the addition at one token, counted from 0; T becomes 1."""
        return Addition(
            layer=self.layer,
            sublayer=self.sublayer,
            before=self.before[row : row + 1],
            added=self.added[row : row + 1],
            after=self.after[row : row + 1],
        )

    @property
    def share(self) -> Array:
        """The ratio ‖added‖ / ‖before‖ at each token, (T,)."""
        return norms(self.added) / norms(self.before)

    @property
    def cosine(self) -> Array:
        """The cosine of ``added`` and ``before``, (T,): 1 parallel, 0 orthogonal, -1 opposite."""
        return cosines(self.added, self.before)

    @property
    def remainder(self) -> float:
        """The largest element of |after - (before + added)|.

        With pre-norm it is a rounding error, with post-norm the effect of the norm.
        """
        return float(np.abs(self.after - (self.before + self.added)).max())


def stack_tokens(trace: Trace, stack: Stack) -> tuple[str, ...]:
    """Return the T tokens that the encoder or the decoder reads."""
    return trace.src_tokens if stack == "encoder" else trace.tgt_tokens


def norms(x: Array) -> Array:
    """Return the Euclidean norm of each row: (T, d_model) -> (T,)."""
    return np.linalg.norm(x, axis=-1)


def cosines(first: Array, second: Array) -> Array:
    """Return the cosine between rows with equal index, of two (T, d_model) arrays: (T,)."""
    return (first * second).sum(axis=-1) / (norms(first) * norms(second))


def additions(trace: Trace, stack: Stack) -> tuple[Addition, ...]:
    """Return the addition of every sublayer of one stack, in the order of computation.

    Source: Vaswani et al. 2017, section 3.1; "residual stream": Elhage et al. 2021.
    """
    steps = []
    for layer in range(trace.n_layers):
        path = f"{stack}.{layer}"
        for sublayer, (before, added, after) in SUBLAYERS[stack].items():
            steps.append(
                Addition(
                    layer=layer,
                    sublayer=sublayer,
                    before=trace.records[f"{path}.{before}"],
                    added=trace.records[f"{path}.{added}"],
                    after=trace.records[f"{path}.{after}"],
                )
            )
    return tuple(steps)


N_COMPONENTS = 3  # the dimensions of a 3D picture


class PrincipalComponents(NamedTuple):
    """The tokens of one sentence in three dimensions, from their embedding to the last layer."""

    tokens: tuple[str, ...]  # T tokens
    coordinates: Array  # (layers + 1, T, 3), before the first layer and after each layer
    shares: Array  # (3,) share of the variance of all these vectors along each component


def principal_components(
    trace: Trace, stack: Stack, *, leave_out: Callable[[str], bool] = lambda _: False
) -> PrincipalComponents:
    """Project the stream of one stack onto its first three principal components.

    All layers and tokens are projected onto the same directions. The sign of a component is
    arbitrary: here the loading that is largest in size is positive. If the vectors vary in fewer
    than three directions, the missing coordinates and shares are 0.

    Args:
        trace: of one sentence pair.
        stack: ``"encoder"`` or ``"decoder"``.
        leave_out: says whether a token is left out, such as a special token. If no token would
            remain, none is left out. The vectors of special tokens and punctuation are often so far
            from those of the words that nothing else is seen.

    Returns:
        Float32 coordinates of each token before the first layer and after each layer.

    Source: Pearson 1901, "On Lines and Planes of Closest Fit to Systems of Points in Space".
    """
    # 1. Collect the stream: (layers + 1, T, d_model)
    after = [trace.records[f"{stack}.{layer}.resid_post"] for layer in range(trace.n_layers)]
    stream = np.stack([trace.records[f"{stack}.0.resid_pre"], *after])
    tokens = stack_tokens(trace, stack)
    remaining = [n for n, token in enumerate(tokens) if not leave_out(token)]
    if remaining:
        tokens = tuple(tokens[n] for n in remaining)
        stream = stream[:, remaining]

    # 2. Find the principal directions of all vectors
    x = stream.reshape(-1, stream.shape[-1]).astype(np.float64)  # ((layers + 1) T, d_model)
    x -= x.mean(axis=0)
    _, deviations, components = np.linalg.svd(x, full_matrices=False)
    variance = deviations**2

    # 3. Fix the sign of each direction
    largest = np.abs(components).argmax(axis=1)
    signs = np.sign(components[np.arange(len(components)), largest])
    components = components * signs[:, None]

    # 4. Project onto the first three directions. If there are fewer, add zeros
    projected = x @ components[:N_COMPONENTS].T  # ((layers + 1) T, up to 3)
    shares = (variance / (variance.sum() or 1))[:N_COMPONENTS]
    n_missing = N_COMPONENTS - len(shares)
    coordinates = np.pad(projected, ((0, 0), (0, n_missing)))  # ((layers + 1) T, 3)
    coordinates = coordinates.reshape(*stream.shape[:2], N_COMPONENTS)  # (layers + 1, T, 3)
    return PrincipalComponents(
        tokens,
        coordinates.astype(np.float32),
        np.pad(shares, (0, n_missing)).astype(np.float32),
    )
