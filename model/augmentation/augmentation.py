"""What a training shows the model beyond the corpus: other names, sloppy typing, long texts."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from model.augmentation.agreement import Agreement
from model.augmentation.copying import Copying
from model.augmentation.names import LanguagePair, one_of
from model.corpora.batches import Ids
from model.corpora.pairs import Pair

_TITLE, _STRESSED = 0.06, 0.06  # shares of these among what is written as people type
# No part of an address, and no unit after a number.
_WORD = re.compile(r"(?<![\w@./'-])(?<!\d )[^\W\d_]+(?:'[^\W\d_]+)*(?![\w@/-]|\.\w)")
_SMALL_IN_TITLES = frozenset(
    "a an and as at but by for from in into nor of on or over the to with".split()  # noqa: SIM905
)
_FINAL_SIGN = re.compile(r"(?<=\w)\s*[.!?…]+$")
_MOST = 4  # sentences of an example


@dataclass(frozen=True, kw_only=True)
class Shares:
    """How much of an epoch is changed; probabilities in [0, 1]. Of nothing: the corpus as it is."""

    copying: float = 0.0  # a pair whose sides share a name or a number gets another
    made_sentences: float = 0.0  # with names and numbers, for each sentence of the corpus
    agreement: float = 0.0  # in which a word decides another, for each sentence of the corpus
    as_typed: float = 0.0  # a source loses its capitals, its final sign or both, or is a title
    joined: float = 0.0  # an example holds two to four sentences


class Augmentation:
    """The changes that an epoch makes to the corpus; which ones, only ``random`` decides.

    Names are made of ``subwords``, those of the vocabulary; ``max_length`` and ``token_budget`` are
    the most tokens of a text and of a batch.
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
        made = (self._copying, shares.made_sentences), (self._agreement, shares.agreement)
        for kind, share in made:
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
        """Examples (BOS ... EOS) that are short enough, each once, some of them two to four in one.

        Long ones are rare in a corpus, and a model that has never seen two sentences in a row
        translates the first, or mixes them up. One that would make another too long begins the
        next.

        Source: Kondo et al. 2021, "Sentence Concatenation Approach to Data Augmentation for NMT".
        """
        examples = [example for example in examples if self.takes(example)]
        if self._shares.joined == 0:
            return examples
        order = random.permutation(len(examples))
        several = random.random(len(examples)) < self._shares.joined
        sizes = np.where(several, random.integers(2, _MOST + 1, len(examples)), 1)
        found: list[tuple[Ids, Ids]] = []
        left = 0  # how many more sentences the last example wants
        for i, size in zip(order, sizes, strict=True):
            source, target = examples[i]
            if left:
                longer = found[-1][0][:-1] + source[1:], found[-1][1][:-1] + target[1:]
                if self.takes(longer) and sum(map(len, longer)) <= self._token_budget:
                    found[-1], left = longer, left - 1
                    continue
            found.append((source, target))
            left = size - 1
        return found


def as_typed(text: str, random: np.random.Generator) -> str:
    """A text as people type it: in small letters, without its final sign, or both, a third each.

    A few type "How Are You" as in a title, or "how ARE you?". What is wanted of the model is the
    same, so only the source changes.
    """
    which = random.random()
    if which < _TITLE:
        return as_title(text)
    if which < _TITLE + _STRESSED:
        return with_stress(text, random)
    way = random.integers(3)
    if way != 0:
        text = without_final_sign(text)
    return text.lower() if way != 1 else text


def as_title(text: str) -> str:
    """As English writes titles: articles and short prepositions stay small, except the first word.

    >>> as_title("The history of the modern car isn't over.")
    "The History of the Modern Car Isn't over"
    """

    def written(match: re.Match[str]) -> str:
        word = match[0]
        return word if word in _SMALL_IN_TITLES else word[0].upper() + word[1:]

    text = _WORD.sub(written, without_final_sign(text))
    return text[:1].upper() + text[1:]


def with_stress(text: str, random: np.random.Generator) -> str:
    """One of the words in capitals: "I am NOT tired."; a lone word stays."""
    words = [word for word in _WORD.finditer(text) if len(word[0]) > 1 and word[0].islower()]
    if not words:
        return text
    word = one_of(words, random)
    return text[: word.start()] + word[0].upper() + text[word.end() :]


def without_final_sign(text: str) -> str:
    """The text without the sign that ends its last sentence.

    >>> without_final_sign("How are you ?")
    'How are you'
    """
    return _FINAL_SIGN.sub("", text)
