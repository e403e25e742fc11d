"""How one subword of a text is written in a picture, so that nothing in it stays invisible."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from model.data.chinese import is_chinese
from model.data.tokenizer import SPECIALS

_CONTINUES = "·"


def display_subword(subword: str) -> str:
    """The visible form of one token.

    A subword that begins a word loses its leading space; one that continues a word gets a
    middle dot, but not a Chinese one: there is no space between words that it could tell of.
    Spaces, control and format characters become visible signs.

    Args:
        subword: as the model gives it: ``" dog"`` begins a word, ``"ing"`` continues one.

    Returns:
        Plain text, never empty.

    >>> [display_subword(subword) for subword in (" walk", "ing", ".", " ", "<eos>", "\\n", "书")]
    ['walk', '·ing', '.', '␣', '<eos>', '␊', '书']
    """
    if subword in SPECIALS:
        return subword
    begins = len(subword) > 1 and subword[0] == " "
    body = subword[1:] if begins else subword
    shown = "".join(_visible(character) for character in body) or "∅"
    if unicodedata.category(shown[0]).startswith("M"):
        shown = "◌" + shown
    alone = begins or not body[:1].isalnum() or is_chinese(body[:1])
    return shown if alone else _CONTINUES + shown


def display(subwords: Sequence[str]) -> tuple[str, ...]:
    """The visible form of every token, in order."""
    return tuple(display_subword(subword) for subword in subwords)


def _visible(character: str) -> str:
    code = ord(character)
    if character == " ":
        return "␣"
    if code < 0x20:
        return chr(0x2400 + code)
    if unicodedata.category(character)[0] in "CZ":
        return f"U+{code:04X}"
    return character
