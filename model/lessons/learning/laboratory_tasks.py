"""The tasks of the laboratory. A tiny Transformer learns each task in a minute or two.

Some rows are held out: the model is tested on them and never learns from them. A hash of the row
itself decides, so that the choice is the same in every run.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Literal
from zlib import crc32

from model.toy_training.toy_task import (
    DIGITS,
    LETTERS,
    Symbols,
    ToyExample,
    ToyTask,
    sort_symbols,
)

TaskName = Literal["reverse", "sort", "numbers"]

# number of symbols in a row of "reverse" and "sort"
MIN_SYMBOLS = 4
MAX_SYMBOLS = 8
HELD_OUT_ONE_IN = 8  # one row in eight is held out

_BELOW_TWENTY: Symbols = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Symbols = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


@dataclass(frozen=True)
class LaboratoryTask(ToyTask):
    """A toy task with randomly drawn rows."""

    draw: Callable[[Random], Symbols]  # draws the source of one row
    example: Symbols  # the source that the page shows; it is held out from training

    def rows(self, n: int, random: Random, *, held_out: bool) -> list[ToyExample]:
        """Draw n rows of the task, from the training rows or from the held-out rows.

        Args:
            n: how many.
            random: draws the rows.
            held_out: True for rows on which the model is tested, False for rows from which it
                learns.
        """
        rows: list[ToyExample] = []
        while len(rows) < n:
            row = self.row(self.draw(random))
            if is_held_out(row) == held_out:
                rows.append(row)
        return rows


def is_held_out(row: ToyExample) -> bool:
    """Return whether a row is held out from training. One row in eight is."""
    return crc32(" ".join(row.source).encode()) % HELD_OUT_ONE_IN == 0


def number_in_words(number: int) -> Symbols:
    """Return a whole number from 0 to 99,999 as English words.

    >>> " ".join(number_in_words(42)), " ".join(number_in_words(90310))
    ('forty two', 'ninety thousand three hundred ten')
    """
    if number < 20:
        return (_BELOW_TWENTY[number],)
    if number < 100:
        return (_TENS[number // 10 - 2], *_rest_in_words(number % 10))
    if number < 1000:
        return (_BELOW_TWENTY[number // 100], "hundred", *_rest_in_words(number % 100))
    return (*number_in_words(number // 1000), "thousand", *_rest_in_words(number % 1000))


def _rest_in_words(number: int) -> Symbols:
    return number_in_words(number) if number else ()


def from_words(words: Symbols) -> Symbols:
    """Return the digits of a number that is written in words: the solution of a task.

    >>> from_words(("forty", "two"))
    ('4', '2')
    """
    thousands = 0
    number = 0
    for word in words:
        if word == "thousand":
            thousands = number
            number = 0
        elif word == "hundred":
            number *= 100
        elif word in _TENS:
            number += 10 * (_TENS.index(word) + 2)
        else:
            number += _BELOW_TWENTY.index(word)
    return tuple(str(1000 * thousands + number))


def _draw_string(symbols: Symbols) -> Callable[[Random], Symbols]:
    """Return a function that draws four to eight of these symbols."""

    def draw(random: Random) -> Symbols:
        length = random.randint(MIN_SYMBOLS, MAX_SYMBOLS)
        return tuple(random.choices(symbols, k=length))

    return draw


def _draw_number(random: Random) -> Symbols:
    """Draw a number below 100,000 in words. Short and long numbers are about equally frequent."""
    n_digits = random.randint(1, 5)
    return number_in_words(random.randrange(10**n_digits))


TASKS: dict[TaskName, LaboratoryTask] = {
    "reverse": LaboratoryTask(
        symbols=LETTERS,
        solve=lambda letters: letters[::-1],
        draw=_draw_string(LETTERS),
        example=tuple("picture"),
    ),
    "sort": LaboratoryTask(
        symbols=DIGITS,
        solve=sort_symbols,
        draw=_draw_string(DIGITS),
        example=tuple("90210873"),
    ),
    "numbers": LaboratoryTask(
        symbols=(*_BELOW_TWENTY, *_TENS, "hundred", "thousand", *DIGITS),
        solve=from_words,
        draw=_draw_number,
        example=number_in_words(20640),
    ),
}
