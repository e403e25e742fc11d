"""Draw the examples and batches of an epoch.

An epoch has every source of the corpora once, and some of the hand-written ones more often.

Short sentences have up to dozens of translations, long ones mostly one. An epoch takes one
translation of each source, drawn anew. Otherwise sentences such as "Are you OK?" would fill the
epoch. The test set counts sources in the same way. Afterwards the augmentation changes names,
spelling and length of some sentences.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import compress

import numpy as np

from model.augmentation.augmentation import Augmentation
from model.corpora.batches import Ids, shuffled_batches
from model.corpora.pairs import Pair
from model.corpora.stored_corpus import StoredPairs
from model.tokenizers.bpe_dropout import BpeDropout
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer


class Examples:
    """Sentence pairs from which epochs are drawn; ``n_too_long`` pairs exceed the length limit.

    Args:
        pairs: (source, target) texts.
        tokenizer: the model's.
        bpe_dropout: probability of skipping a merge in a source.
        seed: decides how BPE-dropout splits the words into subwords.
        augmentation: how an epoch changes the pairs; it also knows how long a text may be.
        times_per_epoch: source -> how often an epoch shows it, where that is not once.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        tokenizer: ByteLevelTokenizer,
        bpe_dropout: float,
        seed: int,
        augmentation: Augmentation,
        times_per_epoch: Mapping[str, int] | None = None,
    ) -> None:
        self._tokenizer = tokenizer
        self._augmentation = augmentation
        self._times_per_epoch = times_per_epoch or {}

        # 1. Leave out the pairs that are too long
        source_ids = tokenizer.encode_ids([source for source, _ in pairs])
        target_ids = tokenizer.encode_ids([target for _, target in pairs])
        ids = list(zip(source_ids, target_ids, strict=True))
        fits = [augmentation.fits(example) for example in ids]
        self.n_too_long = fits.count(False)

        # 2. Group the translations by their source
        self._translations: dict[str, list[str]] = {}
        self._target_ids: dict[str, Ids] = {}
        for (source, target), (_, ids_of_target) in compress(zip(pairs, ids, strict=True), fits):
            self._translations.setdefault(source, []).append(target)
            self._target_ids[target] = ids_of_target
        self._segmented = BpeDropout(tokenizer, list(self._translations), bpe_dropout, seed)

    def sample(self, seed: tuple[int, ...]) -> list[tuple[Ids, Ids]]:
        """Draw the examples of one epoch.

        Args:
            seed: the same seed draws the same epoch.

        Returns:
            (source, target) token ids, each from BOS to EOS.
        """
        random = np.random.default_rng(seed)

        # 1. Draw one translation for each occurrence of a source in the epoch
        drawn = [
            (source, targets[random.integers(len(targets))])
            for source, targets in self._translations.items()
            for _ in range(self._times_per_epoch.get(source, 1))
        ]

        # 2. Augment: replace names, add sentences, imitate careless typing
        pairs = self._augmentation.rewrite(drawn, random)

        # 3. Convert the texts to token ids
        source_ids = self._segmented.sample([source for source, _ in pairs], seed)
        new_targets = [target for _, target in pairs if target not in self._target_ids]
        new_ids = self._tokenizer.encode_ids(new_targets)
        ids_of = self._target_ids | dict(zip(new_targets, new_ids, strict=True))
        target_ids = [ids_of[target] for _, target in pairs]

        # 4. Join some examples
        return self._augmentation.join(list(zip(source_ids, target_ids, strict=True)), random)


class Epochs:
    """The batches of every epoch of a training run.

    A corpus in memory is one part, whose ``Examples`` are made once. ``n_too_long`` then tells how
    many pairs do not fit into the model, else it is None. A stored corpus has ``n_parts``, of which
    only one is in memory at a time.

    Args:
        pairs: the train pairs.
        make_examples: makes the ``Examples`` of some pairs.
        seed: of the order of the pairs, in a part and in the batches.
    """

    def __init__(
        self,
        pairs: Collection[Pair],
        make_examples: Callable[[Sequence[Pair]], Examples],
        seed: int,
    ) -> None:
        self._pairs = pairs
        self._make_examples = make_examples
        self._seed = seed
        self.n_parts = pairs.n_parts if isinstance(pairs, StoredPairs) else 1
        self._whole: Examples | None = None
        self.n_too_long: int | None = None
        if self.n_parts == 1:
            self._whole = make_examples(list(pairs))
            self.n_too_long = self._whole.n_too_long

    def batches(self, epoch: int, part: int, token_budget: int) -> list[list[tuple[Ids, Ids]]]:
        """Return the batches of one part of an epoch, in the order of training.

        Args:
            epoch: from 0.
            part: from 0 to n_parts - 1.
            token_budget: source and target positions of a batch, padding included.

        Returns:
            A list of batches of (source, target) token ids. The same numbers and the same seed give
            the same batches.

        Raises:
            ValueError: no pair fits into the model.
        """
        examples = self._whole
        if not examples:
            assert isinstance(self._pairs, StoredPairs)
            examples = self._make_examples(self._pairs.part(part, (self._seed, epoch)))
        seed = (self._seed, epoch * self.n_parts + part)
        sample = examples.sample(seed)
        if not sample:
            raise ValueError("every pair is too long for the model: give a larger --max-length")
        return shuffled_batches(sample, token_budget=token_budget, seed=seed)
