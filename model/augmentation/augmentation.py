"""Change the sentences of an epoch: replace names, imitate careless typing, join sentences."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from model.augmentation.agreement import Agreement
from model.augmentation.careless_typing import type_carelessly
from model.augmentation.names.language_pair import LanguagePair
from model.augmentation.replaced_names import Copying
from model.augmentation.sloppy_typing import type_sloppily
from model.corpora.batches import Ids
from model.corpora.pairs import Pair

_MAX_JOINED = 4  # sentences in one example


@dataclass(frozen=True, kw_only=True)
class Shares:
    """The share of sentences that each augmentation changes, in [0, 1]."""

    # of the pairs with a name or number on both sides: the share in which it is replaced
    copying: float = 0.0
    # number of added sentences with names and numbers, per corpus sentence
    made_sentences: float = 0.0
    # number of added sentences with grammatical agreement, per corpus sentence
    agreement: float = 0.0
    # share of the English sources that lose apostrophes, get chat words or spelling mistakes
    sloppy: float = 0.0
    # share of the sources that lose their capitals, their final punctuation or both
    as_typed: float = 0.0
    joined: float = 0.0  # share of the examples that consist of two to four joined sentences


class Augmentation:
    """Changes randomly chosen sentences of an epoch.

    Args:
        shares: how much is changed.
        languages: of the corpus.
        subwords: of the vocabulary, to make names of.
        max_length: the most tokens of a text.
        token_budget: the most tokens of a batch.
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
        self._languages = languages
        self._copying = Copying(languages, subwords)
        self._agreement = Agreement(languages.name)
        self._max_length = max_length
        self._token_budget = token_budget

    def rewrite(self, pairs: Sequence[Pair], random: np.random.Generator) -> list[Pair]:
        """Return the sentences of an epoch with random changes, then generated sentences.

        Args:
            pairs: of the corpus, as many as an epoch has.
            random: decides what is changed.
        """
        # 1. Replace names and numbers
        chosen = random.random(len(pairs)) < self._shares.copying
        rewritten = [
            self._copying.replace(pair, random) if is_chosen else pair
            for pair, is_chosen in zip(pairs, chosen, strict=True)
        ]

        # 2. Add sentences that are generated from templates
        if self._copying.templates:
            n_made = round(self._shares.made_sentences * len(pairs))
            rewritten += [self._copying.make(random) for _ in range(n_made)]
        if self._agreement.templates:
            n_made = round(self._shares.agreement * len(pairs))
            rewritten += [self._agreement.make(random) for _ in range(n_made)]

        # 3. Imitate sloppy typing in some sources, before step 4 removes the capitals of names
        if self._languages.name.startswith("en-"):
            chosen = random.random(len(rewritten)) < self._shares.sloppy
            rewritten = [
                (type_sloppily(source, random) if is_chosen else source, target)
                for (source, target), is_chosen in zip(rewritten, chosen, strict=True)
            ]

        # 4. Imitate careless typing in some sources
        chosen = random.random(len(rewritten)) < self._shares.as_typed
        return [
            (type_carelessly(source, random) if is_chosen else source, target)
            for (source, target), is_chosen in zip(rewritten, chosen, strict=True)
        ]

    def fits(self, example: tuple[Ids, Ids]) -> bool:
        """Return whether source and target are short enough for the model."""
        source, target = example
        return max(len(source), len(target)) <= self._max_length

    def join(
        self, examples: Sequence[tuple[Ids, Ids]], random: np.random.Generator
    ) -> list[tuple[Ids, Ids]]:
        """Join randomly chosen examples: two to four of them become one example.

        Texts of several sentences are rare in a corpus. A model that has never seen two sentences
        in a row translates only the first, or mixes them.

        Args:
            examples: (source, target) ids, each BOS ... EOS.
            random: decides which are joined.

        Returns:
            The examples that are short enough, each once; in random order if any are to be joined.
            If an example would make a joined example too long, it begins a new one.

        Source: Kondo et al. 2021, "Sentence Concatenation Approach to Data Augmentation for NMT".
        """
        examples = [example for example in examples if self.fits(example)]
        if self._shares.joined == 0:
            return examples

        order = random.permutation(len(examples))
        is_joined = random.random(len(examples)) < self._shares.joined
        sizes = np.where(is_joined, random.integers(2, _MAX_JOINED + 1, len(examples)), 1)

        joined: list[tuple[Ids, Ids]] = []
        n_wanted = 0  # how many more sentences will be joined to the last example
        for i, size in zip(order, sizes, strict=True):
            if n_wanted:
                longer = _concatenate(joined[-1], examples[i])
                if self.fits(longer) and sum(map(len, longer)) <= self._token_budget:
                    joined[-1] = longer
                    n_wanted -= 1
                    continue
            joined.append(examples[i])
            n_wanted = size - 1
        return joined


def _concatenate(first: tuple[Ids, Ids], second: tuple[Ids, Ids]) -> tuple[Ids, Ids]:
    """Concatenate the ids of two texts, without the EOS and the BOS between them."""
    source = first[0][:-1] + second[0][1:]
    target = first[1][:-1] + second[1][1:]
    return source, target
