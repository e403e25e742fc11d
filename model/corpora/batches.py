"""Sentence pairs of like length, put together until a token budget is full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

Ids = list[int]


@dataclass(frozen=True)
class Batch:
    """What one training step sees, padded on the right."""

    src: Tensor  # (B, S) int64, BOS ... EOS
    # (B, T) int64, the decoder's input: BOS and the tokens after it. A row shorter than the longest
    # still holds its EOS, where the label is padding and counts for nothing.
    tgt: Tensor
    labels: Tensor  # (B, T) int64, what it should say: the same row shifted left by one, with EOS

    @property
    def n_tokens(self) -> int:
        """Source and target positions, padding included: what the step costs."""
        return self.src.numel() + self.tgt.numel()

    def to(self, device: torch.device) -> Batch:
        """The same batch on another device."""
        return Batch(self.src.to(device), self.tgt.to(device), self.labels.to(device))


def pad(rows: Sequence[Ids], pad_id: int) -> Tensor:
    """Rows of unequal length -> (B, longest) int64, padded on the right.

    >>> pad([[5, 6], [7]], pad_id=0).tolist()
    [[5, 6], [7, 0]]
    """
    table = np.full((len(rows), max(map(len, rows))), pad_id, dtype=np.int64)
    for row, ids in zip(table, rows, strict=True):
        row[: len(ids)] = ids
    return torch.from_numpy(table)


def make_batch(pairs: Sequence[tuple[Ids, Ids]], pad_id: int) -> Batch:
    """Pairs of BOS ... EOS id lists -> padded source, shifted target and labels."""
    tgt = pad([target for _, target in pairs], pad_id)
    return Batch(pad([source for source, _ in pairs], pad_id), tgt[:, :-1], tgt[:, 1:])


def shuffled_batches(
    pairs: Sequence[tuple[Ids, Ids]], *, token_budget: int, seed: tuple[int, ...]
) -> list[list[tuple[Ids, Ids]]]:
    """All pairs once, in batches of like length, in an order that only ``seed`` decides.

    For each batch the pairs that ``make_batch`` puts together, BOS first and EOS last. They have at
    most ``token_budget`` source and target positions, padding included, but for a single longer
    pair, which is a batch of its own.
    """
    random = np.random.default_rng(seed)
    lengths = np.array([(len(source), len(target)) for source, target in pairs])
    tie_breaker = random.permutation(len(pairs))
    by_length = np.lexsort((tie_breaker, lengths[:, 0], lengths[:, 1]))
    cuts = _cuts(lengths[by_length], token_budget)
    batches = [by_length[start:end] for start, end in pairwise(cuts)]
    return [[pairs[i] for i in batches[n]] for n in random.permutation(len(batches))]


def _cuts(lengths: npt.NDArray[np.int64], token_budget: int) -> list[int]:
    """Where one batch ends and the next begins, over pairs sorted by length."""
    cuts, longest = [0], np.zeros(2, dtype=np.int64)
    for i, length in enumerate(lengths):
        longest = np.maximum(longest, length)
        if i > cuts[-1] and (i + 1 - cuts[-1]) * longest.sum() > token_budget:
            cuts.append(i)
            longest = length
    return [*cuts, len(lengths)]
