"""Small tasks that a tiny Transformer learns in a minute or two, each with its own few symbols.

No row that is held out is ever learned from: a hash of the row itself decides.
"""

import string
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Literal, NamedTuple
from zlib import crc32

Symbols = tuple[str, ...]
TaskName = Literal["reverse", "sort", "numbers"]

PAD, BOS, EOS = 0, 1, 2
SPECIAL: Symbols = ("<pad>", "<bos>", "<eos>")
_SHORTEST, _LONGEST = 4, 8
_ONE_IN = 8

_DIGITS = tuple(string.digits)
_LETTERS = tuple(string.ascii_lowercase)
_SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen"""
_BELOW_TWENTY = tuple(_SMALL.split())
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


class ToyExample(NamedTuple):
    """One thing to learn, or to be asked: the symbols given, and what should be written."""

    source: Symbols
    target: Symbols

    @property
    def held_out(self) -> bool:
        """Whether this row, one in eight, is only ever asked."""
        return crc32(" ".join(self.source).encode()) % _ONE_IN == 0


@dataclass(frozen=True)
class Task:
    """Rows without end."""

    symbols: Symbols  # all that sources and targets are made of
    draw: Callable[[Random], Symbols]  # gives the source of one row
    solve: Callable[[Symbols], Symbols]  # gives its target
    example: Symbols  # the source that is looked at; it is held out

    def rows(self, n: int, random: Random, *, held_out: bool) -> list[ToyExample]:
        """Draw n rows, either of those to be asked or of those to be learned from."""
        rows: list[ToyExample] = []
        while len(rows) < n:
            row = self.row(self.draw(random))
            if row.held_out == held_out:
                rows.append(row)
        return rows

    def row(self, source: Symbols) -> ToyExample:
        """A source and what should be written for it."""
        return ToyExample(source, self.solve(source))

    @property
    def vocabulary(self) -> Symbols:
        """The special tokens and the symbols; a token's id is its place."""
        return (*SPECIAL, *self.symbols)

    def ids(self, symbols: Symbols) -> list[int]:
        """BOS, the symbols, EOS."""
        return [BOS, *(self.vocabulary.index(symbol) for symbol in symbols), EOS]


def in_words(number: int) -> Symbols:
    """A whole number from 0 to 99,999 as English words.

    >>> " ".join(in_words(42)), " ".join(in_words(90310))
    ('forty two', 'ninety thousand three hundred ten')
    """
    if number < 20:
        return (_BELOW_TWENTY[number],)
    if number < 100:
        return (_TENS[number // 10 - 2], *_rest(number % 10))
    if number < 1000:
        return (_BELOW_TWENTY[number // 100], "hundred", *_rest(number % 100))
    return (*in_words(number // 1000), "thousand", *_rest(number % 1000))


def from_words(words: Symbols) -> Symbols:
    """The digits of a number in words.

    >>> from_words(("forty", "two"))
    ('4', '2')
    """
    thousands = number = 0
    for word in words:
        if word == "thousand":
            thousands, number = number, 0
        elif word == "hundred":
            number *= 100
        elif word in _TENS:
            number += 10 * (_TENS.index(word) + 2)
        else:
            number += _BELOW_TWENTY.index(word)
    return tuple(str(1000 * thousands + number))


def _rest(number: int) -> Symbols:
    return in_words(number) if number else ()


def _string(symbols: Symbols) -> Callable[[Random], Symbols]:
    """Draws four to eight symbols."""
    return lambda random: tuple(random.choices(symbols, k=random.randint(_SHORTEST, _LONGEST)))


def _number(random: Random) -> Symbols:
    """Draws a number; short ones are as frequent as long ones."""
    return in_words(random.randrange(10 ** random.randint(1, 5)))


TASKS: dict[TaskName, Task] = {
    "reverse": Task(
        symbols=_LETTERS,
        draw=_string(_LETTERS),
        solve=lambda letters: letters[::-1],
        example=tuple("picture"),
    ),
    "sort": Task(
        symbols=_DIGITS,
        draw=_string(_DIGITS),
        solve=lambda digits: tuple(sorted(digits)),
        example=tuple("90210873"),
    ),
    "numbers": Task(
        symbols=(*_BELOW_TWENTY, *_TENS, "hundred", "thousand", *_DIGITS),
        draw=_number,
        solve=from_words,
        example=in_words(20640),
    ),
}
