"""Names that nobody has, from syllables: who wants to say them can only copy them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# What stands twice is drawn twice as often.
_ONSETS = ("", *"bbcddfgghjkkllmmnnprrsstttvwyz", "ch", "dj", "gr", "kh", "ng", "sh", "st", "tr")
_VOWELS = (*"aaaeeiioouu", "ai", "ei", "ou", "ao", "ie", "oe")
_CODAS = ("", "", "", "", *"nnrlsmktx", "nd", "rt")
_SYLLABLES = (1, 2, 2, 3)
_WITH_ACCENT = {
    "a": "áàâãäåāăạảấầ",
    "c": "çćč",
    "e": "éèêëęěếềệ",
    "g": "ğ",
    "i": "íîïī",
    "l": "ł",
    "n": "ñńň",
    "o": "óòôõöøőơốộ",
    "r": "ř",
    "s": "śşš",
    "u": "úùûüůűưứ",
    "y": "ý",
    "z": "źżž",
}
_ACCENTED = 0.2
_TWO_WORDS = 0.1


def invented_name(random: np.random.Generator) -> str:
    """A name of one or two words, of one to three syllables each; one in five has an accent."""
    words = 2 if random.random() < _TWO_WORDS else 1
    return " ".join(_word(random) for _ in range(words))


def _word(random: np.random.Generator) -> str:
    n_syllables = _SYLLABLES[int(random.integers(len(_SYLLABLES)))]
    syllables = (_one(_ONSETS, random) + _one(_VOWELS, random) for _ in range(n_syllables))
    letters = list("".join(syllables) + _one(_CODAS, random))
    place = random.integers(len(letters))
    if random.random() < _ACCENTED and letters[place] in _WITH_ACCENT:
        letters[place] = _one(_WITH_ACCENT[letters[place]], random)
    return "".join(letters).capitalize()


def _one(choices: Sequence[str], random: np.random.Generator) -> str:
    return choices[int(random.integers(len(choices)))]
