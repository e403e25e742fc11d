"""How a text is marked for browsers and readers of pictures: its language, and its direction."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

from model.data.tokenizer import SPECIALS

Direction = Literal["ltr", "rtl"]
_TAGS = {"zh": "zh-Hans"}  # where the code alone does not say the script
_NAMED = re.compile(r"0x[0-9A-F]+|U\+[0-9A-F]+")  # its letters are ours, not the text's


def tag(language: str | None) -> str:
    """What stands in the attribute ``lang``; empty where no language is known.

    >>> tag("zh"), tag("fr"), tag(None)
    ('zh-Hans', 'fr', '')
    """
    return _TAGS.get(language, language) if language else ""


def direction(labels: Iterable[str]) -> Direction:
    """That of most letters, so that a foreign name at the start turns nothing.

    Args:
        labels: the visible tokens of a sentence, or the sentence alone.

    Returns:
        ``"rtl"`` for Hebrew, Arabic and others that are read from the right; ``"ltr"`` for what
        has no letters, too.

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
