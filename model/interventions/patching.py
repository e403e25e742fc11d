"""Activation patching: what carries the difference between two sentences into a word?

The second sentence is read again with one activation from the first, at a time: the output of a
head, the residual stream behind a layer at one token, what a feed-forward network adds there. How
far does the first sentence's word win back over the second's?

Source: Vig et al. 2020, "Investigating Gender Bias in Language Models Using Causal Mediation
Analysis"; Meng et al. 2022, "Locating and Editing Factual Associations in GPT", section 2; Zhang &
Nanda 2024, "Towards Best Practices of Activation Patching", section 2 (the normalised difference).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import torch
from torch import Tensor

from model.arrays import Array
from model.interventions.contrast import Contrast, n_shared
from model.nn.hooks import Hooks, Patch
from model.trace.residual_stream import STACKS
from model.trace.transformer import Trace
from model.transformer.heads import KINDS, attention_name
from model.transformer.masks import no_mask
from model.transformer.transformer import Transformer

What = Literal["heads", "stream", "feed_forward"]


class SameTranslationError(ValueError):
    """Two sentences that are translated alike."""

    def __init__(self) -> None:
        super().__init__("Both sentences are translated alike: take two that are not.")


@dataclass(frozen=True)
class Pair:
    """Two sentences, and where their translations part."""

    first: Tensor  # (1, R) ids
    second: Tensor  # (1, S) ids
    # (S,) int64: for each token of the second the one of the first that stands there, counted from
    # the beginning or from the end; -1 where the sentences differ and are not of one length
    same_place: Tensor
    prefix: Tensor  # (1, T) ids that both translations begin with, BOS first
    word: int  # the id that follows in the first one
    rival: int  # and in the second

    @classmethod
    def of(cls, first: Trace, second: Trace) -> Self:
        """Of their traces; SameTranslationError where the translations do not part."""
        shared = n_shared(first.tgt_ids, second.tgt_ids)
        if shared == min(len(first.tgt_ids), len(second.tgt_ids)):
            raise SameTranslationError
        one, other = ([token.id for token in trace.src] for trace in (first, second))
        same = torch.arange(len(other))
        if len(one) != len(other):
            left, right = n_shared(one, other), n_shared(one[::-1], other[::-1])
            same[left : len(other) - right] = -1
            same[len(other) - right :] += len(one) - len(other)
        return cls(
            first=torch.tensor([one]),
            second=torch.tensor([other]),
            same_place=same,
            prefix=torch.tensor([first.tgt_ids[:shared]]),
            word=first.tgt_ids[shared],
            rival=second.tgt_ids[shared],
        )


@torch.inference_mode()
def patch_each(model: Transformer, pair: Pair) -> Iterator[tuple[What, str, Array]]:
    """Patch everything once, a layer of one kind at a time, the heads first.

    What, of which attention or stack, and for each of its H heads, or its tokens, how far the word
    wins back: (n,), 0 as in the second sentence, 1 as in the first; NaN for a token without one.
    """
    records: dict[str, Tensor] = {}
    own, mask = (no_mask(1, ids.shape[1]) for ids in (pair.first, pair.second))
    behind = Contrast(pair.prefix.shape[1] - 1, pair.word, pair.rival, shared=0)
    of_first = behind.difference(model(pair.first, pair.prefix, own, hooks=Hooks(records)))
    of_second = behind.difference(model(pair.second, pair.prefix, mask))

    def turned(name: str, axis: int, tokens: int) -> Array:
        """Patch each place of an axis once; on the axis of tokens those at the same place."""
        value, same = records[name], pair.same_place
        if name.startswith("encoder"):
            value = value.index_select(tokens, same.clamp(min=0))
        else:
            same = torch.arange(pair.prefix.shape[1])
        size = value.shape[axis]
        where = torch.eye(size, dtype=torch.bool).view(size, *_shape(value, axis, size))
        where = where & (same >= 0).view(1, *_shape(value, tokens, len(same)))
        hooks = Hooks(patches={name: Patch(value, where)})
        sources, prefix = (ids.expand(size, -1) for ids in (pair.second, pair.prefix))
        after = behind.difference(model(sources, prefix, mask, hooks=hooks))
        share: Array = ((after - of_second) / (of_first - of_second)).numpy().copy()
        if axis == tokens:
            share[(same < 0).numpy()] = np.nan
        return share

    layers = range(model.config.n_layers)
    for kind in KINDS:
        for layer in layers:
            yield "heads", kind, turned(f"{attention_name(kind, layer)}.head_out", 1, tokens=2)
    for stack in STACKS:
        for layer in layers:
            yield "stream", stack, turned(f"{stack}.{layer}.resid_post", 1, tokens=1)
            yield "feed_forward", stack, turned(f"{stack}.{layer}.ffn.ffn_out", 1, tokens=1)


def _shape(tensor: Tensor, axis: int, size: int) -> list[int]:
    """Of what has one axis of a tensor and broadcasts along the others but B."""
    return [size if n == axis else 1 for n in range(1, tensor.dim())]


def n_patches(model: Transformer) -> int:
    """How many parts ``patch_each`` yields."""
    return (len(KINDS) + 2 * len(STACKS)) * model.config.n_layers
