"""Find words that a translation should copy from the source, but does not."""

import re

from model.corpora.chinese import space_out
from model.hub.languages import code_asked

_SIGN = re.compile(r"[@#&+_\\]|://|www\.")  # characters that no ordinary word contains
_PUNCTUATION = ".,;:!?\"'()[]，。！？；：、（）“”‘’「」《》"
_MIN_DIGITS = 3  # a smaller number may be written as a word

# A number, also with spaces between its groups of three digits: 1,250.50 or 1 250,50
_NUMBER = re.compile(r"(?<![\dA-Za-z])\d{1,3}(?:[\s'’]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*")
_SEPARATOR = re.compile(r"[.,\s'’]")
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")  # of a computer: 192.168.100.200
_NEGATIVE = re.compile(r"-[^\w\s]?\d[\d.,]*")
_MINUS = re.compile(r"(?<!\w)[-−–]\W?(?=\d)|\b(?:minus|moins)\b|below|dessous|[负負零]")
_WORD = re.compile(
    r"\(?\+\d{1,3}[\d .()-]{4,}\d"  # a telephone number: +33 6 12 34 56 78
    r"|\S*?(?<![\w.,:/-])\d{1,3}(?: \d{3})+(?!\d)\S*"  # 25 000
    r"|\S+"
)

# Each language writes a time differently: 10:30, 10h30 or 10 点 30 分
_TIME = re.compile(r"\d{1,2}[:h][0-5]\d(?:[ap]\.?m)?", re.IGNORECASE)
_TIME_WITH_A_POINT = re.compile(r"\b\d{1,2}\.\d\d(?=\s?[ap]\.?m\b)", re.IGNORECASE)  # 7.30 p.m.
_TIME_WITH_SECONDS = re.compile(
    r"(\d{1,2})[:h]([0-5]\d)[:m]([0-5]\d)(?:[ap]\.?m|s)?", re.IGNORECASE
)
_UNIT_OF_TIME = r"\W{0,2}(?:h\w{0,6}\b|m\w{0,6}\b|uhr|点|點|时|時|小时|小時|分钟|分鐘|分)?\W{0,2}"
_SEVERAL_COLONS = re.compile(r"\w:\w*:\w")  # 00:1A:2B:3C:4D:5E
_RATIO = re.compile(r"(\d[\d.,]*):(\d[\d.,]*)")  # the scale 1:50000
_SIZE = re.compile(r"(\d[\d.,]*)[xX×](\d[\d.,]*)")  # 1920x1080

_PARTS = re.compile(r"\d+(?:[-/]\d+)+")  # a date, 2024-11-28, or a telephone number, 555-0199
_DATE = re.compile(r"\d{1,2}([-/])\d{1,2}\1\d{2,4}|\d{4}([-/])\d{1,2}\2\d{1,2}")
_SHORT_DATE = re.compile(r"\d{1,2}[-/](?:\d{1,2}|\d{4})|\d{4}[-/]\d{1,2}")  # 25/12 or 12/2024

_JOINED = re.compile(r"[A-Za-z0-9]+(?:[-.:][A-Za-z0-9]+)*")  # letters and digits without a space
_CODE = re.compile(
    r"[A-Za-z]\d"  # BA2490
    r"|\d[A-Z](?![A-Za-z])"  # 221B, but not 128GB: French writes 128 Go
    r"|(?<![A-Za-z])[A-Z]{1,4}-\d"  # AB-123, but not COVID-19, which has names in each language
    r"|\d-[A-Z]{1,4}(?![A-Za-z])"  # 4471-B
)
_MIN_CODE = 4  # letters and digits; a shorter code, such as CO2 or G20, may be translated
_MONEY = re.compile(r"[$€£¥]|(?:CHF|CNY|EUR|GBP|JPY|RMB|USD)\d")
_MEASURE = re.compile(r"\d[\d.,]*(?:[CFGKLMTVW]|[a-z]{1,2}[23])")  # 220V, 100m2


def uncopied_words(source: str, target: str) -> list[str]:
    """Return the words of a source that its translation omits or changes.

    Only words that no language translates are looked at: numbers of at least three digits, words
    with a sign such as @ or +, and codes such as BA2490, whose letters must be the same, too. A
    language may write a number with its own signs: 1,250.50 as 1 250,50.

    Args:
        source: a normalised text.
        target: its translation.

    >>> uncopied_words("C++ sold 1,250 copies in 1999.", "Le C a vendu 1 250 copies en 19990.")
    ['C++', '1999']
    >>> uncopied_words("Python 3.11.7 costs $5.00.", "Python 3,11,7 coûte 500 $.")
    ['3.11.7', '$5.00']
    >>> uncopied_words("Gate 221B, flight BA2490", "Porte 221, vol Ba2490")
    ['221B', 'BA2490']
    """
    text = space_out(source.removeprefix(code_asked(source) or ""))
    text = _TIME_WITH_A_POINT.sub("", text)
    words = dict.fromkeys(word.strip(_PUNCTUATION) for word in _WORD.findall(text))
    return [word for word in words if not _is_copied(word.removesuffix("'s"), target)]


def _is_copied(word: str, target: str) -> bool:
    """Return whether the target contains a word, or is allowed to omit it."""
    # 1. Compare a word that is more than a number as it is written
    if not _NUMBER.fullmatch(word) and _is_written(word, target):
        return True
    if word[:1] == "+" and sum(map(str.isdigit, word)) > _MIN_DIGITS:
        return _contains_in_order(target, re.findall(r"\d", word))
    word = re.sub(r"^#(?=\d+$)", "", word)  # French writes n° 4471 for #4471
    if _SIGN.search(word) and any(map(str.isalnum, word)):
        return False

    # 2. Allow for times and sizes, which each language writes differently
    if all(map(_TIME.fullmatch, re.split("[-/]", word))):
        return True
    if seconds := _TIME_WITH_SECONDS.fullmatch(word):
        return _contains_time(target, *map(int, seconds.groups()))
    if size := _SIZE.fullmatch(word):
        return _contains_two(target, size[1], size[2], r"\s?[xX×]\s?")

    # 3. Compare codes and small numbers
    if _SEVERAL_COLONS.search(word) and any(map(str.isdigit, word)):
        return False
    if not all(_is_written(code, target) for code in _codes(word)):
        return False
    if sum(map(str.isdigit, word)) < _MIN_DIGITS:
        return True

    # 4. Compare numbers
    if ratio := _RATIO.fullmatch(word):
        return _contains_two(target, ratio[1], ratio[2], r"\s?(?:[:：∶/比,，章篇]|sur|to)\s?")
    if _PARTS.fullmatch(word):
        return _contains_parts(target, word)
    if _NEGATIVE.fullmatch(word) and not _MINUS.search(target):
        return False
    return all(_contains_number(target, number) for number in _NUMBER.findall(word))


def _is_written(word: str, text: str) -> bool:
    """Return whether a text contains exactly this word, which is no part of a longer one.

    Chinese writes no space before or after it: 是RTX4090的.
    """
    letter = "[A-Za-z0-9À-ɏ]"
    parts = re.split(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Z])", word)
    spaced = r"\s?".join(map(re.escape, parts))  # 221 B, AF 1234
    if word.count(".") == 1:
        spaced = spaced.replace(r"\.", "[.,]")  # PM2,5
    form = rf"(?<!{letter})(?<!\d[-.,]){spaced}(?![-.,]?\d)(?!{letter})"
    return bool(re.search(form, text))


def _codes(word: str) -> list[str]:
    """Return the parts of a word whose letters belong to its digits, as in BA2490.

    The letter of an amount of money is a unit: $100B.
    """
    codes = [] if _MONEY.match(word) else _JOINED.findall(word)
    return [
        re.sub(r"(?<=[A-Z]\d)s$|(?<=\d\d)s$", "", code)  # several: RTX4090s
        for code in codes
        if _CODE.search(code)
        and not _MEASURE.fullmatch(code)
        and sum(map(str.isalnum, code)) >= _MIN_CODE
    ]


def _contains_in_order(text: str, parts: list[str]) -> bool:
    """Return whether a text contains parts of a number in this order, with any signs between."""
    form = r"\W{0,3}".join(parts)
    return bool(re.search(rf"(?<!\d){form}(?!\d)", text))


def _contains_time(text: str, hours: int, minutes: int, seconds: int) -> bool:
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


def _contains_two(text: str, first: str, second: str, between: str) -> bool:
    """Return whether a text contains two numbers, one after the other, in any usual notation.

    Args:
        text: a translation.
        first: a number.
        second: a number.
        between: a regular expression that matches what stands between them.
    """
    form = f"{_form(first)}{between}{_form(second)}"
    return bool(re.search(rf"(?<!\d)(?<!\d[.,]){form}(?![.,]?\d)(?!\s\d\d\d(?!\d))", text))


def _contains_parts(text: str, word: str) -> bool:
    """Return whether a text contains a date, a telephone number or the like, in any usual notation.

    The sign between the parts may differ, and the order of a date: 05/12/1999 for 12-5-1999. Two
    parts and dates may also be written with words: 28 novembre 2024.
    """
    if _contains_in_order(text, re.split("[-/]", word)):
        return True
    parts = _parts(word)
    is_date = bool(_DATE.fullmatch(word) or _SHORT_DATE.fullmatch(word))
    others = [_parts(other) for other in _PARTS.findall(text)]
    others = [other for other in others if len(other) == len(parts)]
    if is_date:
        parts.sort()
        others = [sorted(other) for other in others]
    if others or (len(parts) > 2 and not is_date):  # such as 978-3-16-148410-0
        return parts in others
    return all(_contains_number(text, number) for number in _NUMBER.findall(word))


def _parts(date: str) -> list[int]:
    return [int(part) for part in re.split("[-/]", date)]


def _contains_number(text: str, number: str) -> bool:
    """Return whether a text contains a number of at least three digits, in any usual notation.

    A part of a larger number does not count: 200 is not in 1 200.
    """
    if sum(map(str.isdigit, number)) < _MIN_DIGITS:
        return True
    form = _form(number)
    return any(re.fullmatch(form, other) for other in _NUMBER.findall(text))


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
