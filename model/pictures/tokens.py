"""How one subword of a text is written in a picture, so that nothing in it stays invisible."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby

from model.corpora.chinese import is_chinese
from model.tokenizers.tokenizer import PART, SPECIALS

_CONTINUES = "·"
_PARTS = re.compile(f"(?:{PART.pattern})+")


class ByteLabel(str):
    """The label of what holds a part of a character: it knows the bytes for who points at it."""

    raw: str

    def __new__(cls, label: str, raw: str = "") -> ByteLabel:
        part = super().__new__(cls, label)
        part.raw = raw
        return part


def in_full(label: str) -> str:
    """A label as it stands where there is room: a part of a character with its bytes.

    >>> [in_full(label) for label in display((" Ng", "<E1>", "<BB 85>"))]
    ['Ng', 'ễ 1/2 · 0xE1', 'ễ 2/2 · 0xBB85']
    """
    return f"{label} · {label.raw}" if isinstance(label, ByteLabel) else label


def told(labels: Iterable[str]) -> dict[str, str]:
    """The labels that say more when one points at them, each with what it says."""
    return {str(label): in_full(label) for label in labels if isinstance(label, ByteLabel)}


def display_subword(subword: str) -> str:
    """The visible form of one token: plain text, never empty.

    A subword that begins a word, as ``" dog"`` does, loses its space; one that continues a word
    gets a middle dot, but not a Chinese one: there is no space that it could tell of. In a word,
    bytes that are no character become U+FFFD, as in the text. Spaces, control and format characters
    become visible signs, and a part of a character its bytes.

    >>> [display_subword(subword) for subword in (" walk", "ing", ".", " ", "<eos>", "\\n", "书")]
    ['walk', '·ing', '.', '␣', '<eos>', '␊', '书']
    """
    if subword in SPECIALS:
        return subword
    if PART.fullmatch(subword):
        return _hex(subword)
    if runs := _PARTS.findall(subword):
        word = _PARTS.sub(lambda run: _bytes(run[0]).decode(errors="replace"), subword)
        return ByteLabel(display_subword(word), " ".join(map(_hex, runs)))
    begins = len(subword) > 1 and subword[0] == " "
    body = subword[1:] if begins else subword
    shown = _carried("".join(_visible(character) for character in body) or "∅")
    alone = begins or not body[:1].isalnum() or is_chinese(body[:1])
    return shown if alone else _CONTINUES + shown


def display(subwords: Sequence[str]) -> tuple[str, ...]:
    """The visible form of every token, in order; parts of one character say of which.

    >>> display((" Nguy", "<E1>", "<BB 85>", "n", "<C4>"))
    ('Nguy', 'ễ 1/2', 'ễ 2/2', '·n', '0xC4')
    """
    shown: list[str] = []
    for is_part, run in groupby(subwords, lambda subword: PART.fullmatch(subword) is not None):
        parts = list(run)
        shown += _of_characters(parts) if is_part else map(display_subword, parts)
    return tuple(shown)


def _of_characters(parts: Sequence[str]) -> list[str]:
    """Of which character each of these subwords is a part, where together they are characters."""
    raw = [_bytes(part) for part in parts]
    try:
        text = b"".join(raw).decode()
    except UnicodeDecodeError:
        return [display_subword(part) for part in parts]
    owner = [n for n, character in enumerate(text) for _ in character.encode()]  # of each byte
    ends = list(accumulate(map(len, raw)))
    last = [owner[end - 1] for end in ends]  # the character that a part ends in
    names = [_carried(_visible(character)) for character in text]
    return [
        ByteLabel(f"{names[n]} {last[:place].count(n) + 1}/{last.count(n)}", display_subword(part))
        for place, (n, part) in enumerate(zip(last, parts, strict=True))
    ]


def _bytes(run: str) -> bytes:
    return bytes.fromhex(re.sub("[<>]", "", run))


def _hex(run: str) -> str:
    return f"0x{_bytes(run).hex().upper()}"


def _carried(shown: str) -> str:
    """A mark that would stand on nothing stands on a dotted circle."""
    return f"◌{shown}" if unicodedata.category(shown[0])[0] == "M" else shown


def _visible(character: str) -> str:
    code = ord(character)
    if character == " ":
        return "␣"
    if code < 0x20:
        return chr(0x2400 + code)
    if unicodedata.category(character)[0] in "CZ":
        return f"U+{code:04X}"
    return character
