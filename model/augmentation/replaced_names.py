"""Replace names and numbers that a sentence and its translation have in common.

In a corpus where "Tom" is in every eleventh sentence, a model learns that people are called Tom.
Here a name is replaced by a real name of some language, by an invented name that resembles real
ones, by a name of random subwords, or by a name of syllables. No name occurs often enough to be
learned by heart.
"""

import re
from collections.abc import Iterable, Mapping

import numpy as np

from model.augmentation.names.invented import SimilarNames, SubwordNames, syllable_name
from model.augmentation.names.language_pair import LanguagePair
from model.augmentation.names.nouns import Forms, begins_with_vowel, nouns
from model.augmentation.names.tables import read_table
from model.augmentation.quantities import KINDS, quantity
from model.augmentation.random_choice import draw
from model.corpora.chinese import whole_words
from model.corpora.pairs import Pair

# Probability of each source of new names. The remaining names are made of syllables.
_REAL = 0.4
_SIMILAR = 0.15
_OF_SUBWORDS = 0.3

# Patterns of names with several words. A pattern that is listed twice is drawn twice as often.
_FULL_NAMES = (
    "{first} {family}",
    "{first} {family}",
    "{first} {family} {other_family}",
    "{first} {family} {other_family}",
    "{first} {second} {family}",
    "{first}-{second} {family}",
    "{first} {other_family}-{family}",
    "{first} van der {family}",
    "{first} von {family}",
    "{first} de la {family}",
    "{first} de {family}",
    "{first} di {family}",
    "{first} bin {family}",
    "{first} {second[0]}. {family}",
)

# One to four digits that are not part of a longer number, a date or a time.
_NUMBER = r"(?<!\d[.,:/ -])\d{1,4}(?![.,:/ -]\d)"
_YEARS = (1000, 2100)  # first year, and the year after the last
_RANGES = {  # slot -> its lowest number, and the number after its highest
    "year": _YEARS,
    "day": (2, 32),
    "age": (2, 100),
}
_SLOT = re.compile(r"\{(\w+)\}")


class Copying:
    """Replaces names and numbers in sentence pairs, and generates pairs from templates.

    From such pairs a model learns to copy names and numbers that it has never seen.

    Args:
        languages: of the sentences.
        subwords: of the vocabulary, to make names of. If no name can be made of them, names are
            made of syllables.
    """

    def __init__(self, languages: LanguagePair, subwords: Iterable[str] = ()) -> None:
        self._languages = languages
        self.templates = languages.templates

        # man, woman, family, place or full -> the names that may appear in training
        self._names: dict[str, list[str]] = read_table("train.json")
        lists = (*self._names.values(), *read_table("test.json").values())
        # all listed names, in lower case: an invented name must not be one of them
        self._not_invented = {name.casefold() for names in lists for name in names}
        words = [word for names in self._names.values() for word in " ".join(names).split()]
        # the filter leaves out words without a capital, such as "van" and "bin"
        self._similar = SimilarNames(w for w in words if w[0].isupper())
        self._of_subwords = SubwordNames(subwords)

        # name in the corpus -> its category: man, woman, family or place
        self._category = {
            name: category for category, names in languages.stand_in.items() for name in names
        }
        # spelling in either language -> the name in the source language
        self._name_of_spelling = {
            spelling: name
            for name in self._category
            for spelling in (name, *languages.spelled.get(name, ()))
        }
        replaceable = whole_words("|".join([*self._name_of_spelling, _NUMBER]))
        self._replaceable = re.compile(replaceable)
        # A name, a number or a slot, together with an elidable word before it: "de Tom".
        elided = "|".join(languages.elided) or "(?!)"  # which matches nothing
        self._with_elision = re.compile(rf"(?:\b({elided}) )?({replaceable}|\{{\w+\}})")

    def replace(self, pair: Pair, random: np.random.Generator) -> Pair:
        """Return the pair with new names and numbers in place of those that both sides share."""
        source, target = pair
        in_source = self._names_and_numbers(source)
        in_target = self._names_and_numbers(target)
        in_both = [word for word in dict.fromkeys(in_source) if word in in_target]
        replacements = {word: self._another(word, random) for word in in_both}
        return self._substitute(source, replacements), self._substitute(target, replacements)

    def make(self, random: np.random.Generator) -> Pair:
        """Return a random template with names and numbers in its slots."""
        source, target = draw(self.templates, random)
        in_source: dict[str, str] = {}
        in_target: dict[str, str] = {}
        for slot in _SLOT.findall(source):
            value, forms = self._fill(slot, random)
            in_source[f"{{{slot}}}"] = value
            for ending, form in forms.items():
                in_target[f"{{{slot}{ending}}}"] = form
        return self._sentence(source, in_source), self._sentence(target, in_target)

    def _names_and_numbers(self, text: str) -> list[str]:
        """Return the names and numbers of a text that can be replaced, in their source spelling."""
        return [self._name_of_spelling.get(word, word) for word in self._replaceable.findall(text)]

    def _sentence(self, template: str, values: Mapping[str, str]) -> str:
        """Fill the slots of a template, and correct its beginning and its end."""
        text = self._substitute(template, values)
        text = text.replace(".m..", ".m.")  # a sentence that ends with "p.m."
        if template[0] == "{":  # a country with its article: "L'Inde"
            text = text[0].upper() + text[1:]
        return text

    def _substitute(self, text: str, replacements: Mapping[str, str]) -> str:
        """Replace names, numbers and slots, and write the French "d'" or "qu'" before a vowel.

        Args:
            text: a sentence or a template.
            replacements: name, number or slot -> its replacement. All others stay.
        """

        def replacement(match: re.Match[str]) -> str:
            before, word = match.groups()
            name = self._name_of_spelling.get(word, word)
            new = replacements.get(name, word)
            if not before:
                return new
            if begins_with_vowel(new):
                return self._languages.elided[before] + new
            return f"{before} {new}"

        return self._with_elision.sub(replacement, text)

    def _another(self, word: str, random: np.random.Generator) -> str:
        """Return a new name of the same category, or a new number with as many digits."""
        if not word.isdigit():
            return self.new_name(self._category[word], random)
        if len(word) == 4 and _YEARS[0] <= int(word) < _YEARS[1]:
            return str(random.integers(*_YEARS))
        if int(word) < 2:  # "1 dog" would become "25 dog"
            return word
        return _number(len(word), random)

    def _fill(self, slot: str, random: np.random.Generator) -> tuple[str, Forms]:
        """Return a word for a slot such as "person2", and its forms in the target language."""
        kind = slot.rstrip("0123456789")
        target = self._languages.name.rpartition("-")[2]
        rows = nouns(target).get(kind) if target else None
        if rows:
            return draw(rows, random)
        if kind in KINDS or kind == "date":
            in_source, in_target = quantity(kind, target, self._languages.month, random)
            return in_source, {"": in_target}
        if kind == "month":
            in_source, in_target = draw(self._languages.month, random)
            return in_source, {"": in_target}
        value = self._number_or_name(kind, random)
        return value, {"": value}

    def _number_or_name(self, kind: str, random: np.random.Generator) -> str:
        """Return a number or a name that is written identically in both languages."""
        if kind in _RANGES:
            return str(random.integers(*_RANGES[kind]))
        if kind == "number":
            n_digits = int(random.integers(1, 5))
            return _number(n_digits, random)
        if kind == "person":
            return self._person(random)
        if kind == "fullname":
            return self._full_name(random)
        return self.new_name(kind, random)

    def _person(self, random: np.random.Generator) -> str:
        category = "man" if random.random() < 0.5 else "woman"
        return self.new_name(category, random)

    def _full_name(self, random: np.random.Generator) -> str:
        """Return a name of two to four words, such as "Maria Garcia Lopez"."""
        if random.random() < _REAL / 2:
            return draw(self._names["full"], random)
        # Draw all name components, although no pattern uses all of them.
        first = self._person(random)
        family = self.new_name("family", random)
        form = draw(_FULL_NAMES, random)
        second = self._person(random)
        other_family = self.new_name("family", random)
        return form.format(first=first, family=family, second=second, other_family=other_family)

    def new_name(self, category: str, random: np.random.Generator) -> str:
        """Return a new name of a category: a real one or an invented one.

        An invented name is on none of the lists, neither on those of a training nor on those of a
        measurement.

        Args:
            category: man, woman, family or place.
            random: decides which.
        """
        number = random.random()
        if number < _REAL:
            return draw(self._names[category], random)
        if number < _REAL + _SIMILAR:
            invent = self._similar.invent
        elif number < _REAL + _SIMILAR + _OF_SUBWORDS and self._of_subwords:
            invent = self._of_subwords.invent
        else:
            invent = syllable_name
        while True:
            name = invent(random)
            if name.casefold() not in self._not_invented:
                return name


def _number(n_digits: int, random: np.random.Generator) -> str:
    """Return a random number with n digits, at least 2 so that the counted noun stays plural."""
    lowest = max(2, 10 ** (n_digits - 1))
    return str(random.integers(lowest, 10**n_digits))
