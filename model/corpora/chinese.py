"""Handle two features of Chinese texts: no spaces between words, and two character sets."""

import re
from functools import cache

from opencc import OpenCC

_HAN = "\u4e00-\u9fff"  # all common characters; the rest are rare and occur in names
_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_converter = cache(OpenCC)  # cached by the name of the conversion table


def is_chinese(text: str) -> bool:
    """Return whether a text contains a Chinese character."""
    return bool(_HAN_CHARACTER.search(text))


def whole_words(pattern: str) -> str:
    """Return a regular expression that matches ``pattern`` only as a whole word or number.

    It works like ``\\b``, except that a word needs no space beside a Chinese character.

    >>> re.findall(whole_words("Tom|汤姆"), "我叫Tom，他也叫汤姆吗？ Tommy")
    ['Tom', '汤姆']
    """
    letter = rf"[^\W{_HAN}]"
    return rf"(?<!{letter})(?:{pattern})(?!{letter})"


def space_out(text: str) -> str:
    """Put a space on each side of every Chinese character: "我叫Tom。" becomes " 我  叫 Tom。"."""
    return _HAN_CHARACTER.sub(r" \g<0> ", text)


def to_simplified(text: str) -> str:
    """Convert traditional Chinese characters to simplified ones, word by word.

    >>> to_simplified("我們說漢語。"), to_simplified("We speak Chinese.")
    ('我们说汉语。', 'We speak Chinese.')

    Source: Open Chinese Convert, its table "t2s".
    """
    return _converter("t2s").convert(text)
