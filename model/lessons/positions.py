"""Lesson: the waves of the positional encoding, and how the encoder uses word order.

PE(p, 2i) = sin(p w_i) and PE(p, 2i + 1) = cos(p w_i), with w_i = 10000^(-2i / d_model).
"""

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.decoding.greedy import decode_steps
from model.trace.tracing import read_sentence
from model.transformer.masks import padding_mask
from model.transformer.positional import frequencies, positional_encoding
from model.translation_model import TranslationModel, require_paper


def wave(positions: Tensor, dimension: int, d_model: int) -> Tensor:
    """Return one dimension of the encoding as a wave, also between integer positions.

    Args:
        positions: (N,) float64.
        dimension: from 0; an even one is a sine, an odd one a cosine.
        d_model: width of the encoding; even.

    Returns:
        (N,) float64. At whole positions these are the numbers of ``positional_encoding``.
    """
    angle = positions * frequencies(d_model)[dimension // 2]  # (N,)
    return angle.cos() if dimension % 2 else angle.sin()


def wavelengths(d_model: int) -> Tensor:
    """Return the wavelength 2π / w_i of each wave, in positions: (d_model / 2,) float64.

    They grow from 2π to almost 10000 · 2π.

    Source: Vaswani et al. 2017, section 3.5.
    """
    return 2 * math.pi / frequencies(d_model)


def doubling_pairs(d_model: int, n: int) -> list[int]:
    """Return a series of waves, each about twice as long as the wave before it.

    They are to positions what bits are to a binary number. Wave i is a pair of dimensions, 2i
    (sine) and 2i + 1 (cosine).

    Args:
        d_model: width of the encoding; even.
        n: how many waves at most.

    Returns:
        Indices i, the shortest wave first.

    >>> doubling_pairs(256, 4)
    [0, 10, 19, 29]
    """
    pairs_per_doubling = d_model / 2 / math.log2(10000)
    nearest = [round(bit * pairs_per_doubling) for bit in range(n)]
    different = dict.fromkeys(nearest)  # in a narrow encoding two waves may be the same
    return [pair for pair in different if pair < d_model // 2]


def bits(n_positions: int, n_bits: int) -> Tensor:
    """Return the positions as binary numbers: (n_positions, n_bits) float64, values 0 and 1.

    >>> bits(4, 2).tolist()  # the lowest bit first
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    position = torch.arange(n_positions)[:, None]  # (n_positions, 1)
    shifted = position >> torch.arange(n_bits)  # (n_positions, n_bits)
    return (shifted & 1).double()


def similarity(n_positions: int, d_model: int) -> Tensor:
    """Return PE · PEᵀ, the dot products of all pairs of positions: (n_positions, n_positions)."""
    encoding = positional_encoding(n_positions, d_model).double()  # (n_positions, d_model)
    return encoding @ encoding.T


def similarity_at(offsets: Tensor, d_model: int) -> Tensor:
    """Return PE(p) · PE(p + k) = Σ_i cos k w_i for N offsets k; the product does not depend on p.

    (N,) -> (N,) float64. At k = 0 it is d_model / 2.
    """
    angles = offsets[:, None] * frequencies(d_model)  # (N, d_model / 2)
    return angles.cos().sum(dim=1)


def rotation(k: int, d_model: int) -> Tensor:
    """Return the matrix M_k with M_k · PE(p) = PE(p + k) for every position p.

    The pair of wave i, (sin p w_i, cos p w_i), is like the tip of a clock's hand at the angle
    p w_i. At position p + k the hand is at the angle (p + k) w_i. So M_k turns each pair by k w_i:

        [  cos k w_i   sin k w_i ]
        [ -sin k w_i   cos k w_i ]

    Args:
        k: offset in positions; a negative one turns backwards.
        d_model: width of the encoding; even.

    Returns:
        (d_model, d_model) float64, zero outside these blocks on the diagonal.

    Source: Vaswani et al. 2017, section 3.5, "PE(pos+k) can be represented as a linear function
    of PE(pos)".

    >>> (rotation(5, 4) @ rotation(-5, 4)).allclose(torch.eye(4, dtype=torch.float64))
    True
    """
    angle = k * frequencies(d_model)  # (d_model / 2,)
    cos = angle.cos()
    sin = angle.sin()
    blocks = torch.stack((cos, sin, -sin, cos), dim=-1).view(-1, 2, 2)  # (d_model / 2, 2, 2)
    return torch.block_diag(*blocks)  # type: ignore[no-untyped-call]


def rotation_error(k: int, d_model: int, n_positions: int) -> float:
    """Return the maximum of |M_k · PE(p) - PE(p + k)| over the first ``n_positions`` positions.

    Args:
        k: offset in positions.
        d_model: width of the encoding; even.
        n_positions: how many positions p.
    """
    before = positional_encoding(n_positions, d_model).double()  # (n_positions, d_model)
    after = positional_encoding(n_positions, d_model, first=k).double()  # (n_positions, d_model)
    return float((before @ rotation(k, d_model).T - after).abs().max())


def chance_cosine(d_model: int) -> float:
    """Return the mean |cosine| between two random directions: what chance alone gives.

    The formula is the limit for many dimensions. It is good from about ten on.

    >>> round(chance_cosine(256), 3)
    0.05
    """
    return math.sqrt(2 / (math.pi * d_model))


class ReorderError(ValueError):
    """The error for two sentences that do not consist of the same tokens."""


@dataclass(frozen=True)
class OrderExperiment:
    """The encoder outputs for two orders of the same tokens."""

    first: tuple[str, ...]  # S tokens of the first sentence, BOS ... EOS
    second: tuple[str, ...]  # S tokens of the second sentence
    # (S, S) float64; cell (i, j) is the largest difference, over the d_model dimensions, between
    # the outputs of token i of the first sentence and token j of the second
    distance: Tensor
    # (S,) float64; that difference between token i of the first sentence and the same token in the
    # second, wherever it is there
    moved: Tensor
    places: tuple[int, ...]  # where each token of the first sentence is in the second one

    @property
    def largest(self) -> float:
        """The largest difference when the second sentence is put into the order of the first."""
        return float(self.moved.max())


def compare_orders(
    translation_model: TranslationModel, first: str, second: str, *, positions: bool
) -> OrderExperiment:
    """Encode two orders of the same words, and compare the outputs after undoing the permutation.

    It computes in float64, so that a difference is more than rounding, and on a copy of the
    encoder, because other threads may use the model.

    Args:
        translation_model: its encoder is used.
        first: a sentence.
        second: the same tokens in a different order.
        positions: whether the positional encoding is added to the embeddings.

    Raises:
        InputError: a sentence cannot be read; see ``read_sentence``.
        ReorderError: the second is not a permutation of the first one's tokens.

    Source: Vaswani et al. 2017, section 3.5, "since our model contains no recurrence and no
    convolution".
    """
    model = require_paper(translation_model)
    tokenizer = translation_model.tokenizer
    first_tokens = read_sentence(model, tokenizer, first)
    second_tokens = read_sentence(model, tokenizer, second)
    first_ids = [token.id for token in first_tokens]
    second_ids = [token.id for token in second_tokens]
    order = permutation(second_ids, first_ids)
    encoder = deepcopy(model.encoder).double()
    embedding = model.src_embedding

    @torch.inference_mode()
    def encode(ids: list[int]) -> Tensor:
        src = torch.tensor([ids])  # (1, S)
        x = embedding.tokens(src).double() * embedding.scale  # (1, S, d_model)
        if positions:
            x = x + embedding.positions[: len(ids)].double()  # (1, S, d_model)
        return encoder(x, padding_mask(src, tokenizer.pad_id))[0]  # (S, d_model)

    first_output = encode(first_ids)
    second_output = encode(second_ids)
    return OrderExperiment(
        first=tuple(token.text for token in first_tokens),
        second=tuple(token.text for token in second_tokens),
        distance=torch.cdist(first_output, second_output, p=torch.inf),  # (S, S)
        moved=(first_output - second_output[order]).abs().amax(dim=1),
        places=tuple(order),
    )


def translate_without_positions(translation_model: TranslationModel, sentence: str) -> str:
    """Translate a sentence without positions in the source; the target keeps its positions.

    It works on a copy of the model, because other threads may use the model.

    Raises:
        InputError: the sentence cannot be read; see ``read_sentence``.
    """
    tokenizer = translation_model.tokenizer
    tokens = read_sentence(translation_model.model, tokenizer, sentence)
    model = deepcopy(require_paper(translation_model))
    model.src_embedding.positions = torch.zeros_like(model.src_embedding.positions)
    src = torch.tensor([[token.id for token in tokens]])  # (1, S)
    written = [int(token) for token, _ in decode_steps(model, src, **tokenizer.special_ids)]
    return tokenizer.decode(written)


def permutation(ids: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """Return indices ``order`` with ``ids[order[i]] == wanted[i]``.

    Equal ids stay in their order.

    Raises:
        ReorderError: there is none.

    >>> permutation([7, 8, 9], [9, 7, 8])
    [2, 0, 1]
    """
    if sorted(ids) != sorted(wanted):
        raise ReorderError(f"{list(ids)} is not a permutation of {list(wanted)}")
    order = np.empty(len(ids), dtype=int)
    order[np.argsort(wanted, kind="stable")] = np.argsort(ids, kind="stable")
    return order.tolist()
