"""Find words that a translation should copy from the source, but does not."""

import re

from model.corpora.chinese import space_out
from model.evaluation.codes import codes_in, is_written
from model.evaluation.large_numbers import large_numbers
from model.evaluation.written_numbers import (
    MIN_DIGITS,
    NUMBER,
    PARTS,
    contains_each,
    contains_in_order,
    contains_number,
    contains_parts,
    contains_time,
    contains_two,
    cut_apart,
)
from model.hub.languages import code_asked

_VALUES = range(100, 10**15)  # of the numbers with words that are also looked for in digits
_SIGN = re.compile(r"[@#&+_\\]|://|www\.")  # characters that no ordinary word contains
_PUNCTUATION = ".,;:!?\"'()[]，。！？；：、（）“”‘’「」《》"
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
_SEVERAL_COLONS = re.compile(r"\w:\w*:\w")  # 00:1A:2B:3C:4D:5E
_RATIO = re.compile(r"(\d[\d.,]*):(\d[\d.,]*)")  # the scale 1:50000
_SIZE = re.compile(r"(\d[\d.,]*)[xX×](\d[\d.,]*)")  # 1920x1080


def uncopied_words(source: str, target: str) -> list[str]:
    """Return the words of a source that its translation omits or changes.

    Only words that no language translates are looked at: numbers of at least three digits, words
    with a sign such as @ or +, and codes such as BA2490, whose letters must be the same, too. A
    language may write a number with its own signs, 1,250.50 as 1 250,50, or with words: 3万.

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
    source = source.removeprefix(code_asked(source) or "")
    target = cut_apart(target, source)
    text = space_out(_without_translated(source, target))
    text = _TIME_WITH_A_POINT.sub("", text)
    words = dict.fromkeys(word.strip(_PUNCTUATION) for word in _WORD.findall(text))
    return [word for word in words if not _is_copied(word.removesuffix("'s"), target)]


def _is_copied(word: str, target: str) -> bool:
    """Return whether the target contains a word, or is allowed to omit it."""
    # 1. Allow every language its own words: only digits and signs are copied
    if not _SIGN.search(word) and not any(map(str.isdigit, word)):
        return True

    # 2. Compare a word that is more than a number as it is written
    if not NUMBER.fullmatch(word) and is_written(word, target):
        return True
    if word[:1] == "+" and sum(map(str.isdigit, word)) > MIN_DIGITS:
        return contains_in_order(target, re.findall(r"\d", word))
    word = re.sub(r"^#(?=\d+$)", "", word)  # French writes n° 4471 for #4471
    if _SIGN.search(word) and any(map(str.isalnum, word)):
        return False

    # 3. Allow for times and sizes, which each language writes differently
    if all(map(_TIME.fullmatch, re.split("[-/]", word))):
        return True
    if seconds := _TIME_WITH_SECONDS.fullmatch(word):
        return contains_time(target, *map(int, seconds.groups()))
    if size := _SIZE.fullmatch(word):
        return contains_two(target, size[1], size[2], r"\s?[xX×]\s?")

    # 4. Compare codes and small numbers
    if _SEVERAL_COLONS.search(word) and any(map(str.isdigit, word)):
        return False
    if not all(is_written(code, target) for code in codes_in(word)):
        return False
    if sum(map(str.isdigit, word)) < MIN_DIGITS:
        return True

    # 5. Compare numbers
    if ratio := _RATIO.fullmatch(word):
        return contains_two(target, ratio[1], ratio[2], r"\s?(?:[:：∶/比,，章篇]|sur|to)\s?")
    if PARTS.fullmatch(word):
        return contains_parts(target, word)
    if _NEGATIVE.fullmatch(word) and not _MINUS.search(target):
        return False
    return all(
        contains_number(target, number) or contains_each(target, number)
        for number in NUMBER.findall(word)
    )


def _without_translated(source: str, target: str) -> str:
    """Return the source without those numbers with words, such as 125万, that the target has.

    The target may write them with words or in digits.
    """
    in_target = {value for _, values in large_numbers(target) for value in values}
    for (start, end), values in reversed(large_numbers(source)):
        whole = [str(int(value)) for value in values if _VALUES.start <= value < _VALUES.stop]
        in_digits = any(contains_number(target, number) for number in whole)
        if in_digits or not values.isdisjoint(in_target):
            source = f"{source[:start]} {source[end:]}"
    return source
