"""Activation patching: find the activations that carry the difference between two sentences.

Context: two sentences have translations that begin alike and then differ, in a word and its rival.
The second sentence is read again and again. Each time one activation is replaced by that of the
first sentence: the output of a head, the residual stream after a layer at one token, or what a
feed-forward network adds there.

Intuition: if the model now prefers the word of the first sentence, the patched activation carries
what makes the difference. The score is 0 if the rival is as far ahead as in the second sentence
without a patch, and 1 if the word is as far ahead as in the first sentence.

    score = (d_patched - d_second) / (d_first - d_second)    with d = log p(word) - log p(rival)

Source: Vig et al. 2020, "Investigating Gender Bias in Language Models Using Causal Mediation
Analysis"; Meng et al. 2022, "Locating and Editing Factual Associations in GPT", section 2; Zhang &
Nanda 2024, "Towards Best Practices of Activation Patching", section 2 (the normalised difference).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import torch
from torch import Tensor

from model.arrays import Array
from model.interventions.contrast import Contrast, n_shared
from model.nn.attention_model import AttentionModel
from model.nn.hooks import Hooks, Patch
from model.trace.residual_stream import STACKS
from model.trace.transformer import Trace
from model.transformer.heads import KINDS, attention_name
from model.transformer.masks import no_mask

Activation = Literal["heads", "stream", "feed_forward"]

# Axes of the records; the first axis is the batch.
_HEAD_AXIS = 1  # of head_out, (1, H, T, d_head)
_TOKEN_AXIS_OF_HEADS = 2  # of head_out, too
_TOKEN_AXIS = 1  # of the residual stream, (1, T, d_model)


class SameTranslationError(ValueError):
    """The error for two sentences with identical translations."""

    def __init__(self) -> None:
        super().__init__("Both sentences are translated alike: take two that are not.")


@dataclass(frozen=True)
class Pair:
    """Two sentences, and the first step at which their translations differ."""

    first: Tensor  # (1, R) ids
    second: Tensor  # (1, S) ids
    # (S,) int64: for each token of the second sentence, its position in the first sentence.
    # Positions before the difference are counted from the beginning, positions after it from the
    # end. Tokens inside a difference of unequal length have -1
    same_position: Tensor
    prefix: Tensor  # (1, T) ids that both translations begin with, BOS first
    word: int  # the id that follows in the first translation
    rival: int  # the id that follows in the second one

    @classmethod
    def of(cls, first: Trace, second: Trace) -> Self:
        """Find where two translations part, and match the positions of the two sentences.

        Positions are matched by counting tokens, also where the tokens differ: see
        ``same_position``.

        Args:
            first: the trace of the sentence whose activations are copied.
            second: the trace of the sentence that receives them.

        Raises:
            SameTranslationError: one translation is the beginning of the other.
        """
        shared = n_shared(first.tgt_ids, second.tgt_ids)
        if shared == min(len(first.tgt_ids), len(second.tgt_ids)):
            raise SameTranslationError
        first_ids = [token.id for token in first.src]
        second_ids = [token.id for token in second.src]
        return cls(
            first=torch.tensor([first_ids], device="cpu"),
            second=torch.tensor([second_ids], device="cpu"),
            same_position=_same_position(first_ids, second_ids),
            prefix=torch.tensor([first.tgt_ids[:shared]], device="cpu"),
            word=first.tgt_ids[shared],
            rival=second.tgt_ids[shared],
        )


def _same_position(first: list[int], second: list[int]) -> Tensor:
    """Return ``Pair.same_position`` of the ids of two sentences."""
    same = torch.arange(len(second), device="cpu")
    if len(first) != len(second):
        n_left = n_shared(first, second)
        n_right = n_shared(first[::-1], second[::-1])
        right = len(second) - n_right
        same[n_left:right] = -1
        same[right:] += len(first) - len(second)
    return same


@torch.inference_mode()
def patch_each(model: AttentionModel, pair: Pair) -> Iterator[tuple[Activation, str, Array]]:
    """Patch every activation once, layer by layer; the heads of all layers come first.

    Args:
        model: in eval mode.
        pair: the sentences.

    Yields:
        The kind of activation, the attention or stack, and (n,) scores: one for each of the H heads
        of a layer, or for each token. A score is NaN for a token that has no ``same_position``.
    """
    # 1. Run the model on both sentences without patches.
    device = model.device
    first = pair.first.to(device)  # (1, R)
    second = pair.second.to(device)  # (1, S)
    prefix = pair.prefix.to(device)  # (1, T)
    first_mask = no_mask(1, first.shape[1], device=device)
    second_mask = no_mask(1, second.shape[1], device=device)
    last_step = prefix.shape[1] - 1
    contrast = Contrast(step=last_step, word=pair.word, rival=pair.rival, shared=0)
    records: dict[str, Tensor] = {}  # of the first sentence
    first_logits = model(first, prefix, first_mask, hooks=Hooks(records))
    d_first = contrast.difference(first_logits)  # (1,)
    d_second = contrast.difference(model(second, prefix, second_mask))  # (1,)

    def scores(name: str, axis: int, token_axis: int) -> Array:
        """Patch each index along one axis of a record.

        Args:
            name: of the record.
            axis: its n indices are patched one after another.
            token_axis: the axis of the record that counts tokens.

        Returns:
            (n,) scores.
        """
        value = records[name]
        if name.startswith("encoder"):
            same = pair.same_position.to(device)  # (S,)
            value = value.index_select(token_axis, same.clamp(min=0))
        else:
            same = torch.arange(prefix.shape[1], device=device)  # (T,)
        n = value.shape[axis]
        is_patched = torch.eye(n, dtype=torch.bool, device=device)
        is_patched = is_patched.view(n, *_broadcast_shape(value, axis))
        has_value = (same >= 0).view(1, *_broadcast_shape(value, token_axis))
        hooks = Hooks(patches={name: Patch(value, is_patched & has_value)})
        sources = second.expand(n, -1)  # (n, S)
        prefixes = prefix.expand(n, -1)  # (n, T)
        d_patched = contrast.difference(model(sources, prefixes, second_mask, hooks=hooks))  # (n,)
        result: Array = ((d_patched - d_second) / (d_first - d_second)).cpu().numpy().copy()
        if axis == token_axis:
            result[(same < 0).cpu().numpy()] = np.nan
        return result

    # 2. Patch the heads of every attention.
    layers = range(model.config.n_layers)
    for kind in KINDS:
        for layer in layers:
            name = f"{attention_name(kind, layer)}.head_out"
            yield "heads", kind, scores(name, _HEAD_AXIS, _TOKEN_AXIS_OF_HEADS)

    # 3. Patch the residual stream and the feed-forward networks, token by token.
    for stack in STACKS:
        for layer in layers:
            stream = f"{stack}.{layer}.resid_post"
            yield "stream", stack, scores(stream, _TOKEN_AXIS, _TOKEN_AXIS)
            feed_forward = f"{stack}.{layer}.ffn.ffn_out"
            yield "feed_forward", stack, scores(feed_forward, _TOKEN_AXIS, _TOKEN_AXIS)


def _broadcast_shape(tensor: Tensor, axis: int) -> list[int]:
    """Return the shape of a tensor without its batch axis; all axes except one have length 1."""
    return [tensor.shape[n] if n == axis else 1 for n in range(1, tensor.dim())]


@dataclass(frozen=True)
class PatchScores:
    """The scores of all patched activations. Layers and heads count from 0."""

    word: str  # the token that follows in the first translation
    rival: str  # the token that follows in the second one
    heads: Mapping[str, Array]  # of each attention, (layers, H)
    stream: Mapping[str, Array]  # after each layer of each stack, (layers, tokens)
    feed_forward: Mapping[str, Array]  # of each layer of each stack, (layers, tokens)


def patch_scores(model: AttentionModel, first: Trace, second: Trace) -> PatchScores:
    """Patch every activation of the first sentence into the second sentence.

    Args:
        model: the Transformer that made both traces.
        first: of the sentence whose activations are patched in.
        second: of the sentence that is read again; the translations begin alike and differ then.

    Raises:
        SameTranslationError: the translations do not differ.
    """
    pair = Pair.of(first, second)
    scores: dict[Activation, dict[str, list[Array]]] = {
        "heads": {},
        "stream": {},
        "feed_forward": {},
    }
    for activation, name, of_layer in patch_each(model, pair):
        scores[activation].setdefault(name, []).append(of_layer)
    step = pair.prefix.shape[1] - 1
    return PatchScores(
        word=first.next_tokens[step],
        rival=second.next_tokens[step],
        heads={name: np.stack(layers) for name, layers in scores["heads"].items()},
        stream={name: np.stack(layers) for name, layers in scores["stream"].items()},
        feed_forward={name: np.stack(layers) for name, layers in scores["feed_forward"].items()},
    )


def n_patches(model: AttentionModel) -> int:
    """Return the number of results that ``patch_each`` yields."""
    return (len(KINDS) + 2 * len(STACKS)) * model.config.n_layers
