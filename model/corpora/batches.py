"""Group sentence pairs of similar length into batches with a limited number of tokens.

Source: Vaswani et al. 2017, section 5.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

Ids = list[int]  # the token ids of one sentence


@dataclass(frozen=True)
class Batch:
    """The sentence pairs of one training step, padded on the right."""

    src: Tensor  # (B, S) int64, BOS ... EOS
    # (B, T) int64, the decoder's input: BOS and the tokens after it. A row shorter than T also
    # contains its EOS. The label at the position of EOS is padding, which the loss ignores.
    tgt: Tensor
    labels: Tensor  # (B, T) int64, the tokens to predict: tgt shifted left by one, up to EOS

    @property
    def n_tokens(self) -> int:
        """The number of source and target positions, with padding: the cost of the step."""
        return self.src.numel() + self.tgt.numel()

    def to(self, device: torch.device) -> Batch:
        """Return the batch with its tensors on a device."""
        return Batch(self.src.to(device), self.tgt.to(device), self.labels.to(device))


def pad(rows: Sequence[Ids], pad_id: int) -> Tensor:
    """Return rows of unequal length as one (B, longest) int64 tensor, padded on the right.

    >>> pad([[5, 6], [7]], pad_id=0).tolist()
    [[5, 6], [7, 0]]
    """
    longest = max(map(len, rows))
    padded = np.full((len(rows), longest), pad_id, dtype=np.int64)
    for padded_row, ids in zip(padded, rows, strict=True):
        padded_row[: len(ids)] = ids
    return torch.from_numpy(padded)


def make_batch(pairs: Sequence[tuple[Ids, Ids]], pad_id: int) -> Batch:
    """Return pairs of (source, target) ids as a batch; each text has the form BOS ... EOS."""
    src = pad([source for source, _ in pairs], pad_id)
    tgt = pad([target for _, target in pairs], pad_id)
    return Batch(src, tgt=tgt[:, :-1], labels=tgt[:, 1:])


def shuffled_batches(
    pairs: Sequence[tuple[Ids, Ids]], *, token_budget: int, seed: tuple[int, ...]
) -> list[list[tuple[Ids, Ids]]]:
    """Put each pair into exactly one batch; the pairs of a batch have similar length.

    Args:
        pairs: (source, target) ids, each BOS ... EOS.
        token_budget: the most source and target positions of a batch, padding included. A single
            pair that is longer is a batch of its own.
        seed: decides the order of the batches, and which pairs of equal length are together.

    Returns:
        For each batch the pairs that ``make_batch`` takes.
    """
    random = np.random.default_rng(seed)
    lengths = np.array([(len(source), len(target)) for source, target in pairs])  # (pairs, 2)

    # sort by target length, then by source length, then at random
    tie_breaker = random.permutation(len(pairs))
    by_length = np.lexsort((tie_breaker, lengths[:, 0], lengths[:, 1]))

    bounds = _batch_bounds(lengths[by_length], token_budget)
    batches = [by_length[start:end] for start, end in pairwise(bounds)]
    order = random.permutation(len(batches))
    return [[pairs[i] for i in batches[n]] for n in order]


def _batch_bounds(lengths: npt.NDArray[np.int64], token_budget: int) -> list[int]:
    """Return the start index of each batch, and the end of the last, in pairs sorted by length.

    Args:
        lengths: (pairs, 2) int64, tokens of source and target.
        token_budget: the most positions of a batch.

    Returns:
        0, the first pair of each later batch, and the number of pairs.
    """
    bounds = [0]
    longest = np.zeros(2, dtype=np.int64)  # of the batch: source length, target length
    for i, length in enumerate(lengths):
        longest = np.maximum(longest, length)
        n_pairs = i + 1 - bounds[-1]
        if n_pairs > 1 and n_pairs * longest.sum() > token_budget:
            bounds.append(i)
            longest = length
    return [*bounds, len(lengths)]
