"""Sentences as people type them: in small letters, without the final sign, or both.

A corpus writes "How are you?"; a visitor writes "how are you". Few write "How Are You" as in a
title, or "how ARE you?". What is wanted of the model is the same, so only the source changes.
"""

from __future__ import annotations

import re

import numpy as np

_TITLE, _STRESSED = 0.06, 0.06  # shares of these
# No part of an address, and no unit after a number.
_WORD = re.compile(r"(?<![\w@./'-])(?<!\d )[^\W\d_]+(?:'[^\W\d_]+)*(?![\w@/-]|\.\w)")
_SMALL_IN_TITLES = frozenset(
    "a an and as at but by for from in into nor of on or over the to with".split()  # noqa: SIM905
)
_FINAL_SIGN = re.compile(r"(?<=\w)\s*[.!?…]+$")


def as_typed(text: str, random: np.random.Generator) -> str:
    """The text in small letters, without its final sign, or both: about a third each."""
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
    word = words[int(random.integers(len(words)))]
    return text[: word.start()] + word[0].upper() + text[word.end() :]


def without_final_sign(text: str) -> str:
    """The text without the sign that ends its last sentence.

    >>> without_final_sign("How are you ?")
    'How are you'
    """
    return _FINAL_SIGN.sub("", text)
