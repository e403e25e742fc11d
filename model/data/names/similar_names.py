"""Names that sound like those of a list: the letters of real names in another order."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

_START = "  "  # two, so that a chain begins as names do
_END = "\n"
_LENGTHS = range(3, 13)  # letters


class SimilarNames:
    """A Markov chain over letters: which one follows the two before it, in the names of a list.

    Syllables of our own are spelled with few subwords. A name such as "Bartholomew" is cut into
    subwords that stand in ordinary words, too; a model learns to copy those where it sees them.

    Args:
        names: words of them, each begins with a capital letter.

    Source: Shannon 1948, section 3 (the series of approximations to English).
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._next: dict[str, list[str]] = {}
        for name in names:
            letters = _START + name + _END
            for (one, two), three in zip(pairwise(letters), letters[2:], strict=False):
                self._next.setdefault(one + two, []).append(three)

    def one(self, random: np.random.Generator) -> str:
        """A name of 3 to 12 letters; some of them are those of the list again."""
        name = ""
        while len(name) not in _LENGTHS:
            name = self._chain(random)
        return name

    def _chain(self, random: np.random.Generator) -> str:
        letters = _START
        while True:
            choices = self._next[letters[-2:]]
            letter = choices[int(random.integers(len(choices)))]
            if letter == _END:
                return letters[2:]
            letters += letter
