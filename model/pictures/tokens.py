"""Return labels of subwords for pictures. Every character of a label is visible."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby

from model.corpora.chinese import is_chinese
from model.tokenizers.tokenizer import BYTES_SUBWORD, is_special

CONTINUES = "·"  # written before a subword that continues a word
_BYTES = re.compile(f"(?:{BYTES_SUBWORD.pattern})+")  # consecutive subwords of bytes


class ByteLabel(str):
    """The label of a subword that holds some bytes of a character. A tooltip shows the bytes."""

    raw: str  # the bytes, such as "0xE1"

    def __new__(cls, label: str, raw: str = "") -> ByteLabel:
        byte_label = super().__new__(cls, label)
        byte_label.raw = raw
        return byte_label


def in_full(label: str) -> str:
    """Return the text of a label's tooltip: the label, with its bytes if it has any.

    >>> [in_full(label) for label in display((" Ng", "<E1>", "<BB 85>"))]
    ['Ng', 'ễ 1/2 · 0xE1', 'ễ 2/2 · 0xBB85']
    """
    return f"{label} · {label.raw}" if isinstance(label, ByteLabel) else label


def full_labels(labels: Iterable[str]) -> dict[str, str]:
    """Return label -> text of its tooltip, for each label that has bytes."""
    return {str(label): in_full(label) for label in labels if isinstance(label, ByteLabel)}


def display_subword(subword: str) -> str:
    """Return the visible, non-empty label of one token.

    - A subword that begins a word, such as ``" dog"``, loses its space.
    - One that continues a word gets a middle dot. Chinese has no spaces, so it gets none.
    - Spaces, control and format characters become visible signs.
    - Bytes that are not a character become U+FFFD inside a word. Alone, they become hexadecimal
      digits.

    >>> [display_subword(subword) for subword in (" walk", "ing", ".", " ", "<eos>", "\\n", "书")]
    ['walk', '·ing', '.', '␣', '<eos>', '␊', '书']
    """
    if is_special(subword):
        return subword
    if BYTES_SUBWORD.fullmatch(subword):
        return _hex(subword)

    runs_of_bytes = _BYTES.findall(subword)
    if runs_of_bytes:
        word = _BYTES.sub(lambda run: _bytes(run[0]).decode(errors="replace"), subword)
        return ByteLabel(display_subword(word), " ".join(map(_hex, runs_of_bytes)))

    begins_word = len(subword) > 1 and subword[0] == " "
    body = subword[1:] if begins_word else subword
    visible = "".join(_visible(character) for character in body) or "∅"
    label = _with_base(visible)
    continues_word = not begins_word and body[:1].isalnum() and not is_chinese(body[:1])
    return CONTINUES + label if continues_word else label


def display(subwords: Sequence[str]) -> tuple[str, ...]:
    """Return the visible label of each token, in order.

    Where several tokens are the bytes of one character, each is labelled with the character.

    >>> display((" Nguy", "<E1>", "<BB 85>", "n", "<C4>"))
    ('Nguy', 'ễ 1/2', 'ễ 2/2', '·n', '0xC4')
    """
    labels: list[str] = []
    for are_bytes, group in groupby(
        subwords, lambda subword: BYTES_SUBWORD.fullmatch(subword) is not None
    ):
        run = [*group]
        labels += _display_bytes(run) if are_bytes else map(display_subword, run)
    return tuple(labels)


def _display_bytes(subwords: Sequence[str]) -> list[str]:
    """Label byte subwords with the characters of their bytes, if these are valid UTF-8."""
    raw = [_bytes(subword) for subword in subwords]
    try:
        text = b"".join(raw).decode()
    except UnicodeDecodeError:
        return [display_subword(subword) for subword in subwords]

    # 1. Find the character of each byte. A subword belongs to the character of its last byte
    character_of_byte = [n for n, character in enumerate(text) for _ in character.encode()]
    ends = accumulate(map(len, raw))
    character_of_subword = [character_of_byte[end - 1] for end in ends]

    # 2. Number the subwords of each character: "ễ 1/2", "ễ 2/2"
    labels: list[str] = []
    for position, (n, subword) in enumerate(zip(character_of_subword, subwords, strict=True)):
        character = _with_base(_visible(text[n]))
        number = character_of_subword[:position].count(n) + 1
        total = character_of_subword.count(n)
        labels.append(ByteLabel(f"{character} {number}/{total}", display_subword(subword)))
    return labels


def _bytes(run: str) -> bytes:
    """Return the bytes that subwords such as ``"<BB 85>"`` spell."""
    return bytes.fromhex(re.sub("[<>]", "", run))


def _hex(run: str) -> str:
    return f"0x{_bytes(run).hex().upper()}"


def _with_base(label: str) -> str:
    """Put a dotted circle before a combining mark, which cannot be drawn alone."""
    return f"◌{label}" if unicodedata.category(label[0])[0] == "M" else label


def _visible(character: str) -> str:
    """Return a visible sign in place of a space, a control or a format character."""
    code = ord(character)
    if character == " ":
        return "␣"
    if code < 0x20:
        return chr(0x2400 + code)
    if unicodedata.category(character)[0] in "CZ":
        return f"U+{code:04X}"
    return character
