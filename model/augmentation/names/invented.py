"""Invent names in three ways: from syllables, from letters of real names, or from subwords."""

from collections.abc import Iterable
from itertools import pairwise

from model.augmentation.random_choice import Random, draw

# Syllable components. A component that is listed twice is drawn twice as often.
_ONSETS = ("", *"bbcddfgghjkkllmmnnprrsstttvwyz", "ch", "dj", "gr", "kh", "ng", "sh", "st", "tr")
_VOWELS = (*"aaaeeiioouu", "ai", "ei", "ou", "ao", "ie", "oe")
_CODAS = ("", "", "", "", *"nnrlsmktx", "nd", "rt")
_SYLLABLES_OF_A_WORD = (1, 2, 2, 3)
_TWO_WORDS_SHARE = 0.1  # share of the names

_LETTERS_WITH_ACCENTS = (  # a letter -> all accented letters that may replace it
    "aáàâãäåāăạảấầ cçćč eéèêëęěếềệ gğ iíîïī lł nñńň oóòôõöøőơốộ rř sśşš uúùûüůűưứ yý zźżž"
)
_WITH_ACCENT = {letters[0]: letters[1:] for letters in _LETTERS_WITH_ACCENTS.split()}
# share of words in which a random letter gets an accent, if an accented form exists
_ACCENT_SHARE = 0.2

# initial state of a letter chain: two spaces, because each letter depends on the previous two
_START = "  "
_END = "\n"
_SIMILAR_LENGTHS = range(3, 13)  # numbers of letters of a similar name

_MAX_SUBWORD_NAME = 14  # most letters of a name from subwords
_FURTHER_SUBWORDS = (1, 1, 2, 2, 3)  # numbers of subwords after the first one


def syllable_name(random: Random) -> str:
    """Return an invented name of one or two words, each of one to three syllables."""
    n_words = 2 if random.random() < _TWO_WORDS_SHARE else 1
    return " ".join(_syllable_word(random) for _ in range(n_words))


def _syllable_word(random: Random) -> str:
    """Return one word of one to three syllables with a capital, and sometimes with an accent."""
    n_syllables = draw(_SYLLABLES_OF_A_WORD, random)
    word = ""
    for _ in range(n_syllables):
        word += draw(_ONSETS, random)
        word += draw(_VOWELS, random)
    word += draw(_CODAS, random)

    letters = list(word)
    position = random.integers(len(letters))
    if random.random() < _ACCENT_SHARE and letters[position] in _WITH_ACCENT:
        letters[position] = draw(_WITH_ACCENT[letters[position]], random)
    return "".join(letters).capitalize()


class SimilarNames:
    """Invents names that resemble the names in a list.

    It is a Markov chain: each letter is drawn from those that follow the same two letters in the
    list. A model learns to copy only subwords that it has seen in names. Names of syllables hold
    few different subwords; names such as "Bartholomew" also hold those of ordinary words.

    Source: Shannon 1948, section 3 (the series of approximations to English).
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._next: dict[str, list[str]] = {}  # two letters -> the letters that follow them
        for name in names:
            letters = _START + name + _END
            for (first, second), third in zip(pairwise(letters), letters[2:], strict=False):
                self._next.setdefault(first + second, []).append(third)

    def invent(self, random: Random) -> str:
        """Return an invented name of 3 to 12 letters, possibly one that is also in the list."""
        while True:
            letters = _START
            while letters[-1] != _END:
                letters += draw(self._next[letters[-2:]], random)
            name = letters.removeprefix(_START).removesuffix(_END)
            if len(name) in _SIMILAR_LENGTHS:
                return name


class SubwordNames:
    """Invents names from two to four subwords; all subwords are equally likely.

    "Priya" is split into " Pri", "y" and "a". A model that has seen " Pri" only in "Prison" takes
    the name for a prison. It copies a subword only if it has seen it in names. In these names it
    sees every subword.

    Args:
        subwords: of the vocabulary. The first subword of a name begins a word with a capital; the
            others are small letters inside a word.
    """

    def __init__(self, subwords: Iterable[str]) -> None:
        subwords = list(subwords)
        self._first = [
            subword[1:]
            for subword in subwords
            if subword.startswith(" ") and subword.istitle() and subword[1:].isalpha()
        ]
        self._further = [s for s in subwords if s.isalpha() and s.islower()]

    def __bool__(self) -> bool:
        """Return whether the vocabulary has subwords for the beginning and for the rest of a name.

        If it has not, ``invent`` cannot be called, and names are made of syllables.
        """
        return bool(self._first and self._further)

    def invent(self, random: Random) -> str:
        """Return an invented name of at most 14 letters. The tokenizer may split it differently."""
        while True:
            n_further = draw(_FURTHER_SUBWORDS, random)
            further = random.integers(len(self._further), size=n_further)
            name = draw(self._first, random)
            name += "".join(self._further[i] for i in further)
            if len(name) <= _MAX_SUBWORD_NAME:
                return name
