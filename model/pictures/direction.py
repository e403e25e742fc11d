"""In which direction a text is read, decided here for every picture that shows it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

from model.data.tokenizer import SPECIALS

Direction = Literal["ltr", "rtl"]
_NAMED = re.compile(r"0x[0-9A-F]+|U\+[0-9A-F]+")  # its letters are ours, not the text's


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
    strong = [
        unicodedata.bidirectional(character)
        for label in labels
        if label not in SPECIALS and not _NAMED.fullmatch(label)
        for character in label
    ]
    from_right = strong.count("R") + strong.count("AL")
    return "rtl" if from_right > strong.count("L") else "ltr"
