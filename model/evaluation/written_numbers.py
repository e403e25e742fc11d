"""Find a number, a time or a date of one text in another, in the notation of any language."""

import re
from decimal import Decimal

from model.evaluation.large_numbers import large_numbers

MIN_DIGITS = 3  # a smaller number may be written as a word

# A number, also with spaces between its groups of three digits: 1,250.50 or 1 250,50
NUMBER = re.compile(r"(?<![\dA-Za-z])\d{1,3}(?:[\s'’]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*")
_SEPARATOR = re.compile(r"[.,\s'’]")
_INDIAN = re.compile(r"\d{1,2}(?:,\d\d)+,\d{3}")  # 12,00,000 is 1,200,000
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")  # of a computer: 192.168.100.200

_UNIT_OF_TIME = r"\W{0,2}(?:h\w{0,6}\b|m\w{0,6}\b|uhr|点|點|时|時|小时|小時|分钟|分鐘|分)?\W{0,2}"

PARTS = re.compile(r"\d+(?:[-/]\d+)+")  # a date, 2024-11-28, or a telephone number, 555-0199
_DATE = re.compile(r"\d{1,2}([-/])\d{1,2}\1\d{2,4}|\d{4}([-/])\d{1,2}\2\d{1,2}")
_SHORT_DATE = re.compile(r"\d{1,2}[-/](?:\d{1,2}|\d{4})|\d{4}[-/]\d{1,2}")  # 25/12 or 12/2024


def contains_in_order(text: str, parts: list[str]) -> bool:
    """Return whether a text contains parts of a number in this order, with any signs between."""
    form = r"\W{0,3}".join(parts)
    return bool(re.search(rf"(?<!\d){form}(?!\d)", text))


def contains_time(text: str, hours: int, minutes: int, seconds: int) -> bool:
    """Return whether a text contains a time.

    Args:
        text: a translation.
        hours: from 0 to 24; a language may count to 12 only.
        minutes: from 0 to 59.
        seconds: from 0 to 59.
    """
    any_hours = f"0?(?:{hours}|{(hours + 12) % 24})"
    conjunction = r"(?:(?:and|et|und)\W)?"
    form = f"{any_hours}{_UNIT_OF_TIME}0?{minutes}"
    if seconds:  # 20:15:00 may be written 20 h 15
        form += f"{_UNIT_OF_TIME}{conjunction}0?{seconds}"
    return bool(re.search(rf"(?<!\d){form}(?!\d)", text, re.IGNORECASE))


def contains_two(text: str, first: str, second: str, between: str) -> bool:
    """Return whether a text contains two numbers, one after the other, in any usual notation.

    Args:
        text: a translation.
        first: a number.
        second: a number.
        between: a regular expression that matches what stands between them.
    """
    form = f"{_form(first)}{between}{_form(second)}"
    return bool(re.search(rf"(?<!\d)(?<!\d[.,]){form}(?![.,]?\d)(?!\s\d\d\d(?!\d))", text))


def contains_parts(text: str, word: str) -> bool:
    """Return whether a text contains a date, a telephone number or the like, in any usual notation.

    The sign between the parts may differ, and the order of a date: 05/12/1999 for 12-5-1999. Two
    parts and dates may also be written with words: 28 novembre 2024.
    """
    if contains_in_order(text, re.split("[-/]", word)):
        return True
    parts = _parts(word)
    is_date = bool(_DATE.fullmatch(word) or _SHORT_DATE.fullmatch(word))
    others = [_parts(other) for other in PARTS.findall(text)]
    others = [other for other in others if len(other) == len(parts)]
    if is_date:
        parts.sort()
        others = [sorted(other) for other in others]
    # If the text has numbers with as many parts, one of them must be this one.
    if others or (len(parts) > 2 and not is_date):  # such as 978-3-16-148410-0
        return parts in others
    return all(contains_number(text, number) for number in NUMBER.findall(word))


def _parts(date: str) -> list[int]:
    return [int(part) for part in re.split("[-/]", date)]


def contains_number(text: str, number: str) -> bool:
    """Return whether a text contains a number of at least three digits, in any usual notation.

    A part of a larger number does not count: 200 is not in 1 200. Where a language writes words for
    thousands, the value counts: 30,000 is in 3万.
    """
    if sum(map(str.isdigit, number)) < MIN_DIGITS:
        return True
    if _INDIAN.fullmatch(number):
        number = number.replace(",", "")
    form = _form(number)
    if any(re.fullmatch(form, other) for other in NUMBER.findall(text)):
        return True
    digits = _SEPARATOR.sub("", number)
    is_whole = re.fullmatch(rf"\d{{1,3}}(?:{_SEPARATOR.pattern}\d{{3}})*|\d+", number)
    return bool(is_whole) and any(Decimal(digits) in values for _, values in large_numbers(text))


def contains_each(text: str, number: str) -> bool:
    """Return whether a text contains a number that may be two: "chapter 3 100 people".

    With a space between its groups of digits, a number may be one or several. Which it is, only
    the translation shows.
    """
    return any(all(contains_number(text, part) for part in parts) for parts in _cuts(number, r"\s"))


def cut_apart(text: str, source: str) -> str:
    """Return a text with commas between neighbouring numbers that look like one number.

    The numbers of "chapter 3, 100 people" may be written as "chapitre 3 100 personnes".

    Args:
        text: a translation.
        source: what was translated. It contains both numbers, and not the one that they look like.
    """
    in_words = (str(value) for _, values in large_numbers(source) for value in values)
    alone = {*NUMBER.findall(source), *in_words}

    def apart(match: re.Match[str]) -> str:
        if not contains_number(source, match[0]):
            for parts in _cuts(match[0], r"[\s,]"):
                if alone.issuperset(parts):
                    return ", ".join(parts)
        return match[0]

    return NUMBER.sub(apart, text)


def _cuts(number: str, sign: str) -> list[list[str]]:
    """Return the ways to cut a number with signs between its groups of digits into several numbers.

    It is cut at one of the signs, or at all of them. No part begins with a 0: 25 000 is one number.

    Args:
        number: as it is written, for instance 3 100.
        sign: a regular expression that matches a sign between two groups.
    """
    ways = [[number[: cut.start()], number[cut.end() :]] for cut in re.finditer(sign, number)]
    if ways:
        ways.append(re.split(sign, number))
    return [parts for parts in ways if not any(part.startswith("0") for part in parts)]


def _form(number: str) -> str:
    """Return a regular expression that matches a number in any usual notation."""
    first, *others = _SEPARATOR.split(number)
    if _ADDRESS.fullmatch(number):
        return re.escape(number)

    # 1. Find the decimals: the digits after the last separator, unless they are a group of
    # thousands. After a 0 they are always decimals: 0.125.
    decimals = ""
    if others and (len(others[-1]) != 3 or first == "0"):
        decimals = others.pop()
    if any(len(group) != 3 for group in others):  # a version or a date: 3.11.7
        return re.escape(number)

    # 2. Match groups of three digits, with or without a separator between them. A single point
    # may be a decimal point, which must not get lost: 3.141.
    may_be_decimal = number.count(".") == 1 and others and not decimals and others != ["000"]
    separator = r"\W" if may_be_decimal else r"\W?"
    form = separator.join(_groups_of_three("".join((first, *others))))
    if decimals:
        form += f"(?:[.,]{decimals})"
    if decimals and set(decimals) == {"0"}:
        form += "?"
    return form


def _groups_of_three(digits: str) -> list[str]:
    """Cut digits into groups of three from the right: 12345 -> 12, 345."""
    first = len(digits) % 3
    groups = [digits[start : start + 3] for start in range(first, len(digits), 3)]
    return [digits[:first], *groups] if first else groups
