"""Names and numbers in sentences that say them in both languages: another one on both sides.

In a corpus where "Tom" stands in every eleventh sentence, a model learns that people are called
Tom. Here a name gives way to a real one of some language, to one that sounds like those, to one of
any subwords, or to one from syllables; no name comes often enough to be learned by heart: copying
is the way to get it right.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

import numpy as np

from model.data.chinese import whole_words
from model.data.corpus import Pair
from model.data.language_pair import LanguagePair, names
from model.data.names.invented_names import invented_name
from model.data.names.similar_names import SimilarNames
from model.data.names.subword_names import SubwordNames
from model.data.quantities import KINDS, quantity

_REAL = 0.4
_SIMILAR = 0.15
_OF_SUBWORDS = 0.3  # the others are of syllables
_DIGITS = r"(?<!\d[.,:/ -])\d{1,4}(?![.,:/ -]\d)"
_YEARS = (1000, 2100)
_VOWEL = re.compile(r"[aeiouøœæ]|y[^aeiou]", re.IGNORECASE)


class Copying:
    """Other names and numbers for the sentences of one pair of languages.

    Args:
        languages: which names give way, and the sentences to put names and numbers in.
        subwords: of the vocabulary, for names made of them; without, syllables take their share.
    """

    def __init__(self, languages: LanguagePair, subwords: Iterable[str] = ()) -> None:
        self._languages = languages
        self._names = names("train")
        self._kinds = {word: kind for kind, words in languages.stand_in.items() for word in words}
        self._similar = SimilarNames(
            word for list_ in self._names.values() for name in list_ for word in name.split()
        )
        self._of_subwords = SubwordNames(subwords)
        lists = (*self._names.values(), *names("test").values())
        self._not_invented = {name.casefold() for list_ in lists for name in list_}
        self._meant = {
            spelling: word
            for word in self._kinds
            for spelling in (word, *languages.spelled.get(word, ()))
        }
        words = whole_words("|".join([*self._meant, _DIGITS]))
        self._word = re.compile(words)
        elided = "|".join(languages.elided) or "(?!)"
        self._place = re.compile(rf"(?:\b({elided}) )?({words}|\{{\w+\}})")

    @property
    def templates(self) -> int:
        """Number of sentences that wait for names and numbers."""
        return len(self._languages.templates)

    def replaced(self, pair: Pair, random: np.random.Generator) -> Pair:
        """The pair with other names and numbers, where the same ones stand on both sides."""
        said, repeated = map(self._said, pair)
        if not said:
            return pair
        others = {
            word: self._another(word, random) for word in dict.fromkeys(said) if word in repeated
        }
        return self._put(pair[0], others), self._put(pair[1], others)

    def _said(self, text: str) -> list[str]:
        """The names and numbers in a text; a name as the source language spells it."""
        return [self._meant.get(word, word) for word in self._word.findall(text)]

    def made(self, random: np.random.Generator) -> Pair:
        """One of the templates with names and numbers in its slots."""
        source, target = self._languages.templates[int(random.integers(self.templates))]
        values = {slot: self._filling(slot, random) for slot in re.findall(r"\{\w+\}", source)}
        return (
            self._put(source, {slot: value for slot, (value, _) in values.items()}),
            self._put(target, {slot: value for slot, (_, value) in values.items()}),
        )

    def _put(self, text: str, others: Mapping[str, str]) -> str:
        """Others in their places, with "d'" and "qu'" before a vowel as French wants it."""

        def put(match: re.Match[str]) -> str:
            before, word = match.groups()
            other = others.get(self._meant.get(word, word), word)
            if not before:
                return other
            return (
                self._languages.elided[before] + other
                if _vowel_first(other)
                else f"{before} {other}"
            )

        return self._place.sub(put, text)

    def _another(self, word: str, random: np.random.Generator) -> str:
        if not word.isdigit():
            return self._name(self._kinds[word], random)
        if len(word) == 4 and _YEARS[0] <= int(word) < _YEARS[1]:
            return str(random.integers(*_YEARS))
        return _number(len(word), random) if int(word) > 1 else word

    def _filling(self, slot: str, random: np.random.Generator) -> Pair:
        """What goes into {person}, {person2}, {year} ...: in the source, in the target."""
        kind = slot.strip("{}0123456789")
        if kind in KINDS or kind == "date":
            target = self._languages.name.rpartition("-")[2]
            return quantity(kind, target, self._languages.month, random)
        if kind == "month":
            return self._languages.month[int(random.integers(12))]
        if kind == "year":
            value = str(random.integers(*_YEARS))
        elif kind == "day":
            value = str(random.integers(2, 32))
        elif kind == "age":
            value = str(random.integers(2, 100))
        elif kind == "number":
            value = _number(int(random.integers(1, 5)), random)
        elif kind == "person":
            value = self._name("man" if random.random() < 0.5 else "woman", random)
        else:
            value = self._name(kind, random)
        return value, value

    def _name(self, kind: str, random: np.random.Generator) -> str:
        """A real name, or one that is on none of our lists, also not on those of a measurement."""
        which = random.random()
        if which < _REAL:
            real = self._names[kind]
            return real[random.integers(len(real))]
        if which < _REAL + _SIMILAR:
            invented = self._similar.one
        elif which < _REAL + _SIMILAR + _OF_SUBWORDS and self._of_subwords:
            invented = self._of_subwords.one
        else:
            invented = invented_name
        while True:
            name = invented(random)
            if name.casefold() not in self._not_invented:
                return name


def _number(digits: int, random: np.random.Generator) -> str:
    """From 2 on: what is counted stays in the plural."""
    return str(random.integers(max(2, 10 ** (digits - 1)), 10**digits))


def _vowel_first(name: str) -> bool:
    return bool(_VOWEL.match(unicodedata.normalize("NFD", name)))
