"""How one piece of a text is written on a page, so that nothing in it stays invisible."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

CONTINUES = "·"
SPECIAL = frozenset({"<pad>", "<bos>", "<eos>", "<unk>"})


def display_piece(piece: str) -> str:
    """The visible form of one token.

    A piece that begins a word loses its leading space; one that continues a word gets a
    middle dot. Spaces, control and format characters become visible signs.

    Args:
        piece: as the model gives it: ``" dog"`` begins a word, ``"ing"`` continues one.

    Returns:
        Plain text, never empty.

    >>> [display_piece(piece) for piece in (" walk", "ing", ".", " ", "<eos>", "\\n")]
    ['walk', '·ing', '.', '␣', '<eos>', '␊']
    """
    if piece in SPECIAL:
        return piece
    begins = len(piece) > 1 and piece[0] == " "
    body = piece[1:] if begins else piece
    shown = "".join(_visible(character) for character in body) or "∅"
    if unicodedata.category(shown[0]).startswith("M"):
        shown = "◌" + shown
    return shown if begins or not body[:1].isalnum() else CONTINUES + shown


def display(pieces: Sequence[str]) -> tuple[str, ...]:
    """The visible form of every token, in order."""
    return tuple(display_piece(piece) for piece in pieces)


def _visible(character: str) -> str:
    code = ord(character)
    if character == " ":
        return "␣"
    if code < 0x20:
        return chr(0x2400 + code)
    if unicodedata.category(character)[0] in "CZ":
        return f"U+{code:04X}"
    return character
