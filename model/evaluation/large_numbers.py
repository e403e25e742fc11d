"""Find the values of numbers that a language writes with words: 3 million, deux cents, 三万五千.

English writes 30,000 where Chinese writes 3万, so a translation may be right without these digits.
"""

import re
from decimal import Decimal
from functools import lru_cache

_HUNDREDS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")}
_DIGITS |= {"〇": 0, "两": 2, "兩": 2}
_UNITS = {
    "hundred": 10**2,
    "cent": 10**2,
    "thousand": 10**3,
    "mille": 10**3,
    "million": 10**6,
    "milliard": 10**9,
    "billion": 10**9,
}
_ENGLISH = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_FRENCH = "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
_TENS = (
    "ten twenty thirty forty fifty sixty seventy eighty ninety",
    "dix vingt trente quarante cinquante soixante septante huitante nonante",
)
_SMALL = {
    word: factor * value
    for words, factor in ((_ENGLISH, 1), (_FRENCH, 1), (_TENS[0], 10), (_TENS[1], 10))
    for value, word in enumerate(words.split(), start=1)
}
_WORD = rf"(?:{'|'.join(sorted({*_SMALL, *_UNITS}, key=len, reverse=True))})s?\b"
_NUMERALS = "".join([*_DIGITS, *_HUNDREDS, *_MYRIADS])
# Each number has a limited length: a text of digits alone would take minutes otherwise.
_LARGE = re.compile(
    r"(?<!\d)(\d{1,15}(?:[\s.,'’]\d{3}){0,4}(?:[.,]\d{1,9})?)"
    rf"\s?({'|'.join(_UNITS)})s?\b"  # 3 million
    rf"|(\b{_WORD}(?:[\s-]+(?:(?:and|et)[\s-]+)?{_WORD})*)"  # mille neuf cent
    r"|(?:(?<!\d)\d{1,15}(?:[.,]\d{1,9}){0,4}\s?)?"
    rf"[{_NUMERALS}](?:\s?(?:\d{{1,15}}|[{_NUMERALS}])){{0,30}}",  # 3万5千
    re.IGNORECASE,
)
_SIGN = re.compile(r"\d+(?:[.,]\d+)*|\S")


@lru_cache(maxsize=16)
def large_numbers(text: str) -> tuple[tuple[tuple[int, int], frozenset[Decimal]], ...]:
    """Return the span of each number that is written with words or in Chinese, and its values.

    A number such as 1.234 million has two values: the point may be that of a decimal or of
    thousands.

    >>> [min(values) for _, values in large_numbers("1,5 million, 3万5千, 二十")]
    [Decimal('1500000.0'), Decimal('35000'), Decimal('20')]
    """
    return tuple((match.span(), frozenset(_values_of(match))) for match in _LARGE.finditer(text))


def _values_of(match: re.Match[str]) -> set[Decimal]:
    """Return the values of a match of ``_LARGE``."""
    number, unit, words = match.groups()
    if unit:
        return {value * _UNITS[unit.lower()] for value in _values(number)}
    if words:
        return {_value_of_words(words)}
    return _chinese_values(match[0])


def _value_of_words(text: str) -> Decimal:
    """Return the value of an English or French number such as mille neuf cent quatre-vingt-deux."""
    total = 0
    section = 0  # what the next thousand, million or billion multiplies
    for word in re.findall(r"[a-z]+", text.lower()):
        name = word if word in _SMALL else word.removesuffix("s")
        value = _SMALL.get(name) or _UNITS.get(name)
        if value is None:  # and, et
            continue
        if value == 20 and section % 100 == 4:  # quatre-vingts
            section += 80 - 4
        elif value >= 1000:
            total += (section or 1) * value
            section = 0
        elif value == 100:
            section = (section or 1) * 100
        elif 10 <= section <= 20 and value >= 10:  # a year: nineteen forty-five
            section = section * 100 + value
        else:
            section += value
    return Decimal(total + section)


def _values(number: str) -> set[Decimal]:
    """Return what a number with digits may mean: 1,234 may be 1234 or 1.234."""
    first, *others = re.split(r"[\s.,'’]", number)
    whole = Decimal(first + "".join(others))
    if len(others) != 1 or number[len(first)] not in ".,":
        return {whole}
    decimal = Decimal(f"{first}.{others[0]}")
    return {whole, decimal} if len(others[0]) == 3 else {decimal}


def _chinese_values(text: str) -> set[Decimal]:
    """Return the values of a Chinese number such as 3万5千, 120万 or 二〇一九."""
    tokens = _SIGN.findall(text)
    if tokens[0][0] in "0123456789":
        return {_chinese_value(value, tokens[1:]) for value in _values(tokens[0])}
    return {_chinese_value(Decimal(0), tokens)}


def _chinese_value(digit: Decimal, tokens: list[str]) -> Decimal:
    """Return the value of a Chinese number.

    Args:
        digit: the value of the number with digits that it begins with, or 0.
        tokens: the signs after it. Between them there may be more numbers with digits.
    """
    total = Decimal(0)  # of the parts before the last 万 or 亿
    section = Decimal(0)  # of the signs after it, below 10,000
    for token in tokens:
        if unit := _HUNDREDS.get(token):
            section += (digit or 1) * unit
            digit = Decimal(0)
        elif unit := _MYRIADS.get(token):
            section += digit
            total = total + section * unit if section else total * unit
            section = digit = Decimal(0)
        else:  # a digit; in a year, 二〇一九, there are several
            digit = digit * 10 + _DIGITS[token] if token in _DIGITS else Decimal(token)
    return total + section + digit
