"""Does the encoder notice the order of the words? Two orders of the same tokens, compared."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from model.trace.base import read_sentence
from model.transformer.masks import padding_mask

if TYPE_CHECKING:
    from model.translation_model import TranslationModel


class ReorderError(ValueError):
    """Two sentences that are not made of the same tokens."""


@dataclass(frozen=True)
class OrderExperiment:
    """What the encoder makes of two orders of the same tokens.

    Args:
        first: S visible tokens of one sentence, BOS ... EOS.
        second: S tokens of the other.
        distance: (S, S) float64; cell i, j is the largest difference, over all d_model
            numbers, between the encoder's outputs for token i of the first sentence and token j
            of the second.
        largest: the largest difference once the second sentence is put back in the first's order.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    distance: Tensor
    largest: float


def compare_orders(
    translation_model: TranslationModel, first: str, second: str, *, positions: bool
) -> OrderExperiment:
    """Encode both sentences, with or without positions, and undo the permutation.

    In float64, on a copy of the encoder, so that what is left of a difference is no rounding.

    Args:
        translation_model: stays as it is; other threads use it.
        first: a sentence.
        second: the same words in another order.
        positions: whether PE(position) is added to the embeddings.

    Raises:
        InputError: a sentence is empty or too long.
        ReorderError: the second sentence is not a permutation of the first one's tokens.

    Source: Vaswani et al. 2017, section 3.5, "since our model contains no recurrence and no
    convolution".
    """
    model, tokenizer = translation_model.model, translation_model.tokenizer
    sentences = [read_sentence(model, tokenizer, text) for text in (first, second)]
    ids, other_ids = ([token.id for token in tokens] for tokens in sentences)
    order = permutation(other_ids, ids)
    encoder, embedding = deepcopy(model.encoder).double(), model.src_embedding

    @torch.inference_mode()
    def encode(ids: list[int]) -> Tensor:
        src = torch.tensor([ids])  # (1, S)
        x = embedding.tokens(src).double() * embedding.scale  # (1, S, d_model)
        if positions:
            x = x + embedding.positions[: len(ids)].double()  # (1, S, d_model)
        memory: Tensor = encoder(x, padding_mask(src, tokenizer.pad_id))[0]
        return memory  # (S, d_model)

    memory, other = encode(ids), encode(other_ids)
    texts = [tuple(token.text for token in tokens) for tokens in sentences]
    return OrderExperiment(
        first=texts[0],
        second=texts[1],
        distance=torch.cdist(memory, other, p=torch.inf),  # (S, S)
        largest=float((memory - other[order]).abs().max()),
    )


def permutation(ids: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """The order in which ``ids`` read like ``wanted``; equal tokens keep their turn.

    Raises:
        ReorderError: they do not hold the same tokens equally often.

    >>> permutation([7, 8, 9], [9, 7, 8])
    [2, 0, 1]
    """
    if sorted(ids) != sorted(wanted):
        raise ReorderError(f"{list(ids)} is not a permutation of {list(wanted)}")
    order, positions = [0] * len(ids), range(len(ids))
    by_id = sorted(positions, key=lambda position: ids[position])
    wanted_by_id = sorted(positions, key=lambda position: wanted[position])
    for place, position in zip(wanted_by_id, by_id, strict=True):
        order[place] = position
    return order
