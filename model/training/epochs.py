"""What an epoch over the corpus shows the model: every source sentence once.

Short sentences have up to dozens of translations, long ones mostly one. An epoch takes one
translation of each source, drawn anew, so that "Are you OK?" does not fill the day; this is
also how the test set counts them. Names, spelling and length are then changed as asked.
"""

from collections.abc import Callable, Collection, Sequence
from itertools import compress

import numpy as np

from model.augmentation.augmentation import Augmentation
from model.corpora.batches import Ids, shuffled_batches
from model.corpora.corpus import Pair
from model.corpora.stored_corpus import StoredPairs
from model.tokenizers.bpe_dropout import BpeDropout
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer


class Examples:
    """(source, target) pairs as ids, ``too_long`` left out, which the model cannot take.

    The sources are cut by ``BpeDropout``; an epoch changes the pairs by an augmentation.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        tokenizer: ByteLevelTokenizer,
        bpe_dropout: float,
        seed: int,
        augmentation: Augmentation,
    ) -> None:
        self._tokenizer, self._augmentation = tokenizer, augmentation
        sources, targets = ([pair[side] for pair in pairs] for side in (0, 1))
        ids = [*zip(tokenizer.encode_ids(sources), tokenizer.encode_ids(targets), strict=True)]
        fits = [augmentation.takes(example) for example in ids]
        self.too_long = len(fits) - sum(fits)
        self._translations: dict[str, list[str]] = {}
        self._ids: dict[str, Ids] = {}
        for (source, target), (_, target_ids) in compress(zip(pairs, ids, strict=True), fits):
            self._translations.setdefault(source, []).append(target)
            self._ids[target] = target_ids
        self._segmented = BpeDropout(tokenizer, list(self._translations), bpe_dropout, seed)

    def sample(self, seed: tuple[int, ...]) -> list[tuple[Ids, Ids]]:
        """(source, target) ids of one epoch, BOS ... EOS; the same for the same ``seed``."""
        random = np.random.default_rng(seed)
        drawn = [
            (source, targets[random.integers(len(targets))])
            for source, targets in self._translations.items()
        ]
        pairs = self._augmentation.rewritten(drawn, random)
        sources = self._segmented.sample([source for source, _ in pairs], seed)
        new = [target for _, target in pairs if target not in self._ids]  # than the corpus
        ids = self._ids | dict(zip(new, self._tokenizer.encode_ids(new), strict=True))
        targets = [ids[target] for _, target in pairs]
        return self._augmentation.joined(list(zip(sources, targets, strict=True)), random)


class Epochs:
    """The ``Examples`` of every epoch of a training, in ``n_parts``.

    A corpus of one part is made ready once, and ``too_long`` tells how many pairs the model cannot
    take; any other part is made ready when its turn comes: no more than one is in memory.
    """

    def __init__(
        self, pairs: Collection[Pair], examples: Callable[[Sequence[Pair]], Examples], seed: int
    ) -> None:
        self._pairs, self._examples, self._seed = pairs, examples, seed
        self.n_parts = pairs.n_parts if isinstance(pairs, StoredPairs) else 1
        self._whole = self._examples(list(pairs)) if self.n_parts == 1 else None
        self.too_long = self._whole.too_long if self._whole else None

    def batches(self, epoch: int, part: int, token_budget: int) -> list[list[tuple[Ids, Ids]]]:
        """The batches of one part, in the order in which they are learned from; the same for the
        same numbers and seed. ValueError if the model can take none of the pairs."""
        examples = self._whole
        if not examples:
            assert isinstance(self._pairs, StoredPairs)
            examples = self._examples(self._pairs.part(part, (self._seed, epoch)))
        draw = (self._seed, epoch * self.n_parts + part)
        sampled = examples.sample(draw)
        if not sampled:
            raise ValueError("every pair is too long for the model: give more of --max-length")
        return shuffled_batches(sampled, token_budget=token_budget, seed=draw)
