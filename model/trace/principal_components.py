"""The residual stream in three dimensions: its first three principal components."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from model.data.tokenizer import SPECIALS
from model.trace.base import Array
from model.trace.residual_stream import Stack, additions, stack_tokens
from model.trace.transformer import Trace

N_COMPONENTS = 3


@dataclass(frozen=True)
class PrincipalComponents:
    """Where the tokens of one sentence are, from their embedding to the last layer.

    Args:
        tokens: T of them.
        places: (layers + 1, T, 3), before the first layer and after each one.
        shares: (3,) share of the variance of all these vectors along each component.
    """

    tokens: tuple[str, ...]
    places: Array
    shares: Array


def principal_components(
    trace: Trace, stack: Stack, *, special: bool = True
) -> PrincipalComponents:
    """Look at the stream of one stack, all its layers and tokens together, where it varies most.

    A component may point either way; here the loading that is largest in size is positive. One
    that the vectors do not fill is 0, with a share of 0.

    Args:
        trace: of one sentence.
        stack: ``"encoder"`` (T is the source) or ``"decoder"`` (T is the target).
        special: False leaves special tokens out, unless there are no others.

    Source: Pearson 1901, "On Lines and Planes of Closest Fit to Systems of Points in Space".
    """
    steps = additions(trace, stack)
    per_layer = len(steps) // trace.n_layers
    last_of_layers = steps[per_layer - 1 :: per_layer]
    stream = np.stack([steps[0].before, *(step.after for step in last_of_layers)])
    tokens = stack_tokens(trace, stack)
    plain = [place for place, token in enumerate(tokens) if token not in SPECIALS]
    if plain and not special:
        tokens, stream = tuple(tokens[place] for place in plain), stream[:, plain]
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
