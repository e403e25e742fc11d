"""Lesson: the waves of the positional encoding, and whether the order of the words arrives."""

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.trace.tracing import read_sentence
from model.transformer.masks import padding_mask
from model.transformer.positional import frequencies, positional_encoding
from model.translation_model import TranslationModel


def wave(positions: Tensor, dimension: int, d_model: int) -> Tensor:
    """One column of the encoding as the wave it is, between whole positions too.

    (N,) float64 -> (N,) float64; an even dimension is a sine, an odd one a cosine. At whole
    positions these are the numbers of ``positional_encoding``.
    """
    angle = positions * frequencies(d_model)[dimension // 2]
    return angle.cos() if dimension % 2 else angle.sin()


def wavelengths(d_model: int) -> Tensor:
    """2π / w_i: after how many positions wave i begins again, from 2π up to almost 10000 · 2π.

    (d_model / 2,) float64.

    Source: Vaswani et al. 2017, section 3.5.
    """
    return 2 * math.pi / frequencies(d_model)


def doubling_pairs(d_model: int, n: int) -> list[int]:
    """Waves of which each is, as nearly as there is one, twice as long as the one before.

    They are to positions what bits are to a binary number: indices i of at most n waves, the
    shortest first. Wave i is dimensions 2i (sine) and 2i+1 (cosine).

    >>> doubling_pairs(256, 4)
    [0, 10, 19, 29]
    """
    pairs_per_doubling = d_model / 2 / math.log2(10000)
    pairs = dict.fromkeys(round(bit * pairs_per_doubling) for bit in range(n))
    return [pair for pair in pairs if pair < d_model // 2]


def bits(n_positions: int, n_bits: int) -> Tensor:
    """The positions as binary numbers: (n_positions, n_bits) float64 of 0 and 1.

    >>> bits(4, 2).tolist()  # the lowest bit first
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    position = torch.arange(n_positions)[:, None]  # (n_positions, 1)
    return (position >> torch.arange(n_bits) & 1).double()  # (n_positions, n_bits)


def similarity(n_positions: int, d_model: int) -> Tensor:
    """PE · PEᵀ, the dot product of every two positions: (n_positions, n_positions) float64."""
    waves = positional_encoding(n_positions, d_model).double()  # (n_positions, d_model)
    return waves @ waves.T


def similarity_at(offsets: Tensor, d_model: int) -> Tensor:
    """PE(p) · PE(p + k) = Σ_i cos k w_i, in which p does not occur.

    (N,) the k, in positions -> (N,) float64; d_model / 2 at k = 0.
    """
    return (offsets[:, None] * frequencies(d_model)).cos().sum(dim=1)


def rotation(k: int, d_model: int) -> Tensor:
    """M_k with M_k · PE(p) = PE(p + k), the same for every position p.

    The pair of wave i, (sin p w_i, cos p w_i), is the tip of a clock's hand at the angle p w_i;
    k positions later, backwards where k is negative, it stands at (p + k) w_i. So M_k turns every
    pair on its own:

        [  cos k w_i   sin k w_i ]
        [ -sin k w_i   cos k w_i ]

    (d_model, d_model) float64, zero outside these blocks on the diagonal.

    Source: Vaswani et al. 2017, section 3.5, "PE(pos+k) can be represented as a linear function
    of PE(pos)".

    >>> (rotation(5, 4) @ rotation(-5, 4)).allclose(torch.eye(4, dtype=torch.float64))
    True
    """
    angle = k * frequencies(d_model)  # (d_model / 2,)
    cos, sin = angle.cos(), angle.sin()
    blocks = torch.stack((cos, sin, -sin, cos), dim=-1).view(-1, 2, 2)  # (d_model / 2, 2, 2)
    return torch.block_diag(*blocks)  # type: ignore[no-untyped-call]


def rotation_error(k: int, d_model: int, n_positions: int) -> float:
    """The largest number in M_k · PE(p) - PE(p + k), over the first ``n_positions`` p."""
    before = positional_encoding(n_positions, d_model).double()  # (n_positions, d_model)
    after = positional_encoding(n_positions, d_model, first=k).double()
    return float((before @ rotation(k, d_model).T - after).abs().max())


def chance_cosine(d_model: int) -> float:
    """The mean |cosine| of two directions that have nothing to do with each other.

    From more than ten dimensions on, for which the normal limit is good.

    >>> round(chance_cosine(256), 3)
    0.05
    """
    return math.sqrt(2 / (math.pi * d_model))


class ReorderError(ValueError):
    """Two sentences that are not made of the same tokens."""


@dataclass(frozen=True)
class OrderExperiment:
    """What the encoder makes of two orders of the same tokens."""

    first: tuple[str, ...]  # S tokens of one sentence, BOS ... EOS
    second: tuple[str, ...]  # S tokens of the other
    # (S, S) float64; cell i, j is the largest difference, over all d_model numbers, between the
    # encoder's outputs for token i of the first sentence and token j of the second
    distance: Tensor
    largest: float  # difference once the second sentence is put back in the first's order


def compare_orders(
    translation_model: TranslationModel, first: str, second: str, *, positions: bool
) -> OrderExperiment:
    """Encode two orders of the same words, with or without ``positions``; undo the permutation.

    In float64, on a copy of the encoder, so that what is left of a difference is no rounding, and
    other threads may use the model. InputError for a sentence as ``read_sentence``, ReorderError
    where the second is not a permutation of the first one's tokens.

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
        return encoder(x, padding_mask(src, tokenizer.pad_id))[0]  # (S, d_model)

    memory, other = encode(ids), encode(other_ids)
    texts = [tuple(token.text for token in tokens) for tokens in sentences]
    return OrderExperiment(
        first=texts[0],
        second=texts[1],
        distance=torch.cdist(memory, other, p=torch.inf),  # (S, S)
        largest=float((memory - other[order]).abs().max()),
    )


def permutation(ids: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """The order in which ``ids`` read like ``wanted``, or ReorderError; equal ids keep their turn.

    >>> permutation([7, 8, 9], [9, 7, 8])
    [2, 0, 1]
    """
    if sorted(ids) != sorted(wanted):
        raise ReorderError(f"{list(ids)} is not a permutation of {list(wanted)}")
    order = np.empty(len(ids), dtype=int)
    order[np.argsort(wanted, kind="stable")] = np.argsort(ids, kind="stable")
    return order.tolist()
