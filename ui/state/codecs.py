"""Codecs for the choices of one page: their allowed values, and their texts in a link.

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

_DIGITS_OF_A_NUMBER = 30  # a float needs at most 24 digits; longer texts would only cost time
_DIGITS_OF_AN_INDEX = 9  # of a number in a click; what has more digits counts as a name


class Codec(ABC, Generic[T]):
    """The values of one choice, and their texts in a link."""

    default: T

    @property
    def first(self) -> T:
        """The initial value: the default, or the nearest allowed value."""
        return self.default

    @abstractmethod
    def read(self, value: object, otherwise: T) -> T:
        """Decode a widget's state, a click, or the text of a link.

        Args:
            value: anything; a text may be the value itself or what a link writes for it.
            otherwise: the result if ``value`` is not allowed.
        """

    def spell(self, value: T) -> str:
        """Return the text of a value in a link, identical in every language."""
        return str(value)


@dataclass(frozen=True)
class OneOf(Codec[T]):
    """One of several options. Its text in a link is made by ``str``."""

    options: Sequence[T]
    default: T

    @property
    def first(self) -> T:
        """The default, or the first option if the default is not an option."""
        return self.read(self.default, self.options[0])

    def read(self, value: object, otherwise: T) -> T:
        """Return the option that equals ``value``, or the option whose text is ``value``."""
        for option in self.options:
            if option == value:
                return option
        for option in self.options:
            if self.spell(option) == value:
                return option
        return otherwise


@dataclass(frozen=True)
class SomeOf(Codec[list[T]]):
    """Any number of options, in the order in which they were chosen."""

    options: Sequence[T]
    default: list[T]

    @property
    def first(self) -> list[T]:
        """The elements of the default that are options."""
        return self.read(self.default, [])

    def read(self, value: object, otherwise: list[T]) -> list[T]:
        """Return the distinct options among these values. A link must name at least one."""
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
        """The default, or the nearer limit if the default is out of range."""
        return min(max(self.default, self.low), self.high)

    def read(self, value: object, otherwise: N) -> N:
        """Return a number, or the number in a link's text, if it is within the limits."""
        number_type = type(self.default)
        if isinstance(value, str):
            try:
                value = number_type(value[:_DIGITS_OF_A_NUMBER])
            except ValueError:
                return otherwise
        if not isinstance(value, int | float) or not self.low <= value <= self.high:
            return otherwise  # NaN is outside every range
        return number_type(value)  # Streamlit does not accept a mixture of int and float


@dataclass(frozen=True)
class Flag(Codec[bool]):
    """Yes or no."""

    default: bool = False
    yes: str = "True"  # in a link
    no: str = "False"

    def read(self, value: object, otherwise: bool) -> bool:
        """Return a bool, or the bool that a text in a link represents."""
        for flag in (True, False):
            if value is flag or value == self.spell(flag):
                return flag
        return otherwise

    def spell(self, value: bool) -> str:
        """Return the text of yes or no."""
        return self.yes if value else self.no


@dataclass(frozen=True)
class Text(Codec[str]):
    """Any text."""

    default: str

    def read(self, value: object, otherwise: str) -> str:
        """Return the text unchanged."""
        return value if isinstance(value, str) else otherwise


@dataclass(frozen=True)
class Clicked(Codec[ClickedValue]):
    """A click in a picture: names and whole numbers, written ``product-0-2-1`` in a link."""

    default: ClickedValue
    lengths: Collection[int] = ()  # allowed numbers of entries, besides the length of the default
    is_possible: Callable[[ClickedValue], bool] = lambda _: True  # an extra check

    def read(self, value: object, otherwise: ClickedValue) -> ClickedValue:
        """Return the entries if their types match the default. Extra entries must be numbers."""
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
    """A value with a special notation, such as the flipped cells of a mask."""

    default: T
    parse: Callable[[str], T]  # reads the text of a link
    write: Callable[[T], str]

    def read(self, value: object, otherwise: T) -> T:
        """Parse the text of a link. A ``value`` that already has the default's type is returned."""
        if isinstance(value, str):
            return self.parse(value)
        return value if isinstance(value, type(self.default)) else otherwise

    def spell(self, value: T) -> str:
        """Return the text that ``parse`` reads."""
        return self.write(value)


def _number_or_name(text: str) -> str | int:
    is_number = text.isdecimal() and len(text) <= _DIGITS_OF_AN_INDEX
    return int(text) if is_number else text
