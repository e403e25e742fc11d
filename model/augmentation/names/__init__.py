"""What we wrote down about names, in no language and in pairs of languages, and names invented.

``train.json`` holds the names that a training puts into sentences, ``test.json`` those that only a
measurement sees, ``slots.json`` countries and the like. A file such as ``en-fr.json`` holds what
belongs to one pair of languages.
"""

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from model.corpora.chinese import whole_words
from model.corpora.pairs import Pair, spread_out

T = TypeVar("T")
Random = np.random.Generator
Forms = Mapping[str, str]  # ending of a slot -> what stands there
_FOLDER = Path(__file__).parent
_ASKED = 1000  # pairs of a corpus, for its languages
_ENOUGH = 0.2  # share of the sentences that have common words on both sides

# Syllables; what stands twice is drawn twice as often.
_ONSETS = ("", *"bbcddfgghjkkllmmnnprrsstttvwyz", "ch", "dj", "gr", "kh", "ng", "sh", "st", "tr")
_VOWELS = (*"aaaeeiioouu", "ai", "ei", "ou", "ao", "ie", "oe")
_CODAS = ("", "", "", "", *"nnrlsmktx", "nd", "rt")
_SYLLABLES = (1, 2, 2, 3)
_ACCENTS = (  # a letter, and all that may stand for it
    "aáàâãäåāăạảấầ cçćč eéèêëęěếềệ gğ iíîïī lł nñńň oóòôõöøőơốộ rř sśşš uúùûüůűưứ yý zźżž"
)
_WITH_ACCENT = {letters[0]: letters[1:] for letters in _ACCENTS.split()}
_ACCENTED = 0.2
_TWO_WORDS = 0.1

_START, _END = "  ", "\n"  # two spaces, so that a chain begins as names do
_LENGTHS = range(3, 13)  # letters of a similar name
_LONGEST = 14  # letters of a name from subwords
_MORE = (1, 1, 2, 2, 3)  # subwords after the first

_VOWEL = re.compile(r"(?!onze\b)[aeiouøœæ]|y[^aeiou]", re.IGNORECASE)
_CONTRACTED = {"le ": ("au ", "du "), "les ": ("aux ", "des ")}


@dataclass(frozen=True)
class LanguagePair:
    """Two languages, as far as names and numbers go. Without a file, all of it is empty."""

    name: str = ""  # such as "en-fr"
    # man, woman, family or place -> the names of the corpus that give way to others. They begin
    # with a consonant.
    stand_in: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # Name of these -> all that the target language writes for it, if not the same.
    spelled: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # Word -> how the target language writes it before a vowel.
    elided: Mapping[str, str] = field(default_factory=dict)
    templates: Sequence[Pair] = ()  # with slots such as {person} and {person2}
    month: Sequence[Pair] = ()  # the twelve in both languages


def language_pair_of(pairs: Collection[Pair]) -> LanguagePair:
    """The languages of a corpus: a fifth of its sentences have common words of both, on both sides.

    It is empty where we have no file for them.
    """
    pairs = spread_out(pairs, _ASKED)
    for path in sorted(_FOLDER.glob("*-*.json")):
        content = table(path.name)
        source, target = (
            re.compile(whole_words("|".join(words)), re.IGNORECASE)
            for words in content.pop("common")
        )
        fitting = sum(bool(source.search(s) and target.search(t)) for s, t in pairs)
        if fitting >= _ENOUGH * len(pairs):
            return LanguagePair(name=path.stem, **content)
    return LanguagePair()


def table(name: str) -> dict[str, Any]:
    """What one of the files here holds, such as the lists of ``train.json`` by their names."""
    return json.loads((_FOLDER / name).read_text(encoding="utf-8"))


def one_of(choices: Sequence[T], random: Random) -> T:
    """One of several things, each as likely as the others."""
    return choices[int(random.integers(len(choices)))]


def invented_name(random: Random) -> str:
    """A name that nobody has, of one or two words of one to three syllables each."""
    words = 2 if random.random() < _TWO_WORDS else 1
    return " ".join(_invented_word(random) for _ in range(words))


def _invented_word(random: Random) -> str:
    n_syllables = one_of(_SYLLABLES, random)
    syllables = (one_of(_ONSETS, random) + one_of(_VOWELS, random) for _ in range(n_syllables))
    letters = list("".join(syllables) + one_of(_CODAS, random))
    place = random.integers(len(letters))
    if random.random() < _ACCENTED and letters[place] in _WITH_ACCENT:
        letters[place] = one_of(_WITH_ACCENT[letters[place]], random)
    return "".join(letters).capitalize()


class SimilarNames:
    """A Markov chain over letters: which one follows the two before it, in the names of a list.

    Invented syllables have few subwords; "Bartholomew" has some that stand in ordinary words, too,
    and a model learns to copy those where it sees them.

    Source: Shannon 1948, section 3 (the series of approximations to English).
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._next: dict[str, list[str]] = {}
        for name in names:
            letters = _START + name + _END
            for (one, two), three in zip(pairwise(letters), letters[2:], strict=False):
                self._next.setdefault(one + two, []).append(three)

    def one(self, random: Random) -> str:
        """A name of 3 to 12 letters; some of them are those of the list again."""
        while True:
            letters = _START
            while letters[-1] != _END:
                letters += one_of(self._next[letters[-2:]], random)
            if len(name := letters[2:-1]) in _LENGTHS:
                return name


class SubwordNames:
    """Names of two to four subwords, drawn alike; the first begins a word with a capital.

    "Priya" is cut into " Pri", "y" and "a". A model that has seen " Pri" in "Prison" only reads a
    prison. What it is to copy must have stood in names, and in these any subword does.

    Where none of the subwords begins a name, or none goes on with one, this is false.
    """

    def __init__(self, subwords: Iterable[str]) -> None:
        known = list(subwords)
        capitals = [s for s in known if s.startswith(" ") and s.istitle() and s[1:].isalpha()]
        self._first = [s[1:] for s in capitals]
        self._more = [s for s in known if s.isalpha() and s.islower()]

    def __bool__(self) -> bool:
        return bool(self._first and self._more)

    def one(self, random: Random) -> str:
        """A name of at most 14 letters; the tokenizer may cut it elsewhere than it was joined."""
        name = ""
        while not name or len(name) > _LONGEST:
            more = random.integers(len(self._more), size=one_of(_MORE, random))
            first = one_of(self._first, random)
            name = first + "".join(self._more[i] for i in more)
        return name


@cache
def nouns(target: str) -> Mapping[str, list[tuple[str, Forms]]]:
    """Countries, cities and the like: kind -> (English, forms in ``target``, "fr" or "zh").

    English has one "in"; French says au Japon, en Inde, aux Pays-Bas, à Lyon. Which, its article
    tells. Chinese writes the name alone.
    """
    tables = table("slots.json")
    tables["one_country"] = [row for row in tables["country"] if not row[1].startswith("les ")]

    def forms(kind: str, french: str, chinese: str) -> Forms:
        if target != "fr":
            return {"": chinese}
        if kind == "nationality":
            return dict(zip(("", "_f"), french.split(), strict=True))
        return french_forms(french, city=kind == "city")

    return {
        kind: [(english, forms(kind, *there)) for english, *there in rows]
        for kind, rows in tables.items()
    }


def french_forms(name: str, *, city: bool = False) -> Forms:
    """A name, such as "les Pays-Bas" or "Cuba", and what it is after "in", "to", "from" and "of".

    Of those without an article all cities want "à", and of the countries the islands.

    >>> french_forms("l'Inde")["_in"], french_forms("le Japon")["_from"]
    ('en Inde', 'du Japon')
    """
    article, noun = re.fullmatch(r"([Ll]es? |la |l'|)(.+)", name).groups()  # type: ignore[union-attr]
    vowel = article == "l'" or vowel_first(noun)
    without = f"d'{noun}" if vowel else f"de {noun}"
    if contracted := _CONTRACTED.get(article.lower()):
        to, of = (before + noun for before in contracted)
        in_, from_ = to, of
    else:
        to, of = f"à {name}", f"de {name}" if article else without
        in_, from_ = to if city or not (article or vowel) else f"en {noun}", without
    return {"": name, "_bare": noun, "_in": in_, "_to": to, "_from": from_, "_of": of}


def vowel_first(name: str) -> bool:
    """Whether "de" becomes "d'" before a name."""
    return bool(_VOWEL.match(unicodedata.normalize("NFD", name)))
