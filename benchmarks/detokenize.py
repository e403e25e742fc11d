"""Join the separate words of a file into text as a person would write it."""

import re
from collections.abc import Sequence
from itertools import pairwise

from model.corpora.chinese import is_chinese

_OPENING = r"[(\[{]|\w+'"  # no space after these
_CLOSING = r"[.,…)\]}]|\.\.+|n't|'\w*"  # no space before these
# (no space after, no space before). French has a space where others have none: « Venez-vous ? »
_IN_FRENCH = re.compile(_OPENING), re.compile(_CLOSING)
_ELSEWHERE = re.compile(rf"{_OPENING}|[$«]"), re.compile(rf"{_CLOSING}|[?!:;%»]")
_LATIN = re.compile(r"[A-Za-z0-9]")
_WIDE = str.maketrans(",;:?!()", "，；：？！（）")  # the forms that Chinese texts have


def detokenize(words: Sequence[str], language: str | None = None) -> tuple[str, ...]:
    """Return each word with the space before it, if any; joined, they are the text.

    A hyphen that is a separate word keeps its spaces: without them it would form one subword with
    the next word. Contractions are not restored either, such as "du" from the French "de le".

    Args:
        words: the words of one sentence, without spaces.
        language: such as "fr". Chinese needs no language: its characters show it.

    >>> "".join(detokenize(["The", "cat", "'s", "tail", "(", "a", "long", "one", ")", "."]))
    "The cat's tail (a long one)."
    >>> detokenize(["科学家", "一直", "猜想", ",", "NBA", "2002", "年", "。"])
    ('科学家', '一直', '猜想', '，', 'NBA', ' 2002', '年', '。')
    """
    if is_chinese("".join(words)):
        words = [word.translate(_WIDE) if len(word) == 1 else word for word in words]
        spaces = [_both_latin(before, word) for before, word in pairwise(words)]
    else:
        spaces = _spaces(words, *(_IN_FRENCH if language == "fr" else _ELSEWHERE))
    return tuple(" " * space + word for space, word in zip([False, *spaces], words, strict=True))


def _spaces(words: Sequence[str], opening: re.Pattern[str], closing: re.Pattern[str]) -> list[bool]:
    """Return for each word but the first whether there is a space before it.

    Args:
        words: the tokens of a sentence.
        opening: matches a token that has no space after it.
        closing: matches a token that has no space before it.
    """
    spaces = []
    quoted = False
    for before, word in pairwise(words):
        quoted ^= before == '"'
        first = opening.fullmatch(before) or (quoted and before == '"')
        last = closing.fullmatch(word) or (quoted and word == '"')
        spaces.append(not (first or last))
    return spaces


def _both_latin(before: str, word: str) -> bool:
    """Return whether both are numbers or Latin words, which need a space even in Chinese."""
    return bool(_LATIN.match(before[-1]) and _LATIN.match(word[0]))
