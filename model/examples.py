"""What a pass over the corpus shows the model: every source sentence once.

Short sentences have up to dozens of translations, long ones mostly one. A pass takes one
translation of each source, drawn anew, so that "Are you OK?" does not fill the day; this is
also how the test set counts them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from model.batches import Ids
from model.bpe_dropout import BpeDropout
from model.corpus import Pair
from model.tokenizer import Tokenizer


class Examples:
    """Training pairs as ids.

    Args:
        pairs: (source, target) sentences.
        tokenizer: turns them into ids.
        bpe_dropout: probability of missing a merge in a source word.
        seed: decides which segmentations exist.
    """

    def __init__(
        self, pairs: Sequence[Pair], tokenizer: Tokenizer, bpe_dropout: float, seed: int
    ) -> None:
        targets = tokenizer.encode_ids([target for _, target in pairs])
        self._targets: dict[str, list[Ids]] = {}
        for (source, _), ids in zip(pairs, targets, strict=True):
            self._targets.setdefault(source, []).append(ids)
        self._sources = BpeDropout(tokenizer, list(self._targets), bpe_dropout, seed)

    def sample(self, seed: tuple[int, ...]) -> list[tuple[Ids, Ids]]:
        """(source, target) ids of one pass, BOS ... EOS; the same for the same ``seed``."""
        random = np.random.default_rng(seed)
        targets = (choices[random.integers(len(choices))] for choices in self._targets.values())
        return list(zip(self._sources.sample(seed), targets, strict=True))
