"""Imitate careless typing: no capitals, no final punctuation, or capitals as in a title."""

import re

import numpy as np

from model.augmentation.random_choice import draw

_TITLE_SHARE = 0.06  # share of the changed texts that become titles
_STRESS_SHARE = 0.06  # share of the changed texts in which one word is in capitals

# A word that is neither part of an address nor a unit after a number.
_WORD = re.compile(r"(?<![\w@./'-])(?<!\d )[^\W\d_]+(?:'[^\W\d_]+)*(?![\w@/-]|\.\w)")
_SMALL_IN_TITLES = frozenset(
    "a an and as at but by for from in into nor of on or over the to with".split()  # noqa: SIM905
)
_FINAL_SIGN = re.compile(r"(?<=\w)\s*[.!?…]+$")


def type_carelessly(text: str, random: np.random.Generator) -> str:
    """Return a text as people type it in a hurry: without capitals or final punctuation.

    Most texts lose their capitals, their final sign, or both, a third each. A few are like a title,
    "How Are You", or have a word in capitals, "how ARE you?". The translation should not change, so
    this is for sources only.
    """
    number = random.random()
    if number < _TITLE_SHARE:
        return as_title(text)
    if number < _TITLE_SHARE + _STRESS_SHARE:
        return with_stress(text, random)

    lost = random.integers(3)  # 0: the capitals, 1: the final punctuation, 2: both
    if lost != 0:
        text = without_final_sign(text)
    if lost != 1:
        text = text.lower()
    return text


def as_title(text: str) -> str:
    """Write a text as an English title. Articles and short prepositions inside it stay lower-case.

    >>> as_title("The history of the modern car isn't over.")
    "The History of the Modern Car Isn't over"
    """

    def capitalised(match: re.Match[str]) -> str:
        word = match[0]
        return word if word in _SMALL_IN_TITLES else word[0].upper() + word[1:]

    text = _WORD.sub(capitalised, without_final_sign(text))
    return text[:1].upper() + text[1:]


def with_stress(text: str, random: np.random.Generator) -> str:
    """Write one lower-case word in capitals, such as "NOT" in "I am NOT tired"."""
    words = [word for word in _WORD.finditer(text) if len(word[0]) > 1 and word[0].islower()]
    if not words:
        return text
    word = draw(words, random)
    return text[: word.start()] + word[0].upper() + text[word.end() :]


def without_final_sign(text: str) -> str:
    """Remove the punctuation mark at the end of a text.

    >>> without_final_sign("How are you ?")
    'How are you'
    """
    return _FINAL_SIGN.sub("", text)
