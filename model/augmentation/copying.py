"""Names and numbers in sentences that say them in both languages: another one on both sides.

In a corpus where "Tom" stands in every eleventh sentence, a model learns that people are called
Tom. Here a name gives way to a real one of some language, to one that sounds like those, to one of
any subwords, or to one from syllables; none comes often enough to be learned by heart.
"""

import re
from collections.abc import Iterable, Mapping

import numpy as np

from model.augmentation.names import (
    Forms,
    LanguagePair,
    SimilarNames,
    SubwordNames,
    invented_name,
    nouns,
    one_of,
    table,
    vowel_first,
)
from model.augmentation.quantities import KINDS, quantity
from model.corpora.chinese import whole_words
from model.corpora.pairs import Pair

_REAL = 0.4
_SIMILAR = 0.15
_OF_SUBWORDS = 0.3  # the others are of syllables
# What a name of several words looks like.
_BETWEEN = (
    *("{} {}", "{} {}", "{} {} {other}", "{} {} {other}", "{} {second} {}", "{}-{second} {}"),
    *("{} {other}-{}", "{} van der {}", "{} von {}", "{} de la {}", "{} de {}", "{} di {}"),
    *("{} bin {}", "{} {second[0]}. {}"),
)
_DIGITS = r"(?<!\d[.,:/ -])\d{1,4}(?![.,:/ -]\d)"
_YEARS = (1000, 2100)
_RANGES = {"year": _YEARS, "day": (2, 32), "age": (2, 100)}
_SLOT = re.compile(r"\{(\w+)\}")


class Copying:
    """Other names and numbers for the sentences of one pair of languages.

    Where there are no ``subwords`` to make names of, syllables take their share.
    """

    def __init__(self, languages: LanguagePair, subwords: Iterable[str] = ()) -> None:
        self._languages, self.templates = languages, languages.templates
        self._names = table("train.json")
        self._kinds = {word: kind for kind, words in languages.stand_in.items() for word in words}
        every = [word for list_ in self._names.values() for word in " ".join(list_).split()]
        self._similar = SimilarNames(w for w in every if w[0].isupper())  # no "van" and no "bin"
        self._of_subwords = SubwordNames(subwords)
        lists = (*self._names.values(), *table("test.json").values())
        self._not_invented = {name.casefold() for list_ in lists for name in list_}
        spellings = {word: (word, *languages.spelled.get(word, ())) for word in self._kinds}
        self._meant = {spelled: word for word, those in spellings.items() for spelled in those}
        words = whole_words("|".join([*self._meant, _DIGITS]))
        self._word = re.compile(words)
        elided = "|".join(languages.elided) or "(?!)"
        self._place = re.compile(rf"(?:\b({elided}) )?({words}|\{{\w+\}})")

    def replaced(self, pair: Pair, random: np.random.Generator) -> Pair:
        """The pair with other names and numbers, where the same ones stand on both sides."""
        said, repeated = map(self._said, pair)
        if not said:
            return pair
        both = [word for word in dict.fromkeys(said) if word in repeated]
        others = {word: self._another(word, random) for word in both}
        return self._put(pair[0], others), self._put(pair[1], others)

    def _said(self, text: str) -> list[str]:
        """The names and numbers in a text; a name as the source language spells it."""
        return [self._meant.get(word, word) for word in self._word.findall(text)]

    def made(self, random: np.random.Generator) -> Pair:
        """One of the templates with names and numbers in its slots."""
        source, target = one_of(self.templates, random)
        here, there = dict[str, str](), dict[str, str]()
        for slot in _SLOT.findall(source):
            here[f"{{{slot}}}"], forms = self._filling(slot, random)
            there |= {f"{{{slot}{ending}}}": form for ending, form in forms.items()}
        return self._whole(source, here), self._whole(target, there)

    def _whole(self, template: str, values: Mapping[str, str]) -> str:
        """The sentence, which a country with an article may begin ("L'Inde") and "p.m." may end."""
        text = self._put(template, values).replace(".m..", ".m.")
        return text[0].upper() + text[1:] if template[0] == "{" else text

    def _put(self, text: str, others: Mapping[str, str]) -> str:
        """Others in their places, with "d'" and "qu'" before a vowel as French wants it."""

        def put(match: re.Match[str]) -> str:
            before, word = match.groups()
            other = others.get(self._meant.get(word, word), word)
            if before and vowel_first(other):
                return self._languages.elided[before] + other
            return f"{before} {other}" if before else other

        return self._place.sub(put, text)

    def _another(self, word: str, random: np.random.Generator) -> str:
        if not word.isdigit():
            return self.new_name(self._kinds[word], random)
        if len(word) == 4 and _YEARS[0] <= int(word) < _YEARS[1]:
            return str(random.integers(*_YEARS))
        return _number(len(word), random) if int(word) > 1 else word

    def _filling(self, slot: str, random: np.random.Generator) -> tuple[str, Forms]:
        """What stands in person, country ... of the source, and after the target's endings."""
        kind, target = slot.rstrip("0123456789"), self._languages.name.rpartition("-")[2]
        if target and (rows := nouns(target).get(kind)):
            return one_of(rows, random)
        if kind in KINDS or kind == "date":
            here, there = quantity(kind, target, self._languages.month, random)
        elif kind == "month":
            here, there = one_of(self._languages.month, random)
        else:
            here = there = self._number_or_name(kind, random)
        return here, {"": there}

    def _number_or_name(self, kind: str, random: np.random.Generator) -> str:
        if kind in _RANGES:
            return str(random.integers(*_RANGES[kind]))
        if kind == "number":
            return _number(int(random.integers(1, 5)), random)
        if kind == "person":
            return self._person(random)
        return self._full_name(random) if kind == "fullname" else self.new_name(kind, random)

    def _person(self, random: np.random.Generator) -> str:
        return self.new_name("man" if random.random() < 0.5 else "woman", random)

    def _full_name(self, random: np.random.Generator) -> str:
        """Of two to four words, as "Maria Garcia Lopez" or "Jan van der Berg"."""
        if random.random() < _REAL / 2:
            return one_of(self._names["full"], random)
        first, family = self._person(random), self.new_name("family", random)
        between = one_of(_BETWEEN, random)
        return between.format(
            first, family, second=self._person(random), other=self.new_name("family", random)
        )

    def new_name(self, kind: str, random: np.random.Generator) -> str:
        """A real name, or one that is on none of our lists, also not on those of a measurement."""
        which = random.random()
        if which < _REAL:
            return one_of(self._names[kind], random)
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
