"""How much room a text takes in a picture, before any browser has drawn it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

# Of the font's size, in DejaVu Sans, the widest of the fonts that the app asks for.
_LETTER = 0.64
_NARROW, _NARROW_LETTERS = 0.4, frozenset("fijlrtI.,;:!|'’·()[] ")
_BROAD, _BROAD_LETTERS = 0.97, frozenset("mwMW@%—…")
_SQUARE = "WF"  # as wide as high: Chinese and Japanese signs, Korean syllables


def text_width(text: str, font: int) -> float:
    """About how many pixels a text takes.

    >>> text_width("ill", 10) < text_width("head", 10) < text_width("注意力头", 10) == 40
    True
    """
    return font * sum(map(_width, text))


def widest(texts: Iterable[str], font: int) -> float:
    """The same of the widest of several."""
    return max(text_width(text, font) for text in texts)


def _width(sign: str) -> float:
    if unicodedata.east_asian_width(sign) in _SQUARE:
        return 1.0
    if sign in _BROAD_LETTERS:
        return _BROAD
    return _NARROW if sign in _NARROW_LETTERS else _LETTER
