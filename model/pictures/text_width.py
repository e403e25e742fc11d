"""How much room a text takes in a picture, before any browser has drawn it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_LETTER = 0.58  # of the font's size, on average
_WIDE = "WF"  # as wide as high: Chinese and Japanese signs, Korean syllables


def text_width(text: str, font: int) -> float:
    """About how many pixels a text takes.

    >>> text_width("head", 10) < text_width("注意力头", 10) == 40
    True
    """
    wide = sum(unicodedata.east_asian_width(sign) in _WIDE for sign in text)
    return font * (wide + _LETTER * (len(text) - wide))


def widest(texts: Iterable[str], font: int) -> float:
    """The same of the widest of several."""
    return max(text_width(text, font) for text in texts)
