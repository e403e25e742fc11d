"""What a training shows the model beyond the corpus: other names, sloppy typing, long texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from model.data.agreement.agreement import Agreement
from model.data.as_typed import as_typed
from model.data.batches import Ids
from model.data.copying import Copying
from model.data.corpus import Pair
from model.data.joining import joined
from model.data.language_pair import LanguagePair


@dataclass(frozen=True, kw_only=True)
class Shares:
    """How much of an epoch is changed; probabilities in [0, 1]. Of nothing: the corpus as it is.

    Args:
        copying: a pair whose sides share a name or a number gets another.
        made_sentences: sentences with names and numbers, made for each sentence of the corpus.
        agreement: sentences in which a word decides another, made for each sentence of the corpus.
        as_typed: a source loses its capitals, its final sign or both, or has them as titles do.
        joined: an example holds two to four sentences.
    """

    copying: float = 0.0
    made_sentences: float = 0.0
    agreement: float = 0.0
    as_typed: float = 0.0
    joined: float = 0.0


class Augmentation:
    """The changes that an epoch makes to the corpus; which ones, only ``random`` decides.

    Args:
        shares: how much is changed.
        languages: of the corpus.
        subwords: of the vocabulary, for names made of them.
        max_length: most tokens that the model takes.
        token_budget: most tokens of a batch.
    """

    def __init__(
        self,
        shares: Shares,
        languages: LanguagePair,
        *,
        subwords: Iterable[str] = (),
        max_length: int,
        token_budget: int,
    ) -> None:
        self._shares = shares
        self._copying = Copying(languages, subwords)
        self._agreement = Agreement(languages.name)
        self._max_length, self._token_budget = max_length, token_budget

    def rewritten(self, pairs: Sequence[Pair], random: np.random.Generator) -> list[Pair]:
        """The sentences of an epoch, some of them rewritten, and the made ones behind them."""
        shares = self._shares
        copied = [
            self._copying.replaced(pair, random) if chosen else pair
            for pair, chosen in zip(pairs, random.random(len(pairs)) < shares.copying, strict=True)
        ]
        for kind, share in (
            (self._copying, shares.made_sentences),
            (self._agreement, shares.agreement),
        ):
            n_made = round(share * len(pairs)) if kind.templates else 0
            copied += [kind.made(random) for _ in range(n_made)]
        typed = random.random(len(copied)) < shares.as_typed
        return [
            (as_typed(source, random) if chosen else source, target)
            for (source, target), chosen in zip(copied, typed, strict=True)
        ]

    def takes(self, example: tuple[Ids, Ids]) -> bool:
        """Whether neither side has more tokens than the model takes."""
        return max(map(len, example)) <= self._max_length

    def joined(
        self, examples: Sequence[tuple[Ids, Ids]], random: np.random.Generator
    ) -> list[tuple[Ids, Ids]]:
        """The examples of an epoch that are short enough, some of them put together."""
        return joined(
            [example for example in examples if self.takes(example)],
            self._shares.joined,
            random,
            max_length=self._max_length,
            token_budget=self._token_budget,
        )
