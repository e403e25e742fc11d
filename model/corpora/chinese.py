"""What is different about Chinese: no spaces between words, and two sets of characters."""

import re
from functools import cache

from opencc import OpenCC

_HAN = "\u4e00-\u9fff"  # all that is common; the rest are rare characters of names
_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_converter = cache(OpenCC)  # by the name of its table


def is_chinese(text: str) -> bool:
    """Whether there is a Chinese character in a text."""
    return bool(_HAN_CHARACTER.search(text))


def whole_words(pattern: str) -> str:
    """A regular expression that finds this one, but not inside of a longer word or number.

    As ``\\b``, but words need no space where Chinese stands beside them.

    >>> re.findall(whole_words("Tom|汤姆"), "我叫Tom，他也叫汤姆吗？ Tommy")
    ['Tom', '汤姆']
    """
    letter = rf"[^\W{_HAN}]"
    return rf"(?<!{letter})(?:{pattern})(?!{letter})"


def apart(text: str) -> str:
    """The text with a space around each Chinese character: "我叫Tom。" as " 我  叫 Tom。"."""
    return _HAN_CHARACTER.sub(r" \g<0> ", text)


def in_simplified(text: str) -> str:
    """The text with traditional Chinese characters in their simplified form, word by word.

    >>> in_simplified("我們說漢語。"), in_simplified("We speak Chinese.")
    ('我们说汉语。', 'We speak Chinese.')

    Source: Open Chinese Convert, its table "t2s".
    """
    return _converter("t2s").convert(text)
