"""Find words that a translation should copy from the source, but does not."""

import re

from model.corpora.chinese import space_out
from model.hub.languages import code_asked

_SIGN = re.compile(r"[@#&+_\\]|://|www\.")  # characters that no ordinary word contains
_CODE = re.compile(r"\d[^\W\d]+\d")  # letters between digits, as in 1920x1080
_TIME = re.compile(r"\d{1,2}:\d\d")  # each language writes times differently
_TIME_WITH_A_POINT = re.compile(r"\b\d{1,2}\.\d\d(?=\s?[ap]\.?m\b)", re.IGNORECASE)  # 7.30 p.m.
_PARTS = re.compile(r"\d+(?:[-/]\d+)+")  # a date, 2024-11-28, or a telephone number, 555-0199
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_PUNCTUATION = ".,;:!?\"'()[]，。！？；：、（）“”‘’「」《》"
_MIN_DIGITS = 3  # a smaller number may be written as a word


def uncopied_words(source: str, target: str) -> list[str]:
    """Return the words of a source that its translation omits or changes.

    Only words that no language translates are looked at: numbers of at least three digits, words
    with a sign such as @ or +, and codes such as 1920x1080. A language may write a number with its
    own signs: 1,250.50 as 1 250,50.

    Args:
        source: a normalised text.
        target: its translation.

    >>> uncopied_words("C++ sold 1,250 copies in 1999.", "Le C a vendu 1 250 copies en 19990.")
    ['C++', '1999']
    >>> uncopied_words("Python 3.11.7 costs $5.00.", "Python 3,11,7 coûte 500 $.")
    ['3.11.7', '$5.00']
    """
    text = space_out(source.removeprefix(code_asked(source) or ""))
    text = _TIME_WITH_A_POINT.sub("", text)
    words = dict.fromkeys(word.strip(_PUNCTUATION) for word in text.split())
    return [word for word in words if not _is_copied(word, target)]


def _is_copied(word: str, target: str) -> bool:
    """Return whether the target contains a word, or is allowed to omit it."""
    if word in target and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", target):
        return True
    if _SIGN.search(word) and any(map(str.isalnum, word)):
        return word in target
    if _TIME.match(word) or sum(map(str.isdigit, word)) < _MIN_DIGITS:
        return True
    if _CODE.search(word):
        return False
    if _PARTS.fullmatch(word) and _has_other_parts(target, word):
        return False
    return all(_contains_number(target, number) for number in _NUMBER.findall(word))


def _has_other_parts(text: str, date: str) -> bool:
    """Return whether a text has dates or the like, but none with the parts of ``date``.

    The order may differ, and the sign between the parts: 05/12/1999 for 12-5-1999.
    """
    parts = _sorted_parts(date)
    others = [_sorted_parts(other) for other in _PARTS.findall(text)]
    others = [other for other in others if len(other) == len(parts)]
    return bool(others) and parts not in others


def _sorted_parts(date: str) -> list[int]:
    return sorted(int(part) for part in re.split("[-/]", date))


def _contains_number(text: str, number: str) -> bool:
    """Return whether a text contains a number of at least three digits, in any usual notation."""
    first, *others = re.split("[.,]", number)
    if sum(map(str.isdigit, number)) < _MIN_DIGITS:
        return True

    # 1. Find the decimals: the digits after the last separator, unless they are a group of
    # thousands. After a 0 they are always decimals: 0.125.
    decimals = ""
    if others and (len(others[-1]) != 3 or first == "0"):
        decimals = others.pop()
    if any(len(group) != 3 for group in others):  # a version or a date: 3.11.7
        form = re.escape(number)
    else:
        # 2. Match groups of three digits, with or without a separator between them
        form = r"\W?".join(_groups_of_three("".join((first, *others))))
        if decimals:
            form += f"(?:[.,]{decimals})"
        if decimals and set(decimals) == {"0"}:
            form += "?"
    return bool(re.search(rf"(?<!\d)(?<!\d[.,]){form}(?![.,]?\d)", text))


def _groups_of_three(digits: str) -> list[str]:
    """Cut digits into groups of three from the right: 12345 -> 12, 345."""
    first = len(digits) % 3
    groups = [digits[start : start + 3] for start in range(first, len(digits), 3)]
    return [digits[:first], *groups] if first else groups
