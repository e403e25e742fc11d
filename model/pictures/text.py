"""A text in a picture: its language, its direction, and how much room it takes."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal

from model.tokenizers.tokenizer import SPECIALS

_TAGS = {"zh": "zh-Hans"}  # where the code alone does not say the script
_NAMED = re.compile(r"0x[0-9A-F]+|U\+[0-9A-F]+")  # its letters are ours, not the text's

# Of the font's size, in DejaVu Sans, the widest of the fonts that the app asks for.
_LETTER = 0.64
_NARROW, _NARROW_LETTERS = 0.4, frozenset("fijlrtI.,;:!|'’·()[] ")
_BROAD, _BROAD_LETTERS = 0.97, frozenset("mwMW@%—…")
_JOINER = "\u200d"  # zero width joiner


def tag(language: str | None) -> str:
    """What stands in the attribute ``lang``; empty where no language is known.

    >>> tag("zh"), tag("fr"), tag(None)
    ('zh-Hans', 'fr', '')
    """
    return _TAGS.get(language, language) if language else ""


def direction(labels: Iterable[str]) -> Literal["ltr", "rtl"]:
    """That of most letters of some visible tokens, so that a foreign name turns nothing.

    ``"rtl"`` for Hebrew, Arabic and others that are read from the right; ``"ltr"`` for what has no
    letters, too.

    Source: Unicode Standard Annex #9, the strong types of characters.

    >>> [direction(labels) for labels in (["<bos>", "Anna", "גרה", "בתל", "אביב"], ["12", "a"])]
    ['rtl', 'ltr']
    """
    texts = (label for label in labels if label not in SPECIALS and not _NAMED.fullmatch(label))
    kinds = [unicodedata.bidirectional(character) for text in texts for character in text]
    from_right = kinds.count("R") + kinds.count("AL")
    return "rtl" if from_right > kinds.count("L") else "ltr"


def within_line(text: str) -> str:
    """A text within a line that is read from the left: what follows stays behind it.

    One that is read from the right gets a mark of its own direction after its last sign, then one
    of the line's. Two such texts with an arrow between would be read in the wrong order.
    """
    return f"{text}\u200f\u200e" if direction([text]) == "rtl" else text


def text_width(text: str, font: int) -> float:
    """About how many pixels a text takes in a font of so many pixels.

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
    if unicodedata.category(sign) in ("Mn", "Me"):  # marks above, below and around
        return 0.0
    if unicodedata.east_asian_width(sign) in "WF":  # Chinese and Japanese signs, Korean syllables
        return 1.0
    if sign in _BROAD_LETTERS:
        return _BROAD
    return _NARROW if sign in _NARROW_LETTERS else _LETTER
