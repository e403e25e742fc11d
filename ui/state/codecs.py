"""The choices of one page alone: which values they can have, and how a link writes them.

Each codec is for one kind of choice: one of some options, several of them, a number, a flag, a
text, what was clicked in a picture, or a value with a notation of its own. All of them read
anything without an error: the value of a widget, of a click, the text of a link, and whatever a
browser made up.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import quote, unquote

T = TypeVar("T")
N = TypeVar("N", int, float)
ClickedValue = tuple[str | int, ...]

_DIGITS_OF_A_NUMBER = 30  # a float needs at most 24; a longer text would only cost time
_DIGITS_OF_AN_INDEX = 9


class Codec(ABC, Generic[T]):
    """The values of one choice, and their texts in a link."""

    default: T

    @property
    def first(self) -> T:
        """The value at first: the default, or what is nearest to it where that cannot be."""
        return self.default

    @abstractmethod
    def read(self, value: object, otherwise: T) -> T:
        """Return the value that a widget, a click or a link means.

        Args:
            value: anything; a text may be the value itself or what a link writes for it.
            otherwise: the result where ``value`` means nothing that can be chosen.
        """

    def spell(self, value: T) -> str:
        """Return the text of a value in a link, the same in every language."""
        return str(value)


@dataclass(frozen=True)
class OneOf(Codec[T]):
    """One of some options, in a link as ``str`` writes it."""

    options: Sequence[T]
    default: T

    @property
    def first(self) -> T:
        """The default, or the first option where the default is none of them."""
        return self.read(self.default, self.options[0])

    def read(self, value: object, otherwise: T) -> T:
        """Return the option itself, or else the one that is spelled like ``value``."""
        for option in self.options:
            if option == value:
                return option
        for option in self.options:
            if self.spell(option) == value:
                return option
        return otherwise


@dataclass(frozen=True)
class SomeOf(Codec[list[T]]):
    """Any number of some options, in the order in which they were chosen."""

    options: Sequence[T]
    default: list[T]

    @property
    def first(self) -> list[T]:
        """Those of the default that are options."""
        return self.read(self.default, [])

    def read(self, value: object, otherwise: list[T]) -> list[T]:
        """Return the options among these values, each once; a text of a link must name one."""
        if isinstance(value, str):
            named = {str(option): option for option in self.options}
            texts = dict.fromkeys(map(unquote, value.split(",")))
            return [named[text] for text in texts if text in named] or list(otherwise)
        if not isinstance(value, list | tuple):
            return list(otherwise)
        chosen: list[T] = []
        for option in value:
            if option in self.options and option not in chosen:
                chosen.append(option)
        return chosen

    def spell(self, value: list[T]) -> str:
        """Return the options, quoted, with commas between them.

        >>> SomeOf(["a", "b, c"], []).spell(["a", "b, c"])
        'a,b%2C c'
        """
        return ",".join(quote(str(option), safe=" ") for option in value)


@dataclass(frozen=True)
class Number(Codec[N]):
    """A number from ``low`` to ``high``, of the type of the default."""

    low: N
    high: N
    default: N

    @property
    def first(self) -> N:
        """The default, or the end that is nearer to it."""
        return min(max(self.default, self.low), self.high)

    def read(self, value: object, otherwise: N) -> N:
        """Return the number if it lies between both ends, also one that a link spells."""
        number_type = type(self.default)
        if isinstance(value, str):
            try:
                value = number_type(value[:_DIGITS_OF_A_NUMBER])
            except ValueError:
                return otherwise
        if not isinstance(value, int | float) or not self.low <= value <= self.high:
            return otherwise  # NaN lies nowhere
        return number_type(value)  # Streamlit takes no mixture of int and float


@dataclass(frozen=True)
class Flag(Codec[bool]):
    """Yes or no."""

    default: bool = False
    yes: str = "True"  # in a link
    no: str = "False"

    def read(self, value: object, otherwise: bool) -> bool:
        """Return a bool itself, or the one with this text."""
        for flag in (True, False):
            if value is flag or value == self.spell(flag):
                return flag
        return otherwise

    def spell(self, value: bool) -> str:
        """Return one of the two texts."""
        return self.yes if value else self.no


@dataclass(frozen=True)
class Text(Codec[str]):
    """Any text."""

    default: str

    def read(self, value: object, otherwise: str) -> str:
        """Return the text itself."""
        return value if isinstance(value, str) else otherwise


@dataclass(frozen=True)
class Clicked(Codec[ClickedValue]):
    """What was clicked in a picture: names and whole numbers, in a link ``product-0-2-1``."""

    default: ClickedValue
    lengths: Collection[int] = ()  # how many entries there may be beside those of the default
    is_possible: Callable[[ClickedValue], bool] = lambda _: True  # asked of what has fitting types

    def read(self, value: object, otherwise: ClickedValue) -> ClickedValue:
        """Return the entries if their types are those of the default; further ones are numbers."""
        if isinstance(value, str):
            value = tuple(map(_number_or_name, value.split("-")))
        if not isinstance(value, tuple):
            return otherwise
        if len(value) != len(self.default) and len(value) not in self.lengths:
            return otherwise
        types = [type(entry) for entry in self.default]
        types += [int] * (len(value) - len(types))
        if [type(entry) for entry in value] != types[: len(value)]:
            return otherwise
        return value if self.is_possible(value) else otherwise

    def spell(self, value: ClickedValue) -> str:
        """Return the entries with hyphens between them."""
        return "-".join(map(str, value))


@dataclass(frozen=True)
class Notation(Codec[T]):
    """A value with a notation of its own, such as the cells of a mask that are turned round."""

    default: T
    parse: Callable[[str], T]  # what a link says
    write: Callable[[T], str]

    def read(self, value: object, otherwise: T) -> T:
        """Return what a text says, or a value of the default's type itself."""
        if isinstance(value, str):
            return self.parse(value)
        return value if isinstance(value, type(self.default)) else otherwise

    def spell(self, value: T) -> str:
        """Return the text that ``parse`` reads."""
        return self.write(value)


def _number_or_name(text: str) -> str | int:
    is_number = text.isdecimal() and len(text) <= _DIGITS_OF_AN_INDEX
    return int(text) if is_number else text
