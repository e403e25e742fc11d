"""How much room a text takes in a picture, before any browser has drawn it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

# Of the font's size, in DejaVu Sans, the widest of the fonts that the app asks for.
_LETTER = 0.64
_NARROW, _NARROW_LETTERS = 0.4, frozenset("fijlrtI.,;:!|'’·()[] ")
_BROAD, _BROAD_LETTERS = 0.97, frozenset("mwMW@%—…")
_JOINER = "\u200d"  # zero width joiner
_NO_ROOM = ("Mn", "Me")  # marks above, below and around
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


def cut(text: str, longest: int) -> str:
    """A text of at most so many signs; a longer one ends in an ellipsis, after a whole sign.

    >>> cut("नमस्ते", 4), cut("नमस्ते", 3)
    ('नमस्ते', 'नम…')
    """
    whole = [*signs(text)]
    return text if len(whole) <= longest else "".join(whole[: longest - 1]) + "…"


def signs(text: str) -> Iterator[str]:
    """Each character with the marks that it carries, and what a joiner ties to it."""
    sign = ""
    for character in text:
        tied = unicodedata.category(character)[0] == "M" or _JOINER in (character, sign[-1:])
        if sign and not tied:
            yield sign
            sign = ""
        sign += character
    if sign:
        yield sign


def _width(sign: str) -> float:
    if unicodedata.category(sign) in _NO_ROOM:
        return 0.0
    if unicodedata.east_asian_width(sign) in _SQUARE:
        return 1.0
    if sign in _BROAD_LETTERS:
        return _BROAD
    return _NARROW if sign in _NARROW_LETTERS else _LETTER
