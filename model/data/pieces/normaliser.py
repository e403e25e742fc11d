"""How SentencePiece makes a text uniform before it cuts it; nothing typed loses its place."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

SPACE = "▁"  # U+2581: a space inside of a piece
_LABEL, _LEAF, _WIDE = (1 << 31) | 0xFF, 1 << 8, 1 << 9


class Sign(NamedTuple):
    """One character of the uniform text.

    Args:
        character: one.
        start: where that begins in the typed text which it stands for.
        end: where that ends.
    """

    character: str
    start: int
    end: int


class Rules:
    """What is written in place of what: a table that is searched for the longest entry.

    Args:
        charsmap: as SentencePiece stores it: the size of a double array in bytes, the double array,
            and the texts to write, each with a zero behind it; all numbers little-endian. Empty
            where nothing is replaced.

    Raises:
        ValueError: it is cut off.

    Source: Aoe 1989 (double array); the layout of a unit is that of Darts-clone.
    """

    def __init__(self, charsmap: bytes) -> None:
        size = int.from_bytes(charsmap[:4], "little")
        if charsmap and not (size and size % 4 == 0 and 4 + size <= len(charsmap)):
            raise ValueError("its table of replaced characters is cut off")
        self._units: list[int] = np.frombuffer(charsmap[4 : 4 + size], "<u4").tolist()
        self._texts = charsmap[4 + size :]

    def longest(self, text: str, start: int) -> tuple[str, int] | None:
        """What stands for the longest entry that the text goes on with, and where that ends."""
        found = None
        place = self._offset(0)
        for end in range(start, len(text) if self._units else 0):
            for byte in text[end].encode():
                place ^= byte
                if self._unit(place) & _LABEL != byte:
                    return found
                has_leaf = self._unit(place) & _LEAF
                place ^= self._offset(place)
            if has_leaf:
                found = self._text(self._unit(place) & ~(1 << 31)), end + 1
        return found

    def _unit(self, place: int) -> int:
        return self._units[place] if place < len(self._units) else 0

    def _offset(self, place: int) -> int:
        unit = self._unit(place)
        return unit >> 10 << (8 if unit & _WIDE else 0)

    def _text(self, start: int) -> str:
        return self._texts[start : max(self._texts.find(0, start), start)].decode(errors="replace")


class Normaliser:
    """Typed text to uniform text, in which a space is written ``▁``.

    Args:
        rules: what is replaced.
        kept: texts in which nothing is replaced: pieces that somebody defined.
        prefix: whether a space is put before the text.
        squeezed: whether spaces around the text are left out, and all but one inside.

    Source: Kudo and Richardson 2018, section 3.
    """

    def __init__(
        self, rules: Rules, kept: Collection[str], *, prefix: bool, squeezed: bool
    ) -> None:
        self._rules, self._kept, self._prefix, self._squeezed = rules, kept, prefix, squeezed
        self._longest_kept = max(map(len, kept), default=0)

    def signs(self, text: str) -> list[Sign]:
        """The characters of the uniform text, each with its place in the typed one."""
        text = text.encode(errors="replace").decode()  # half a pair of UTF-16 is no character
        signs: list[Sign] = []
        after_space, start = self._squeezed, 0
        while start < len(text):
            written, end = self._next(text, start)
            written = written.lstrip(" ") if after_space else written
            signs += [Sign(SPACE if c == " " else c, start, end) for c in written]
            if self._squeezed and written:
                after_space = written.endswith(" ")
            start = end
        while self._squeezed and signs and signs[-1].character == SPACE:
            signs.pop()
        if self._prefix and (signs or (text and not self._squeezed)):
            first = signs[0].start if signs else 0
            signs.insert(0, Sign(SPACE, first, first))
        return signs

    def _next(self, text: str, start: int) -> tuple[str, int]:
        """What is written for the next characters, and where these end."""
        for end in range(min(start + self._longest_kept, len(text)), start, -1):
            if text[start:end] in self._kept:
                return text[start:end], end
        return self._rules.longest(text, start) or (text[start], start + 1)
